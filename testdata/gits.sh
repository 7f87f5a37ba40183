#!/bin/sh
# Unpacks gits of several ages below a folder, each with the libraries that it was built for, so that it runs beside the
# system's own: FOLDER/<suite>/usr/bin/git. The packages come by apt from the mirror that this system uses, into that
# folder alone. Needs apt, on Debian.
# usage: sh testdata/gits.sh FOLDER [SUITE...]
set -eu
[ $# -gt 0 ] || { echo "usage: gits.sh FOLDER [SUITE...]" >&2; exit 129; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
shift
[ $# -gt 0 ] || set -- bullseye trixie sid
. testdata/apt.sh
own=$(sed -n s/^VERSION_CODENAME=//p /etc/os-release)

# fetch SUITE PACKAGE: the package, and all that it needs, as if nothing were installed here.
fetch() {
	private_apt "$folder/apt/$1" "$1"
	apt-get -qq update
	apt-get -qq autoclean
	apt-get -qq --download-only -y install "$2" >/dev/null
}

# unpack SUITE PACKAGE ROOT
unpack() {
	fetch "$1" "$2"
	mkdir -p "$3"
	for deb in "$folder/apt/$1/archives/"*.deb; do
		case ${deb##*/} in perl* | libperl*) continue ;; esac # large, and nothing here needs it
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$3" --keep-directory-symlink --exclude=./usr/share/doc --exclude=./usr/share/man --exclude=./usr/share/locale --exclude=./dev
	done
}

# bind ROOT: the programs of git's run with the libraries of their own time. Those that they start do not.
bind() {
	loader=$(find "$1" -name 'ld-linux*.so.*' | head -n 1)
	triplet=$(basename "$(dirname "$(find "$1" -name libc.so.6)")")
	for program in "$1"/usr/bin/git "$1"/usr/lib/git-core/git*; do
		if ! [ -L "$program" ] && "$patchelf" --print-interpreter "$program" >/dev/null 2>&1; then
			"$patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$1/lib/$triplet:$1/usr/lib/$triplet" "$program"
		fi
	done
}

unpack "$own" patchelf "$folder/tools"
patchelf=$folder/tools/usr/bin/patchelf
for suite; do
	root=$folder/$suite
	rm -rf "$root"
	unpack "$suite" git "$root"
	bind "$root"
	"$root/usr/bin/git" version
done
