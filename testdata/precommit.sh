#!/bin/sh
# Unpacks the pre-commit framework of a Debian suite below a folder, to run beside the system's, which may be old: with
# PYTHONPATH=FOLDER/usr/lib/python3/dist-packages. It comes by apt from the mirror that this system uses, and runs on the
# Python libraries of the system's own package pre-commit. Needs apt, on Debian.
# It holds a Go template: a FOLDER whose name begins with a dot is none of this module's packages.
# usage: sh testdata/precommit.sh FOLDER SUITE
set -eu
[ $# -eq 2 ] || { echo "usage: precommit.sh FOLDER SUITE" >&2; exit 129; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
. testdata/apt.sh
private_apt "$folder/apt" "$2"
apt-get -qq update
rm -rf "${folder:?}"/*.deb "${folder:?}/usr"
(cd "$folder" && apt-get -qq download pre-commit)
dpkg-deb -x "$folder"/pre-commit_*.deb "$folder"
PYTHONPATH=$folder/usr/lib/python3/dist-packages /usr/bin/python3 -m pre_commit --version
