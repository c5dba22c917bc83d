# Counts of the kernels: rows, JSON, registers.
doubles 5000 wave.f64
expect 0 count_kernels wave.f64 --chunk 2 --stages 1
prints '^search of doubles, counting$'
prints '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+  WalkBody<unsigned long, true>$'
for kernel in SumBody 'EncodeKernel<InterpretedProgram<unsigned int>, SharedBlocks>' 'EncodeKernel<unsigned int>' SizesBody; do
  prints " $kernel\$"
done
prints 'upper bound and nothing else'

# A toolkit of our own: a "cubin" is the PTX, and every kernel loads, waits for that, adds and ends.
mkdir -p toolkit/bin
cat >toolkit/bin/ptxas <<'END'
#!/usr/bin/env bash
[[ $1 == --version ]] && exit
[[ $2 == -lineinfo && $3 == -arch=sm_90 ]] || exit 1
cp "$6" "$5"
for name in $(sed -nE 's/^\.visible \.entry ([A-Za-z0-9_]+)\($/\1/p' "$6"); do
  echo "ptxas info    : Compiling entry function '$name' for 'sm_90'"
  echo "ptxas info    : Function properties for $name"
  echo "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads"
  echo "ptxas info    : Used 90 registers, used 1 barriers, 8 bytes cumulative stack size"
done
END
cat >toolkit/bin/nvdisasm <<'END'
#!/usr/bin/env bash
[[ $1 == --version ]] && exit
awk '
  function line(number) { printf "\t//## File \".nv_debug_ptx_txt\", line %d\n", number }
  # Stall count, scoreboards to set when written and when read, and those to wait for.
  function put(at, text, stall, written, read, waits) {
    printf "        /*%04x*/    %s ;    /* 0x0000000000000000 */\n", at, text
    printf "                        /* 0x%08x00000000 */\n",
           512 * (stall + 32 * written + 256 * read + 2048 * waits)
  }
  /^\.visible \.entry / { sub(/\(.*/, "", $3); printf ".text.%s:\n", $3; entry = 1 }
  entry && /^[a-z]/ {  # the first instruction of the PTX, which every warp runs once
    entry = 0
    line(1); put(0, "LDG.E R2, [R2.64]", 2, 0, 7, 0)
    line(NR); put(16, "@!P0 IADD3 R1, R2, 0x1, RZ", 4, 7, 7, 1)
    put(32, "EXIT", 5, 7, 7, 0)
  }' "${@: -1}"
END
chmod +x toolkit/bin/*
expect 0 env CUDA_HOME="$PWD/toolkit" "${fpsynth:?}" --stages 1 --sass h100
prints '^ESTIMATE for the H100 .sm_90.*not measured'
# Three instructions: 2 + 4 + 5 cycles, with 30 more until the L1 cache has answered, or 261 for L2.
cycles='^ +[0-9.]+ +3\.67 +13\.67 +90\.67 +0\.00 +90 +4/12'
# 65,536 registers of a multiprocessor, 96 a lane: for 2 blocks of 256 lanes, or 21 of 32. Of 16 warps
# each scheduler has four, which issue once in 13.67, 13.74 / 2, 13.82 / 3, 13.92 / 4 cycles as the
# others come; or in 90.67, ... 90.70 / 4.
range='[0-9.]+ to [0-9.]+'
prints "$cycles +16 +0\.1 +0\.18 to 1\.15 +$range  too few warps, too few warps; SumBody\$"
prints "$cycles +21 +0\.1 +$range +$range  [a-z, ]+; WalkBody<unsigned int, false>\$"
# The 20 KiB of shared memory of a block are in those of a multiprocessor eleven times.
prints "$cycles +11 +0\.1 +$range +$range  [a-z, ]+; WalkBody<unsigned long, true>\$"
prints "^ +$range  search of doubles, verified\$"
expect 0 env CUDA_HOME="$PWD/toolkit" "$fpsynth" --stages 1 --sass H100 --json
for key in first_chunk multiprocessors warp_instructions shared_wavefronts \
  shared_wavefronts_without_conflicts barriers_of_warps upper_bound_bytes_per_second l2_cycles \
  and_latencies and_global_memory_from_l2 fetches 'integer pipe' estimated_bytes_per_second \
  instructions_per_cycle low_bytes_per_second; do
  prints "\"$key\": ?[0-9]"
done
prints '"registers": ?90\b'
prints '"bound": ?"too few warps"'
prints '"quick_cuda": ?(true|false)'
prints '"blocks_per_multiprocessor": ?2\b'
sed -i '/^awk/,$d' toolkit/bin/nvdisasm
echo 'exit 1' >>toolkit/bin/nvdisasm
expect 1 env CUDA_HOME="$PWD/toolkit" "$fpsynth" --stages 1 --sass H100
says 'nvdisasm fails on the program.s kernels for sm_90'
printf '#!/bin/sh\nexit 1\n' >toolkit/bin/ptxas
expect 1 env CUDA_HOME="$PWD/toolkit" "$fpsynth" --stages 1 --sass H100
says 'ptxas.*does not run.*leave out --sass'
expect 2 count_kernels --sass H1000
expect 1 count_kernels wave.f64 --chunk 4 --stages 1
says 'wave: there is no chunk 4; its 4 chunks have the numbers from 0'
expect 0 count_kernels wave.f64 --stages 1 --precision single
prints '^search of singles, verified$'
if grep -q doubles .out; then not_ok "--precision single counts doubles"; fi
expect 1 count_kernels nowhere.f64
says 'nowhere\.f64'
expect 2 count_kernels --stages 5
expect 2 count_kernels --chunks 0
