# Any signal that ends the program leaves no temporary file. The next run removes the files that
# SIGKILL leaves, but not those of a running program.
doubles 1000 in.f64
mkfifo pipe

temporary() { find . -maxdepth 1 -name '.fpsynth-*' | wc -l; }
# begin [FILE]: starts a compression, $process, and returns when its temporary file exists and FILE
# does not. The compression waits for its input, the pipe.
begin() {
  # perl, since the shell's background processes ignore some signals.
  # shellcheck disable=SC2016 # perl's variables
  perl -e '$SIG{$_} = "DEFAULT" for qw(INT QUIT HUP); exec @ARGV' "$fpsynth" compress ZE pipe out.fps --type f64 2>.err &
  process=$!
  until (($(temporary) > 0)) && [[ ! -e ${1:-} ]]; do
    kill -0 $process 2>/dev/null || { not_ok 'it did not wait for its input'; return; }
    sleep 0.02
  done
}
for signal in HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM XCPU VTALRM PROF IO SYS; do
  last="compress, ended by SIG$signal"
  begin
  kill -s $signal $process
  wait $process 2>/dev/null
  status=$?
  wanted=$((128 + $(kill -l $signal)))
  # Sanitizers have their own handlers for signals that they report.
  if ! grep -q Sanitizer .err; then
    ((status == wanted)) || not_ok "exit status $status instead of $wanted: $last"
    (($(temporary) == 0)) || not_ok "$(temporary) temporary files left: $last"
  fi
  find . -maxdepth 1 -name '.fpsynth-*' -delete
done
absent out.fps

last='compress, killed'
begin
kill -s KILL $process
wait $process 2>/dev/null
(($(temporary) == 1)) || not_ok 'a killed program leaves its temporary file'
last='compress, after one that was killed'
begin "$(find . -name '.fpsynth-*')"
(($(temporary) == 1)) || not_ok "$(temporary) temporary files instead of the living program's"
expect 0 fpsynth compress ZE in.f64 other.fps
(($(temporary) == 1)) || not_ok "$(temporary) temporary files: the living program's was removed"
cat in.f64 >pipe
wait $process
same out.fps other.fps
rm -f core*
nothing_else in.f64 out.fps other.fps pipe

# A replaced file keeps its permissions.
for mode in 600 640 444 755; do
  chmod $mode out.fps
  expect 0 fpsynth compress ZE in.f64 out.fps --force
  [[ $(stat -c %a out.fps) == "$mode" ]] || not_ok "mode $(stat -c %a out.fps) instead of $mode"
done
