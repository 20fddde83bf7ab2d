# Runs the texts that come in, each ended by NUL, one after the other: `bash -c TEXT` in a process group of its own, until
# it and all that it started have ended, or the time is up. What a text may not do without end is limited here.
set -m
ulimit -c 0
ulimit -f 2048
work=$1
alive=$2
shell=$3
[ "$4" = 0 ] || ulimit -u "$4"
while IFS= read -r -d '' text; do
  cd "$work" || exit
  # Every process of the text holds the pipe, so its end is the end of them all. Opened for both first: nobody waits then.
  exec 8<>"$alive" 9<"$alive" 77>"$alive" 8>&-
  {
    ulimit -t 2
    exec "$shell" -c "$text" 9<&- </dev/null >/dev/null 2>&1
  } &
  group=$!
  exec 77>&-
  how=ended
  IFS= read -r -t 1 -d '' -u 9 nothing
  if [ $? -gt 128 ]; then how=late; fi
  exec 9<&-
  kill -KILL -- "-$group" 2>/dev/null
  wait "$group" 2>/dev/null
  printf '%s\n' "$how"
done
