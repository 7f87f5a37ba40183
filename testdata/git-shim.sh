#!/bin/sh
# A git that fails on purpose. CUT is <subcommand>:<which call of it>:<before|after>:<what>, and what is
#   kill  the program that called git is killed (and the real git does not run, with before)
#   fail  git dies without a word that could be read as an answer
#   term  a signal ends git, as one to all of a job's processes does
# With after, the real git runs first, and what it says is lost. Every other call is the real git's.
[ -n "$CUT" ] || exec "$REALGIT" "$@"
sub=${CUT%%:*} rest=${CUT#*:}
nth=${rest%%:*} rest=${rest#*:}
when=${rest%%:*} what=${rest#*:}
case " $* " in
*" $sub "*) ;;
*) exec "$REALGIT" "$@" ;;
esac
echo >>"$HOME/cut-$sub"
if [ $(($(wc -l <"$HOME/cut-$sub"))) -ne "$nth" ]; then
	exec "$REALGIT" "$@"
fi
if [ "$when" = after ]; then
	"$REALGIT" "$@" >/dev/null 2>&1
fi
if [ "$what" = kill ]; then
	kill -KILL $PPID
fi
if [ "$what" = term ]; then
	kill -TERM $$
fi
exit 128
