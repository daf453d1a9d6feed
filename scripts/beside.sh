#!/usr/bin/env bash
# Runs a command with another one beside it, which mostly gets the processor time the first leaves:
#     beside.sh "MAKE TARGETS" COMMAND...
# What the other one prints comes at the end, in one piece; if either fails, so does this.
set -u
printed=$(mktemp)
nice -n 7 $1 >"$printed" 2>&1 &
other=$!
trap 'kill "$other" 2>/dev/null; rm -f "$printed"' EXIT
trap 'exit 130' INT TERM
shift
"$@"
result=$?
wait "$other" || result=1
cat "$printed"
exit "$result"
