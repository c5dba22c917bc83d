# Ctrl-C in a search leaves a state from which --resume continues to the same figures. (Slow under
# sanitizers: labelled `long`.)
cat >study.json <<'END'
{"name": "interrupted", "data": [{"made": "num_lorenz", "bytes": 98304}],
 "precisions": ["double"], "verify": "all"}
END
export OMP_NUM_THREADS=2 # or many cores are done before they can be interrupted
payload() { tr -d ' \n' <"$1" | grep -o '"payload_bytes":\[[^]]*\]'; }
expect 0 fpsynth search --study study.json --backend cpu --out whole
exists whole/num_lorenz.double.json

# Interrupted again and again, later each time, until it is complete. (--foreground: the signal once,
# only to the program.) On a busy machine the first signals may come before the search begins: they
# end it as any other program.
interruptions=0 early=0
for ((tenths = 3; tenths < 600; tenths += tenths / 2)); do
  last="fpsynth search, interrupted after $tenths tenths of a second"
  timeout --foreground --preserve-status -s INT "$((tenths / 10)).$((tenths % 10))" "$fpsynth" \
    search --study study.json --backend cpu --out parts --resume >.out 2>.err </dev/null
  status=$?
  out=$(cat .out) err=$(cat .err)
  ((status == 0)) && break
  if ((status == 130)) && [[ -z $err ]]; then
    early=$((early + 1))
    continue
  fi
  # It ends by the signal, so that a loop of a shell ends too.
  ((status == 130)) || not_ok "exit status $status instead of 130: $last"
  says 'interrupted.*--resume'
  # (The signal may come when the search is complete.)
  ! grep -q '"complete":false' parts/*.double.json || prints '; INCOMPLETE: [0-9]+ of [0-9]+ chunks$'
  interruptions=$((interruptions + 1))
done
((status == 0)) || not_ok 'the interrupted search never became complete'
((interruptions > 0 || early == 0)) || not_ok 'no signal led to a state to continue from'
((interruptions > 0)) || echo 'the search was too fast to be interrupted'
[[ $(payload whole/num_lorenz.double.json) == "$(payload parts/num_lorenz.double.json)" ]] ||
  not_ok 'resuming led to other figures'
expect 0 fpsynth query best --runs parts

# Two signals end it at once, and even then a search can continue from the directory.
rm -r parts
timeout --preserve-status -s INT 1 "$fpsynth" search --study study.json --backend cpu --out parts >/dev/null 2>&1 </dev/null
expect 0 fpsynth search --study study.json --backend cpu --out parts --resume
[[ $(payload whole/num_lorenz.double.json) == "$(payload parts/num_lorenz.double.json)" ]] ||
  not_ok 'resuming after two signals led to other figures'
! find parts -name '.fpsynth-*' | grep . || not_ok 'temporary files were left behind'
