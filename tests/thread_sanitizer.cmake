# Finds out how ThreadSanitizer works here, if it does. Sets
#   thread_sanitizer_environment   what tests need in theirs
#   thread_sanitizer_launcher      what to start them with
#   thread_sanitizer_lack          why they cannot run; empty where they can
#   thread_sanitizer_idle          the sources of tests in which it has nothing to find, which are left out
#
# It sees the barriers of OpenMP only through Archer, a library beside libomp, which some
# distributions ship broken. And that of older compilers cannot start where the kernel randomizes
# addresses widely; switching that off for the process helps, where it is allowed. So both are tried
# on a program without a race.
get_filename_component(libomp_folder "${OpenMP_omp_LIBRARY}" REALPATH)
get_filename_component(libomp_folder "${libomp_folder}" DIRECTORY)
file(GLOB llvm_folders /usr/lib/llvm-*/lib)
find_file(FPSYNTH_ARCHER libarcher.so PATHS ${libomp_folder} ${llvm_folders} NO_DEFAULT_PATH)
set(thread_sanitizer_environment "OMP_TOOL_LIBRARIES=${FPSYNTH_ARCHER}")
set(thread_sanitizer_launcher "")
set(thread_sanitizer_lack "")

# None of their tests starts a thread: `strace -f -e trace=clone,clone3` saw none with OMP_NUM_THREADS=4.
# Those of real_data_test.cpp are all LONG_.
set(thread_sanitizer_idle
    "/codec/(gpu/|cpu/(chunk_coder|codec_choice)_|format/(container|description)_|matches_)"
    "/search/((five_stages|real_data|work_items)_|race/(division|entrants)_|structure/)")
list(JOIN thread_sanitizer_idle "|" thread_sanitizer_idle)

set(probe ${CMAKE_CURRENT_BINARY_DIR}/race_free)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -O1 -fopenmp -fsanitize=thread -o ${probe}
                        ${CMAKE_CURRENT_LIST_DIR}/support/probes/race_free.cpp
                RESULT_VARIABLE status OUTPUT_VARIABLE log ERROR_VARIABLE log)
if(NOT status EQUAL 0)
  set(thread_sanitizer_lack "${CMAKE_CXX_COMPILER} cannot link OpenMP with ThreadSanitizer")
else()
  foreach(launcher "" "setarch;${CMAKE_HOST_SYSTEM_PROCESSOR};-R")
    execute_process(COMMAND ${CMAKE_COMMAND} -E env ${thread_sanitizer_environment}
                            TSAN_OPTIONS=ignore_noninstrumented_modules=1 ${launcher} ${probe}
                    RESULT_VARIABLE status OUTPUT_VARIABLE log ERROR_VARIABLE log)
    if(status EQUAL 0)
      set(thread_sanitizer_launcher "${launcher}")
      break()
    endif()
    if(log MATCHES "data race")
      set(thread_sanitizer_lack
          "the Archer of this libomp does not work, every barrier would look like a race")
      break()
    endif()
  endforeach()
  if(NOT status EQUAL 0 AND NOT thread_sanitizer_lack)
    set(thread_sanitizer_lack "ThreadSanitizer does not start on this kernel")
  endif()
endif()
if(thread_sanitizer_lack)
  message(STATUS "No tests under ThreadSanitizer: ${thread_sanitizer_lack}\n${log}")
endif()
