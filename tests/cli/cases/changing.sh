# Inputs that become shorter, or are overwritten, while they are read: an error that says so, no
# output, no crash. Whether a command notices the change depends on timing;
# tests/synth/common/mapped_file_test.cpp and others test the cases in which it must.
doubles 500000 in.f64
expect 0 fpsynth compress "LNV1s ZE" in.f64 in.fps
expect 0 fpsynth baseline gfc in.f64 in.gfc
expect 0 fpsynth baseline holt in.f64 in.holt
expect 0 fpsynth baseline fpc in.f64 in.fpc
expect 0 fpsynth baseline pfpc in.f64 in.pfpc --instances 3

# Decoding to a full pipe waits with its input mapped, so it must notice the change.
mkfifo pipe
cp in.fps victim
"$fpsynth" decompress victim pipe --threads 1 2>.err &
process=$!
exec 3<pipe
head -c 1 <&3 >/dev/null
truncate -s 5000 victim
cat <&3 >/dev/null
exec 3<&-
wait $process
status=$? last='decompress of a file that becomes shorter' err=$(cat .err)
((status == 1)) || not_ok "exit status $status instead of 1: $last"
says '^fpsynth: victim became shorter while it was read'

change() {
  if [[ $1 == shorter ]]; then
    truncate -s 5000 victim
  else
    dd if=/dev/urandom of=victim bs=65536 count=20 seek=1 conv=notrunc status=none
  fi
}
met=0
# while_it_changes FILE COMMAND...: the command on FILE, called victim, which changes at some time.
while_it_changes() {
  local file=$1 how status
  shift
  for how in shorter other; do
    cp "$file" victim
    rm -f out
    "$fpsynth" "$@" >.out 2>.err &
    process=$!
    sleep 0.0$((RANDOM % 9))
    change $how
    wait $process
    status=$? last="$* ($how)" err=$(cat .err)
    # 0: it was faster, or has no checksum and did not read what changed.
    ((status == 0 || status == 1)) || not_ok "exit status $status: $last"
    if ((status == 1)); then
      grep -q . .err || not_ok "no message: $last"
      absent out
      ! grep -qE 'became shorter|changed while' .err || met=$((met + 1))
    fi
  done
}
while_it_changes in.f64 compress "LNV6s BIT LNV1s ZE" victim out --type f64
while_it_changes in.fps decompress victim out
while_it_changes in.fps inspect --verify victim
while_it_changes in.f64 baseline gfc victim out --type f64
while_it_changes in.f64 baseline holt victim out --type f64
while_it_changes in.f64 baseline fpc victim out --type f64
while_it_changes in.f64 baseline pfpc victim out --instances 3 --type f64
while_it_changes in.f64 baseline mpc victim out --dim 2 --type f64
while_it_changes in.gfc baseline gfc --decompress victim out
while_it_changes in.holt baseline holt --decompress victim out
while_it_changes in.fpc baseline fpc --decompress victim out
while_it_changes in.pfpc baseline pfpc --decompress victim out
while_it_changes in.f64 data info victim --type f64
echo "$met of 27 changes were met"
! find . -name '.fpsynth-*' | grep . || not_ok 'temporary files were left behind'
