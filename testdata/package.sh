#!/bin/sh
# Makes a release of the last commit in two clones, under a tag of their own, and publishes nothing. Both must be the same
# to the byte. Then it looks at what is in every archive, every package and the cask, and unpacks and runs those of this
# system. Needs Go, dpkg, rpm, ruby and unzip. Usage: package.sh GORELEASER
set -eu

goreleaser=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
version=0.0.1-test.7
repository=$(cd "$(dirname "$0")/.." && pwd)
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
trap 'exit 1' HUP INT TERM

fail() {
	echo "package.sh: $*" >&2
	exit 1
}

# release FOLDER: in a clone of that name
release() {
	git clone -q "$repository" "$top/$1"
	cd "$top/$1"
	git tag "v$version"
	GITHUB_TOKEN='' "$goreleaser" release --clean --skip=publish,announce >"$top/log" 2>&1 || {
		cat "$top/log" >&2
		fail "no release"
	}
}

# contains WHAT LISTING NAME...: a listing has these files and no others
contains() {
	what=$1
	sed 's|^\.*/||; /\/$/d; /^$/d' "$2" | sort >"$top/got"
	shift 2
	printf '%s\n' "$@" | sort >"$top/want"
	diff -u "$top/want" "$top/got" >&2 || fail "$what: not what it should hold"
}

# built ARCHIVE OS ARCH PROGRAM: the program is of this system, of the tag, and knows nothing of where it was built
built() {
	go version -m "$4" >"$top/info" || fail "$1: no Go program"
	for line in "mod	github.com/git-socialpost/git-socialpost	v$version" "build	-trimpath=true" "build	CGO_ENABLED=0" \
		"build	GOOS=$2" "build	GOARCH=$3" "build	vcs.modified=false"; do
		grep -q "^	$line" "$top/info" || fail "$1: no $line in $(cat "$top/info")"
	done
	! grep -qF "$top" "$4" || fail "$1: it names the folder in which it was built"
}

# runs WHAT FOLDER: what was unpacked there tells the version and has a manual
runs() {
	got=$(PATH="$2/bin:$PATH" git socialpost --version)
	[ "$got" = "git-socialpost version v$version" ] || fail "$1: $got"
	if command -v man >/dev/null; then
		MANPATH="$2/share/man" MANPAGER=cat PATH="$2/bin:$PATH" git help socialpost | grep -q 'at most once' || fail "$1: no manual"
	fi
}

release one
(umask 077 && export GOCACHE="$top/cache" && release another/place) # compiled anew, elsewhere, later
diff -u "$top/one/dist/checksums.txt" "$top/another/place/dist/checksums.txt" >&2 || fail "two builds differ"
cmp "$top/one/dist/homebrew/Casks/git-socialpost.rb" "$top/another/place/dist/homebrew/Casks/git-socialpost.rb"

cd "$top/one/dist"
sha256sum --quiet -c checksums.txt
[ "$(wc -l <checksums.txt)" -eq 10 ] || fail "not 10 files: $(cat checksums.txt)"
bash=share/bash-completion/completions/git-socialpost
fish=share/fish/vendor_conf.d/git-socialpost.fish
zsh=share/zsh/site-functions/_git-socialpost
man=share/man/man1/git-socialpost.1
doc=share/doc/git-socialpost
for arch in amd64 arm64; do
	for os in linux darwin; do
		name=git-socialpost_${version}_${os}_$arch.tar.gz
		tar tzf "$name" >"$top/list"
		contains "$name" "$top/list" bin/git-socialpost $bash $fish $zsh $man $doc/LICENSE $doc/README.md
		tar xzf "$name" -C "$top" bin/git-socialpost
		[ -x "$top/bin/git-socialpost" ] || fail "$name: the program cannot be run"
		built "$name" $os $arch "$top/bin/git-socialpost"
	done
	name=git-socialpost_${version}_windows_$arch.zip
	unzip -Z1 "$name" >"$top/list"
	contains "$name" "$top/list" bin/git-socialpost.exe $bash $fish $zsh $man $doc/LICENSE $doc/README.md
	unzip -qo "$name" bin/git-socialpost.exe -d "$top"
	built "$name" windows $arch "$top/bin/git-socialpost.exe"
	name=git-socialpost_${version}_linux_$arch.deb
	dpkg-deb --fsys-tarfile "$name" | tar t >"$top/list"
	contains "$name" "$top/list" usr/bin/git-socialpost usr/$bash usr/$fish usr/share/zsh/vendor-completions/_git-socialpost usr/$man.gz usr/$doc/copyright
	[ "$(dpkg-deb -f "$name" Depends)" = "git (>= 1:2.30)" ] || fail "$name: $(dpkg-deb -f "$name" Depends)"
	name=git-socialpost_${version}_linux_$arch.rpm
	rpm -qlp "$name" >"$top/list"
	contains "$name" "$top/list" usr/bin/git-socialpost usr/$bash usr/$fish usr/$zsh usr/$man.gz usr/share/licenses/git-socialpost/LICENSE
	[ "$(rpm -qp --qf '%{BUILDHOST}' "$name")" = localhost ] || fail "$name: it names the machine that built it"
	rpm -qRp "$name" | grep -qx 'git >= 2.30' || fail "$name: $(rpm -qRp "$name")"
done

# The cask has the archives' checksums, and names what is in them.
cask=homebrew/Casks/git-socialpost.rb
ruby -c "$cask" >/dev/null
awk -F '"' -v version="$version" '
	/^ *url "/ { gsub("#{version}", version); url = $2; sub("^https://github.com/git-socialpost/git-socialpost/releases/download/v" version "/", "", url) }
	/^ *sha256 "/ { print $2 "  " url }' "$cask" | sort >"$top/cask"
grep -E '_(darwin|linux)_.*\.tar\.gz$' checksums.txt | sort | diff -u - "$top/cask" >&2 || fail "the cask: not the checksums of the archives"
sed -n 's/^ *\(binary\|manpage\|[a-z]*_completion\) "\([^"]*\)".*/\2/p; s|.*{{staged_path}}/\([^"]*\)".*|\1|p' "$cask" >"$top/list"
contains "the cask" "$top/list" bin/git-socialpost bin/git-socialpost $bash $fish $zsh $man

arch=$(go env GOARCH)
mkdir "$top/tar" "$top/installed"
tar xzf "git-socialpost_${version}_linux_$arch.tar.gz" -C "$top/tar"
runs "the archive" "$top/tar"
cp -R /var/lib/dpkg "$top/dpkg" # so that git counts as installed
dpkg --admindir="$top/dpkg" --instdir="$top/installed" --force-not-root --force-script-chrootless \
	--log="$top/dpkg.log" -i "git-socialpost_${version}_linux_$arch.deb" >"$top/log" 2>&1 || fail "dpkg: $(cat "$top/log")"
runs "the package" "$top/installed/usr"
gzip -dc "$top/installed/usr/$man.gz" | cmp - "$repository/docs/git-socialpost.1"
echo "two builds are the same, to the byte; every archive and package holds what it should; those of this system run"
