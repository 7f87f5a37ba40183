#!/bin/sh
# Builds the forge that TestServers is run against, unless it is there already, and prints the path of its binary. Its
# sources, which it needs when it runs, stay beside it. Needs Go, a C compiler, and a quarter of an hour of processor
# time. Usage: gitea.sh [FOLDER]
set -eu

version=v1.27.3
folder=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/git-socialpost/gitea-$version}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if [ ! -x "$folder/gitea" ]; then
	# go install refuses a module that replaces others, so it is built from a copy of its sources.
	cd /
	go mod download "code.gitea.io/gitea@$version"
	rm -rf "$folder/src"
	cp -R "$(go env GOMODCACHE)/code.gitea.io/gitea@$version" "$folder/src"
	chmod -R u+w "$folder/src"
	cd "$folder/src"
	CGO_ENABLED=1 go build -tags 'sqlite sqlite_unlock_notify' -o "$folder/gitea.new" . >&2
	mv "$folder/gitea.new" "$folder/gitea"
fi
echo "$folder/gitea"
