# cmake -DFUZZER=... -DSEEDS=... -DCORPUS=... -P run_fuzzer.cmake: a brief run on a copy of the seeds.
file(REMOVE_RECURSE ${CORPUS})
file(MAKE_DIRECTORY ${CORPUS})
file(GLOB seeds ${SEEDS}/*)
if(seeds)
  file(COPY ${seeds} DESTINATION ${CORPUS})
endif()
execute_process(COMMAND ${FUZZER} -runs=20000 -max_total_time=20 -timeout=10 -rss_limit_mb=2048
                        -print_final_stats=1 -artifact_prefix=${CORPUS}-
                        ${CORPUS}
                RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the fuzzer ended with status ${status}; its input is ${CORPUS}-*")
endif()
