# Counts of the kernels: rows, JSON, registers.
doubles 5000 wave.f64
expect 0 count_kernels wave.f64 --chunk 2 --stages 1
prints '^search of doubles, counting$'
prints '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +\? +\? +<=[0-9]+ +[0-9.]+  WalkBody<unsigned long, true>$'
for kernel in SumBody 'EncodeKernel<InterpretedProgram<unsigned int> >' 'EncodeKernel<unsigned int>' SizesBody; do
  prints " $kernel\$"
done
prints 'upper bound and nothing else'

# A ptxas of our own, which says the same of every kernel.
mkdir -p toolkit/bin
cat >toolkit/bin/ptxas <<'END'
#!/usr/bin/env bash
[[ $1 == --version ]] && exit
[[ $2 == -arch=sm_90 ]] || exit 1
for name in $(sed -nE 's/^\.visible \.entry ([A-Za-z0-9_]+)\($/\1/p' "$5"); do
  echo "ptxas info    : Compiling entry function '$name' for 'sm_90'"
  echo "ptxas info    : Function properties for $name"
  echo "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads"
  echo "ptxas info    : Used 90 registers, used 1 barriers, 8 bytes cumulative stack size"
done
END
chmod +x toolkit/bin/ptxas
expect 0 env CUDA_HOME="$PWD/toolkit" "${fpsynth:?}" --stages 1 --ptxas
# 65,536 registers of a multiprocessor, 96 a lane: for 2 blocks of 256 lanes, or 21 of 32.
prints '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +90 +4/12 +2 +[0-9.]+  SumBody$'
prints '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +90 +4/12 +21 +[0-9.]+  WalkBody<unsigned int, false>$'
# The 37 KiB of shared memory of a block are in those of a multiprocessor six times.
prints '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +90 +4/12 +6 +[0-9.]+  WalkBody<unsigned long, true>$'
expect 0 env CUDA_HOME="$PWD/toolkit" "$fpsynth" --stages 1 --ptxas --json
for key in first_chunk multiprocessors warp_instructions shared_wavefronts \
  shared_wavefronts_without_conflicts barriers_of_warps upper_bound_bytes_per_second; do
  prints "\"$key\": ?[0-9]"
done
prints '"registers": ?90\b'
prints '"blocks_per_multiprocessor": ?2\b'
printf '#!/bin/sh\nexit 1\n' >toolkit/bin/ptxas
expect 1 env CUDA_HOME="$PWD/toolkit" "$fpsynth" --stages 1 --ptxas
says 'ptxas.*does not run.*leave out --ptxas'
expect 1 count_kernels wave.f64 --chunk 4 --stages 1
says 'wave: there is no chunk 4; its 4 chunks have the numbers from 0'
expect 1 count_kernels nowhere.f64
says 'nowhere\.f64'
expect 2 count_kernels --stages 5
expect 2 count_kernels --chunks 0
