# cmake -DFUZZER=... -DSEEDS=... -DCORPUS=... -P run_fuzzer.cmake: a short run on a copy of the
# seeds. The number of runs is fixed, not the time, so that a slow or busy machine tries as much:
# FPSYNTH_FUZZ_RUNS runs, which the test presets set, or 20,000.
set(runs 20000)
if(DEFINED ENV{FPSYNTH_FUZZ_RUNS})
  set(runs $ENV{FPSYNTH_FUZZ_RUNS})
endif()
file(REMOVE_RECURSE ${CORPUS})
file(MAKE_DIRECTORY ${CORPUS})
file(GLOB seeds ${SEEDS}/*)
if(seeds)
  file(COPY ${seeds} DESTINATION ${CORPUS})
endif()
execute_process(COMMAND ${FUZZER} -runs=${runs} -timeout=10 -rss_limit_mb=2048
                        -print_final_stats=1 -artifact_prefix=${CORPUS}-
                        ${CORPUS}
                RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the fuzzer ended with status ${status}; its input is ${CORPUS}-*")
endif()
