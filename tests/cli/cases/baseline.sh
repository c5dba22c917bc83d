# The papers' compressors: round trips through their files, damage, and parameters out of range.
doubles 5000 in.f64
floats 5000 in.f32
for name in fpc pfpc gfc holt mpc; do
  expect 0 fpsynth baseline $name in.f64 out.$name
  expect 0 fpsynth baseline $name --decompress out.$name back.$name
  same in.f64 back.$name
  # An existing output is not changed.
  expect 1 fpsynth baseline $name in.f64 out.$name
  says '--force'
  # Half a file is refused.
  head -c $(($(size out.$name) / 2)) out.$name >half.$name
  expect 1 fpsynth baseline $name --decompress half.$name none
  says "half.$name"
  absent none
  # So is a file of another format.
  expect 1 fpsynth baseline $name --decompress in.f64 none
  absent none
  expect 1 fpsynth baseline $name missing.f64 none
  says 'missing.f64'
  absent none
done
for name in holt mpc; do
  expect 0 fpsynth baseline $name in.f32 single.$name
  expect 0 fpsynth baseline $name --decompress single.$name single.back
  same in.f32 single.back
  expect 0 fpsynth baseline $name in.f32 words.$name --type f64
  ! cmp -s words.$name single.$name || not_ok "--type f64 makes no difference to $name"
  rm single.back
done
# Formats that only hold doubles.
for name in fpc pfpc gfc; do
  expect 1 fpsynth baseline $name in.f32 none
  says 'in\.f32 holds singles, and .* files hold doubles.*--type f64'
  absent none
  expect 0 fpsynth baseline $name in.f32 bytes.$name --type f64
  expect 0 fpsynth baseline $name --help
  prints 'has no checksum'
done
# shellcheck disable=SC2094 # in.f64 is only read
"$fpsynth" baseline gfc --chunks 7 --dim 3 --type f64 - - <in.f64 | "$fpsynth" baseline gfc --decompress - - |
  cmp -s - in.f64 || not_ok 'gfc through pipes'

# --backend auto writes the same files on a GPU or the CPU.
for name in gfc holt; do
  expect 0 fpsynth baseline $name in.f64 auto.$name --backend auto
  same auto.$name out.$name
  expect 0 fpsynth baseline $name --decompress out.$name auto.back --backend auto --force
  same auto.back in.f64
  if "$fpsynth" baseline $name in.f64 gpu.$name --backend cuda 2>.err; then
    same gpu.$name out.$name
  else
    says 'no GPU to run on: .*--backend cpu'
    expect 1 fpsynth baseline $name --decompress out.$name none --backend cuda
    expect 0 fpsynth baseline $name in.f64 said.$name --backend auto
    [[ -z $err ]] || says 'running on the CPU: '
  fi
  expect 2 fpsynth baseline $name in.f64 none --backend gpu
  expect 2 fpsynth baseline $name --decompress out.$name none --device 0
  says '--device 0 goes with --backend'
  absent none
done

printf xyz | cat in.f64 - >tail.f64
for name in fpc pfpc gfc; do
  expect 1 fpsynth baseline $name tail.f64 none
  says 'tail.f64'
done
expect 0 fpsynth baseline holt tail.f64 tail.holt
expect 0 fpsynth baseline holt --decompress tail.holt tail.back
same tail.f64 tail.back

expect 2 fpsynth baseline gfc --dim 33 in.f64 none
expect 2 fpsynth baseline gfc --chunks 65536 in.f64 none
expect 2 fpsynth baseline pfpc --table-bits 99 in.f64 none
expect 2 fpsynth baseline pfpc --instances 0 in.f64 none
expect 2 fpsynth baseline pfpc --threads 3 in.f64 none
says '\-\-threads goes with --decompress'
expect 2 fpsynth baseline gfc --decompress out.gfc none --chunks 3
says '\-\-decompress excludes --chunks'
expect 2 fpsynth baseline holt --decompress out.holt none --type f32
says '\-\-type says'
expect 2 fpsynth baseline mpc --dim 65 in.f64 none
expect 2 fpsynth baseline lossy in.f64 none
absent none
# An automatic choice is reported.
expect 0 fpsynth baseline mpc --dim auto in.f64 auto.mpc
says 'dimensionality [0-9]+'

expect 0 fpsynth baseline sweep pfpc in.f64 --tables 8 --threads 1,2 --chunks 16,64 --csv
[[ $(grep -c '^in,8,' .out) == 4 ]] || not_ok 'not a row for each setting'
expect 0 fpsynth baseline sweep gfc in.f64 --dim 1 --chunks 1,10 --json
