# shellcheck shell=sh
# For the scripts beside it: an apt apart from the system's.

# private_apt FOLDER SUITE: apt-get downloads packages of that suite into FOLDER from now on, from the mirror that this
# system uses, as if nothing were installed here.
private_apt() {
	mkdir -p "$1/lists/partial" "$1/archives/partial" "$1/parts"
	: >"$1/status"
	mirror=$(awk '$1 == "URIs:" { print $2; exit }' /etc/apt/sources.list.d/debian.sources)
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $2 main" >"$1/sources.list"
	cat >"$1/conf" <<-end
		Dir::Etc::SourceList "$1/sources.list";
		Dir::Etc::SourceParts "$1/parts";
		Dir::Etc::Preferences "$1/none";
		Dir::Etc::PreferencesParts "$1/parts";
		Dir::State "$1";
		Dir::State::Status "$1/status";
		Dir::Cache "$1";
		Acquire::Languages "none";
		APT::Sandbox::User "root";
		APT::Install-Recommends "false";
		APT::Keep-Downloaded-Packages "true";
		#clear DPkg::Post-Invoke;
		#clear APT::Update::Post-Invoke;
	end
	export APT_CONFIG="$1/conf"
}
