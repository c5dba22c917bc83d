# Standard streams that are closed, full or without a reader; a terminal that goes away.
if [[ ! -c /dev/full ]]; then skip 'there is no /dev/full'; fi
doubles 20000 in.f64
expect 0 fpsynth compress "LNV1s ZE" in.f64 good.fps

# ended STATUS: compares the exit status of the previous command.
ended() {
  local status=$?
  ((status == $1)) || not_ok "exit status $status instead of $1: $last"
}

# Messages that cannot be written do not end the program.
last='messages to nowhere' out='' err=''
"$fpsynth" compress ZE nofile x.fps 2>&-
ended 1
"$fpsynth" compress ZE nofile x.fps 2>/dev/full
ended 1
"$fpsynth" compress ZE nofile x.fps 2> >(:)
ended 1
absent x.fps
for closed in '>&-' '2>&-' '<&- >&- 2>&-' '2>/dev/full'; do
  last="compress --verbose $closed"
  eval "\"\$fpsynth\" compress --verbose 'LNV1s ZE' in.f64 closed.fps --force $closed"
  ended 0
  same closed.fps good.fps
done
"$fpsynth" --verison 2>/dev/full
ended 2

# A missing standard stream that is needed is an error.
last='compress to a closed standard output'
"$fpsynth" compress ZE in.f64 - >&- 2>.err
ended 1
says 'cannot write standard output: bad file descriptor'
last='compress from a closed standard input'
"$fpsynth" compress ZE - x.fps <&- 2>.err
ended 1
says 'cannot read standard input: bad file descriptor'
absent x.fps
last='inspect to a closed standard output'
"$fpsynth" inspect good.fps >&- 2>.err
ended 1
says '^fpsynth: cannot write to standard output: bad file descriptor'

# A search continues if nobody reads its output, and reports it at its end.
search() { "$fpsynth" search in.f64 --backend cpu --sample 10 --verify none --out "$@"; }
last='search to /dev/full'
search full >/dev/full 2>.err
ended 1
says '^fpsynth: cannot write to standard output: no space left'
exists full/in.double.json
last='search to a pipe without a reader'
{ search unread 2>.err; echo $? >status; } | :
[[ $(cat status) == 1 ]] || not_ok "exit status $(cat status) instead of 1: $last"
says 'broken pipe'
exists unread/in.double.json
last='search without streams'
search closed <&- >&- 2>&-
ended 1
exists closed/in.double.json

# A terminal closes during a search: the results so far are kept, and --resume continues.
if ! command -v python3 >/dev/null; then
  echo 'there is no python3: the terminal is left out'
else
  doubles 3000000 long.f64
  python3 - "$fpsynth" >.out 2>.err <<'END_OF_PYTHON'
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], [sys.argv[1], "search", "long.f64", "--backend", "cpu", "--threads", "2",
                           "--out", "lost"])
seen = b""
while b"ETA" not in seen:  # the first line of progress
    seen += os.read(terminal, 1000)
os.close(terminal)
status = os.waitpid(child, 0)[1]
print(os.WTERMSIG(status) if os.WIFSIGNALED(status) else "ended by itself")
END_OF_PYTHON
  last='search in a terminal that goes away' err=$(cat .err)
  [[ $(cat .out) == 1 ]] || not_ok "ended by $(cat .out) instead of SIGHUP: $last"
  exists lost/long.double.json
  expect 0 fpsynth query best --runs lost
  ! find lost -name '.fpsynth-*' | grep . || not_ok 'temporary files were left behind'
fi
