# cmake -DFUZZER=... -DSEEDS=... -DCORPUS=... -P run_fuzzer.cmake: a brief run on a copy of the seeds.
# Brief in runs, not in seconds, so that a slow or busy machine tries no less: FPSYNTH_FUZZ_RUNS of
# them, as the test presets set it, or 20,000.
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
