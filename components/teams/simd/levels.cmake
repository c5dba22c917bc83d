# The instruction sets, slowest first, and the compiler options that enable them.
# FPSYNTH_LEVELS names those that a program is built with, for machines that have them.
set(FPSYNTH_LEVELS "baseline;avx2;avx512" CACHE STRING "Instruction sets to build for; always with baseline")
set(simd_levels ${FPSYNTH_LEVELS})
set(simd_flags_baseline "")
set(simd_flags_avx2 -mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt)
set(simd_flags_avx512 ${simd_flags_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd
    -mavx512vbmi -mavx512vbmi2 -mavx512bitalg -mavx512vpopcntdq -mgfni -mprefer-vector-width=512)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC bug 105593: false alarms inside its own intrinsics headers.
  set(simd_flags_all -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
