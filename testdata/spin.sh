#!/bin/sh
# Checks docs/protocol.pml with spin: the protocol as it is must hold, and with each mistake that the model knows it must
# break. Needs spin and a C compiler; where root can, a missing spin is installed. Usage: spin.sh, from anywhere.
set -eu

model=$(cd "$(dirname "$0")/../docs" && pwd)/protocol.pml
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
trap 'exit 1' HUP INT TERM

if ! command -v spin >/dev/null || ! command -v cc >/dev/null; then
	sh "$(dirname "$0")/../.ci/packages" spin gcc libc6-dev
fi
failed=0

# try WANTED-ERRORS NAME MACRO...: prints one line
try() {
	want=$1 name=$2
	shift 2
	(
		mkdir "$top/$name" && cd "$top/$name"
		cp "$model" protocol.pml
		spin "$@" -a protocol.pml && cc -O2 -w -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m100000
	) >"$top/out" 2>&1 || :
	errors=$(sed -n 's/.*errors: \([0-9]*\)$/\1/p' "$top/out")
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$top/out")
	found=$(sed -n 's/^pan:1: \(.*\) (at depth.*/: \1/p' "$top/out")
	printf '%-12s %s states, errors: %s%s\n' "$name" "${states:-no}" "${errors:-none counted}" "$found"
	if [ "$errors" != "$want" ] || { [ "$want" -eq 0 ] && grep -q 'max search depth too small\|Search not completed' "$top/out"; }; then
		echo "$name: FAILED, want errors: $want" >&2
		cat "$top/out" >&2
		failed=1
	fi
}

try 0 2-runners -DSTARTS=1
try 0 2-starts -DRUNNERS=1 -DSTARTS=2
for mistake in NO_LEASE NO_REREAD EXPIRE RETRY NO_READY HURRY DROP NOBODY; do
	try 1 "$mistake" -DSTARTS=1 "-D$mistake"
done
exit "$failed"
