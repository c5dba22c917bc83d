# The papers' compressors: round trips through their files, damage, and parameters out of range.
doubles 5000 in.f64
floats 5000 in.f32
for name in fpc pfpc gfc holt mpc; do
  expect 0 fpsynth baseline $name compress in.f64 out.$name
  expect 0 fpsynth baseline $name decompress out.$name back.$name
  same in.f64 back.$name
  # An existing output is not changed.
  expect 1 fpsynth baseline $name compress in.f64 out.$name
  says '--force'
  # Half a file is refused.
  head -c $(($(size out.$name) / 2)) out.$name >half.$name
  expect 1 fpsynth baseline $name decompress half.$name none
  says "half.$name"
  absent none
  # So is a file of another format.
  expect 1 fpsynth baseline $name decompress in.f64 none
  absent none
  expect 1 fpsynth baseline $name compress missing.f64 none
  says 'missing.f64'
  absent none
  expect 0 fpsynth baseline $name compress --help
done
for name in holt mpc; do
  expect 0 fpsynth baseline $name compress in.f32 single.$name
  expect 0 fpsynth baseline $name decompress single.$name single.back
  same in.f32 single.back
  expect 0 fpsynth baseline $name compress in.f32 named.$name --precision single
  same named.$name single.$name
  expect 0 fpsynth baseline $name compress in.f32 words.$name --type f64
  ! cmp -s words.$name single.$name || not_ok "--type f64 makes no difference to $name"
  expect 2 fpsynth baseline $name compress in.f32 none --type f64 --precision single
  rm single.back
done
# Formats that only hold doubles.
for name in fpc pfpc gfc; do
  expect 1 fpsynth baseline $name compress in.f32 none
  says 'in\.f32 holds singles, and .* files hold doubles.*--type f64'
  absent none
  expect 0 fpsynth baseline $name compress in.f32 bytes.$name --type f64
  expect 0 fpsynth baseline $name compress --help
  prints 'has no checksum'
  expect 0 fpsynth baseline $name decompress --help
  prints 'has no checksum'
done
# shellcheck disable=SC2094 # in.f64 is only read
"$fpsynth" baseline gfc compress --chunks 7 --dim 3 --type f64 - - <in.f64 | "$fpsynth" baseline gfc decompress - - |
  cmp -s - in.f64 || not_ok 'gfc through pipes'

# --backend auto writes the same files on a GPU or the CPU.
for name in gfc holt; do
  expect 0 fpsynth baseline $name compress in.f64 auto.$name --backend auto
  same auto.$name out.$name
  expect 0 fpsynth baseline $name decompress out.$name auto.back --backend auto --force
  same auto.back in.f64
  if "$fpsynth" baseline $name compress in.f64 gpu.$name --backend cuda 2>.err; then
    same gpu.$name out.$name
  else
    says 'no GPU to run on: .*--backend cpu'
    expect 1 fpsynth baseline $name decompress out.$name none --backend cuda
    expect 0 fpsynth baseline $name compress in.f64 said.$name --backend auto
    [[ -z $err ]] || says 'running on the CPU: '
  fi
  expect 2 fpsynth baseline $name compress in.f64 none --backend gpu
  expect 2 fpsynth baseline $name decompress out.$name none --device 0
  says '--device 0 goes with --backend'
  absent none
done

printf xyz | cat in.f64 - >tail.f64
for name in fpc pfpc gfc; do
  expect 1 fpsynth baseline $name compress tail.f64 none
  says 'tail.f64'
done
expect 0 fpsynth baseline holt compress tail.f64 tail.holt
expect 0 fpsynth baseline holt decompress tail.holt tail.back
same tail.f64 tail.back

expect 2 fpsynth baseline gfc compress --dim 33 in.f64 none
expect 2 fpsynth baseline gfc compress --chunks 65536 in.f64 none
expect 2 fpsynth baseline pfpc compress --table-bits 99 in.f64 none
expect 2 fpsynth baseline pfpc compress --instances 0 in.f64 none
expect 2 fpsynth baseline pfpc compress --threads 0 in.f64 none
says '--instances'
expect 2 fpsynth baseline mpc compress --dim 65 in.f64 none
expect 2 fpsynth baseline lossy compress in.f64 none
absent none
# An automatic choice is reported.
expect 0 fpsynth baseline mpc compress --dim auto in.f64 auto.mpc
says 'dimensionality [0-9]+'

expect 0 fpsynth baseline pfpc sweep in.f64 --tables 8 --instances 1,2 --chunks 16,64 --csv
prints 'ratio'
# The old name of --instances still works.
expect 0 fpsynth baseline pfpc compress in.f64 new.pfpc --instances 3
expect 0 fpsynth baseline pfpc compress in.f64 old.pfpc --threads 3
same new.pfpc old.pfpc
expect 0 fpsynth baseline pfpc sweep in.f64 --tables 8 --threads 1,2 --chunks 16,64 --csv
[[ $(grep -c '^in,8,' .out) == 4 ]] || not_ok 'not a row for each setting'
expect 0 fpsynth baseline gfc sweep in.f64 --dim 1 --chunks 1,10 --json
