#!/bin/sh
# Unpacks the pre-commit framework of a Debian suite below a folder, to run beside the system's, which may be old: with
# PYTHONPATH=FOLDER/usr/lib/python3/dist-packages. It comes by apt from the mirror that this system uses, and runs on the
# Python libraries of the system's own package pre-commit. Needs apt, on Debian.
# It holds a Go template: a FOLDER whose name begins with a dot is none of this module's packages.
# usage: sh testdata/precommit.sh FOLDER SUITE
set -eu
[ $# -eq 2 ] || { echo "usage: precommit.sh FOLDER SUITE" >&2; exit 129; }
mkdir -p "$1/apt/lists/partial" "$1/apt/archives/partial" "$1/apt/parts"
folder=$(cd "$1" && pwd)
apt=$folder/apt
mirror=$(awk '$1 == "URIs:" { print $2; exit }' /etc/apt/sources.list.d/debian.sources)
: >"$apt/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $2 main" >"$apt/sources.list"
cat >"$apt/conf" <<end
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "$apt/parts";
Dir::Etc::Preferences "$apt/none";
Dir::Etc::PreferencesParts "$apt/parts";
Dir::State "$apt";
Dir::State::Status "$apt/status";
Dir::Cache "$apt";
Acquire::Languages "none";
APT::Sandbox::User "root";
#clear DPkg::Post-Invoke;
#clear APT::Update::Post-Invoke;
end
APT_CONFIG=$apt/conf apt-get -qq update
rm -rf "${folder:?}"/*.deb "${folder:?}/usr"
(cd "$folder" && APT_CONFIG=$apt/conf apt-get -qq download pre-commit)
dpkg-deb -x "$folder"/pre-commit_*.deb "$folder"
PYTHONPATH=$folder/usr/lib/python3/dist-packages /usr/bin/python3 -m pre_commit --version
