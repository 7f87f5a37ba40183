#!/bin/sh
# A round of git socialpost in a throw-away folder, against a stand-in LinkedIn on the loopback interface. It prints
# each command with what it really answers, and fails where that is not as expected. Usage: demo.sh FOLDER-OF-BINARIES
set -eu

bin=$(cd "${1:?usage: demo.sh FOLDER-OF-BINARIES}" && pwd)
top=$(mktemp -d)
sandbox=

cleanup() {
	status=$?
	trap - EXIT
	if [ -n "$sandbox" ]; then
		kill "$sandbox" 2>/dev/null || :
		wait "$sandbox" 2>/dev/null || :
	fi
	cd /
	rm -rf "$top"
	exit "$status"
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Nothing of the user's git, CI or proxy reaches the demo, and nothing of the demo stays.
# shellcheck disable=SC2046
unset $(git rev-parse --local-env-vars) GIT_CONFIG_GLOBAL XDG_CONFIG_HOME GITHUB_RUN_ID CI_JOB_URL BUILD_URL GITHUB_ACTIONS GITLAB_CI \
	GITHUB_STEP_SUMMARY GITHUB_SERVER_URL GITHUB_REPOSITORY GITHUB_RUN_ATTEMPT GITHUB_TRIGGERING_ACTOR GITHUB_ACTOR GITLAB_USER_LOGIN
export HOME="$top/home" GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_PAGER=cat NO_PROXY=127.0.0.1 PATH="$bin:$PATH"
mkdir "$HOME"
git config --global user.name 'Demo Author'
git config --global user.email demo@example.com
git config --global init.defaultBranch main
git config --global advice.detachedHead false

say() { printf '\n# %s\n' "$*"; }

fail() {
	echo "DEMO FAILED: $*" >&2
	exit 1
}

# run STATUS COMMAND: show the command, its output and its exit status; the output is kept in $top/out.
run() {
	want=$1
	shift
	printf '$ %s\n' "$*"
	got=0
	(eval "$*") >"$top/out" 2>&1 || got=$?
	cat "$top/out"
	if [ "$got" -ne 0 ]; then
		echo "(exit status $got)"
	fi
	[ "$got" -eq "$want" ] || fail "exit status $got, want $want"
}

# shows PATTERN: the last command's output must hold it.
shows() { grep -q -e "$1" "$top/out" || fail "the output does not show: $1"; }

# write FILE <TEXT: append to a file, as an editor would.
write() {
	mkdir -p "$(dirname "$1")"
	echo "\$ cat >>$1 <<'END'"
	tee -a "$1"
	echo END
}

# sent RECEIVED STORED: how many POSTs reached the sandbox, and how many posts it has.
sent() {
	received=$(grep -c ' POST ' "$top/linkedin.log" || :)
	stored=$(grep -c ' stored urn:' "$top/linkedin.log" || :)
	[ "$received $stored" = "$1 $2" ] || fail "LinkedIn received $received POSTs and stored $stored, want $1 and $2"
}

say 'A stand-in LinkedIn. It will answer the first POST well, lose the second, and store the third but lose the answer.'
echo '$ linkedin-sandbox -addr 127.0.0.1:0 -duplicate-window 1ns -fault none -fault close:before -fault close:after &'
linkedin-sandbox -addr 127.0.0.1:0 -duplicate-window 1ns -fault none -fault close:before -fault close:after \
	>"$top/linkedin.out" 2>"$top/linkedin.log" &
sandbox=$!
tries=0
until grep -q '^export ' "$top/linkedin.out"; do
	tries=$((tries + 1))
	[ "$tries" -le 100 ] || fail "the sandbox does not start: $(cat "$top/linkedin.log")"
	sleep 0.1
done
cat "$top/linkedin.out"
eval "$(cat "$top/linkedin.out")"

say 'A blog with a remote. Init makes the ledger on the remote and a configuration that sends nothing yet.'
cd "$top"
git init -q --bare remote.git
git init -q blog
cd blog
git remote add origin ../remote.git
run 0 git socialpost init
shows 'ledger .* created'

say 'One channel per language, and one prepared text per channel.'
write .socialpost.toml <<'END'

[channel.linkedin-en]
platform = "linkedin"
author = "urn:li:person:782bbtaQ"

[channel.linkedin-ru]
platform = "linkedin"
author = "urn:li:person:782bbtaQ"
END
write social/hello/linkedin-en.md <<'END'
+++
link = "https://example.com/en/hello/"
title = "Hello"
+++
A first article, on posting once. #golang
END
write social/hello/linkedin-ru.md <<'END'
+++
+++
Первая статья: как не опубликовать дважды. #golang
END
run 0 git socialpost plan --worktree
shows '^held  *hello:linkedin-en'
shows '^held  *hello:linkedin-ru'

say 'A hook that shows, with every push, what would be posted; and live mode, which is a change of the configuration.'
write .git/hooks/pre-push <<'END'
#!/bin/sh
exec git socialpost plan --pre-push "$@"
END
run 0 chmod +x .git/hooks/pre-push
run 0 "sed 's/^mode .*/mode = \"live\"/' .socialpost.toml >new && mv new .socialpost.toml"
run 0 "git add . && git commit -q -m 'Hello' && git push -q -u origin main"
shows '^send  *hello:linkedin-en'
run 0 git socialpost plan --out ../plan.json

say 'Deliver posts just what the saved plan says, once. The same again answers the same, and sends nothing.'
run 0 git socialpost deliver hello:linkedin-en --plan ../plan.json
shows '^hello:linkedin-en urn:li:share:'
cp "$top/out" "$top/first"
run 0 git socialpost deliver hello:linkedin-en
cmp -s "$top/first" "$top/out" || fail 'the second answer is another one'
sent 1 1

say 'The connection breaks during the second post. Nobody here can know whether it arrived.'
run 3 git socialpost deliver
sent 2 1
say 'So a rerun sends nothing: not later, not from another clone, not ever.'
run 0 git clone -q ../remote.git ../runner
run 3 git -C ../runner socialpost deliver
sent 2 1

say 'A maintainer looks at the evidence, and at the feed.'
run 0 git socialpost resolve
shows '^hello:linkedin-ru: unknown'
run 0 "grep -o 'POST .*' ../linkedin.log"
say 'It is not there: another attempt is allowed, and that one loses its answer, too.'
run 0 git socialpost resolve hello:linkedin-ru --not-posted --yes --reason "'not in the feed'"
run 3 git socialpost deliver
sent 3 2
run 3 git socialpost deliver
sent 3 2
run 0 "grep -o 'POST .*' ../linkedin.log"

say 'To deliver this looked the same, but now the post is there. Here a blind retry would have posted it twice.'
urn=$(sed -n 's/.*POST 3: stored \(urn:li:share:[0-9]*\).*/\1/p' "$top/linkedin.log")
run 0 git socialpost resolve hello:linkedin-ru --posted "$urn" --yes --reason "'seen in the feed'"
run 0 git socialpost deliver
shows "^hello:linkedin-ru $urn "
sent 3 2

say 'Git log tells where the article was posted, and fsck verifies the ledger from its first commit on.'
run 0 git log -1
shows 'hello:linkedin-en https://'
shows 'hello:linkedin-ru https://'
run 0 git socialpost fsck
shows 'all verified'
say 'Two prepared texts, three attempts, two posts. Nothing is left behind.'
