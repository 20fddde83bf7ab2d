# Ends what a run leaves behind when its process is gone without a word.
#
# $1     what the marks of its processes begin with; empty where they could not be marked
# $2     NAME=value in the environment of its processes
# stdin  a pipe whose other end the process of the run alone holds; "bye" on it means that nothing is left
trap '' HUP INT QUIT TERM
read -r word
[ "$word" = bye ] && exit 0
cd /proc || exit 1
variable=$2
mark=${1:+"^Max realtime timeout  *$1[0-9]* "}

# Puts the pids of the living processes of the run into $left. Exit codes say nothing here: some file is always gone.
look() {
  found=$(grep -ls -e "${mark:-$variable}" -e "$variable" [0-9]*/limits [0-9]*/environ)
  left=
  [ -n "$found" ] || return
  states=
  for file in $found; do states="$states ${file%/*}/status"; done
  # A zombie keeps its limits.
  for file in $(grep -Ls '^State:.[ZX]' $states); do left="$left ${file%/*}"; done
}

# First politely, each of them once.
told=
for pause in 0.01 0.02 0.04 0; do
  look
  [ -n "$left" ] || break
  for pid in $left; do
    case "$told " in
      *" $pid "*) ;;
      *)
        told="$told $pid"
        kill -s TERM "$pid" 2>/dev/null && kill -s CONT "$pid" 2>/dev/null
        ;;
    esac
  done
  sleep $pause 2>/dev/null
done

# Two looks in a row have to find nothing. Who forks faster than we look shows up in one of the later looks. What cannot
# be killed is given up in the end.
looks=0
for pause in 0 0.05 0.1 0.2; do
  sleep $pause 2>/dev/null
  empty=0
  while [ $empty -lt 2 ] && [ $looks -lt 200 ]; do
    looks=$((looks + 1))
    look
    if [ -n "$left" ]; then
      empty=0
      kill -s KILL $left 2>/dev/null
    else
      empty=$((empty + 1))
    fi
  done
done
