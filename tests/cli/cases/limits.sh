# Limits of the system, inputs without an end, names that are too long: messages that name the cause.
doubles 20000 in.f64

# limited COMMAND ULIMIT...: the command under a limit, with exit status 1 and nothing left behind.
limited() {
  local command=$1
  shift
  last="$command under ulimit $*"
  # shellcheck disable=SC2086 # words of the command
  (ulimit "$@" && exec "$fpsynth" $command >.out 2>.err </dev/null)
  local status=$?
  out=$(cat .out) err=$(cat .err)
  ((status == 1)) || not_ok "exit status $status instead of 1: $last"
}
limited 'compress NUL|ZE in.f64 out.fps' -f 16
says '^fpsynth: cannot write out\.fps: file too large; raise .*ulimit -f'
absent out.fps
limited 'search in.f64 --backend cpu --sample 10 --verify none --out found' -f 16
says '^fpsynth: cannot write found/.*ulimit -f'
! find found -name '*.double.json' -o -name '.fpsynth-*' | grep . || not_ok 'files were left behind'
# The smallest limit with which the program loads its libraries allows one file, and it needs two.
for ((files = 4; files < 100; files++)); do
  (
    ulimit -n "$files"
    exec "$fpsynth" compress ZE in.f64 out.fps
  ) 2>.err
  status=$? err=$(cat .err) last="compress under ulimit -n $files"
  ((status == 127)) || break
done
if grep -q Sanitizer .err; then
  echo 'the sanitizer itself needs files: ulimit -n is left out'
else
  ((status == 1)) || not_ok "exit status $status instead of 1: $last"
  says '^fpsynth: .*too many open files; raise .*ulimit -n'
fi
absent out.fps
# Address space: not for sanitizers, which need terabytes of it.
if (ulimit -v 200000 && "$fpsynth" --version) >/dev/null 2>&1; then
  export OMP_NUM_THREADS=2
  limited 'data make num_lorenz --bytes 900M --out made' -v 200000
  says '^fpsynth: not enough memory.*ulimit -v'
  ! find made -type f | grep . || not_ok 'files were left behind'
  truncate -s 300M large.f64
  # The file, 100 MB of a program with GPU code as text, and less than the values need.
  limited 'data info large.f64' -v 430000
  says 'not enough memory for large.f64 of 314572800 bytes'
  # What would need more memory than there is, and 100 KB that claim 300 MB.
  truncate -s 300M zeros.f64
  expect 0 fpsynth compress 'LAGs:1 / BINS' zeros.f64 held.fps
  expect 0 fpsynth compress BINS zeros.f64 claims.fps --chunk-words 4096
  (($(size claims.fps) < 300000)) || not_ok "$(size claims.fps) bytes of zeros"
  for name in held claims; do
    limited "decompress $name.fps out.f64" -v 250000
    says "^fpsynth: $name\.fps: its original has 314572800 bytes, more than 256000000, this machine's memory; give --any-size"
    limited "inspect $name.fps --verify" -v 250000
    says "--any-size"
  done
  absent out.f64
  (ulimit -v 250000 && exec "$fpsynth" decompress claims.fps out.f64 --any-size) || not_ok '--any-size is not taken'
  same zeros.f64 out.f64
  rm zeros.f64 out.f64
else
  echo 'this program does not run with little memory: ulimit -v is left out'
fi

# Devices have no end.
for command in 'compress ZE /dev/zero out' 'decompress /dev/zero out' 'inspect /dev/urandom' \
  'baseline gfc --decompress /dev/urandom out' 'search --study /dev/zero' 'search /dev/zero' \
  'search --study /dev/urandom' 'data list --registry /dev/zero' 'data decode /dev/zero out'; do
  # shellcheck disable=SC2086 # words of the command
  expect 1 timeout 60 "$fpsynth" $command
  says '^fpsynth: .*/dev/(zero|urandom).*(device|regular file)'
  absent out
done
# Neither have pipes from devices; they are refused as containers by their first bytes.
for command in 'decompress - out' 'inspect -' 'baseline mpc --decompress - out'; do
  last="$command < /dev/zero" out=''
  # shellcheck disable=SC2086 # words of the command
  timeout 60 "$fpsynth" $command < <(cat /dev/zero) 2>.err
  status=$? err=$(cat .err)
  ((status == 1)) || not_ok "exit status $status instead of 1: $last"
  says '^fpsynth: standard input: .*fpsynth compress'
  absent out
done
last='a study without an end' out=''
timeout 60 "$fpsynth" search --study /dev/stdin < <(cat /dev/zero) 2>.err
status=$? err=$(cat .err)
((status == 1)) || not_ok "exit status $status instead of 1: $last"
says '^fpsynth: .*more than 64 MiB'

# A name that is too long for its document is refused before the search, any other is accepted.
long=$(printf 'a%.0s' {1..200})
mv in.f64 "$long.f64"
expect 0 fpsynth search "$long.f64" --backend cpu --sample 10 --verify none --out found
exists "found/$long.double.json"
expect 0 fpsynth compress ZE "$long.f64" "$long.compressed.fps"
mv "$long.f64" "${long}a.f64"
expect 2 fpsynth search "${long}a.f64" --backend cpu --verify none --out other
says '^fpsynth: .*cannot be a file name; choose one of 1 to 200 bytes'
! find other -name '*.double.json' | grep . || not_ok 'it searched first'
