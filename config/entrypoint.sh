#!/bin/sh
# Process 1 of the container. The kernel drops a signal that process 1 does not handle, and Node handles none until it has started: a stop
# in its first tenths of a second would be lost. This shell handles signals from its first line, passes them on, and ends as the program ends.
trap 'exit 143' TERM INT
# A shell takes the input away from what it runs beside itself.
exec 3<&0
node /app/dist/main.js "$@" <&3 3<&- &
program=$!
for signal in TERM INT HUP; do trap "kill -s $signal $program 2> /dev/null" "$signal"; done

# A signal ends a wait early; the next wait goes on.
while wait "$program"; code=$?; kill -0 "$program" 2> /dev/null; do :; done
exit "$code"
