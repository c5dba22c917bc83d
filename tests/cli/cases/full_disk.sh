# A disk that is full: exit status 1, a reason, nothing half written.
if [[ ! -c /dev/full ]]; then skip 'there is no /dev/full'; fi
doubles 20000 in.f64
expect 0 fpsynth compress "LNV1s ZE" in.f64 good.fps

to_full() {
  last="$* > /dev/full"
  "$@" >/dev/full 2>.err </dev/null
  local status=$?
  out='' err=$(cat .err)
  ((status == 1)) || not_ok "exit status $status instead of 1: $last"
  says 'no space left'
}
to_full "$fpsynth" compress "LNV1s ZE" in.f64 -
to_full "$fpsynth" decompress good.fps -
to_full "$fpsynth" inspect good.fps
to_full "$fpsynth" inspect good.fps --json
to_full "$fpsynth" --help
expect 1 fpsynth compress ZE in.f64 /dev/full
says '/dev/full.*no space left'
expect 1 fpsynth decompress good.fps /dev/full
says '/dev/full.*no space left'

# A small file system, if mounting is allowed; in a separate name space, so that nobody sees it.
mkdir small
if unshare --mount --map-root-user true 2>/dev/null; then
  # shellcheck disable=SC2016 # expanded by the inner shell
  unshare --mount --map-root-user bash -c '
    mount -t tmpfs -o size=64k none small || exit 77
    cp good.fps small/ 2>/dev/null; rm -f small/*
    "$1" compress NUL\ ZE in.f64 small/out.fps 2>compress.err; echo $? >compress.status
    "$1" decompress good.fps small/out.f64 2>decompress.err; echo $? >decompress.status
    "$1" search in.f64 --out small/found --verify none --sample 10 >search.out 2>search.err
    echo $? >search.status
    find small -type f >left
  ' _ "$fpsynth"
  status=$?
  last='writing to a full file system' out=''
  if ((status == 77)); then
    echo 'no tmpfs may be mounted here'
  else
    for command in compress decompress search; do
      err=$(cat $command.err)
      [[ $(cat $command.status) == 1 ]] || not_ok "$command: exit status $(cat $command.status)"
      grep -qi 'no space left' $command.err || not_ok "$command does not say why"
    done
    err=$(cat left)
    ! grep -E 'out\.|\.fpsynth-' left >/dev/null || not_ok 'files were left behind'
  fi
else
  echo 'no name space of mounts here: the small file system is left out'
fi

# A limit on the size of files.
(
  ulimit -f 16
  "$fpsynth" compress "NUL ZE" in.f64 limited.fps 2>.err
)
status=$? err=$(cat .err) last='compress under ulimit -f'
((status == 1)) || not_ok "exit status $status instead of 1: $last"
says 'limited\.fps.*ulimit -f'
absent limited.fps
