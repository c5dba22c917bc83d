# The tests of one executable, listed when ctest starts. The including file sets
#   executable  the path of the executable, before which `launcher` stands
#   prefix      the beginning of the tests' names, and their label unless a marker gives another
#   whole       TRUE: the tests of a suite with the same label are one test, run in one process, which
#               saves a start under sanitizers for each of them
#   properties  what set_tests_properties() is given for all of them
#
# Markers stand in front of a test's, a suite's, an instantiation's or a parameter's name, as GoogleTest's
# own DISABLED_ does; no name in CamelCase holds one by chance. tests/style/style_test.sh refuses others.
if(NOT EXISTS ${executable})
  add_test(${prefix}.not_built ${executable})
  set_tests_properties(${prefix}.not_built PROPERTIES LABELS ${prefix})
  return()
endif()
execute_process(COMMAND ${launcher} ${executable} --gtest_list_tests OUTPUT_VARIABLE listing
                RESULT_VARIABLE status ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${executable} --gtest_list_tests: ${status}\n${listing}${errors}")
endif()

# label_of(<variable> <name>): the label of "suite.test".
function(label_of variable name)
  foreach(marker LONG EXHAUSTIVE GPU PTX)
    string(REGEX MATCH "(^|[./_])${marker}_" ${marker} "${name}")
  endforeach()
  set(label ${prefix})
  if(GPU)
    set(label gpu)
  elseif(EXHAUSTIVE OR (PTX AND LONG))
    set(label exhaustive)
  elseif(PTX)
    set(label ptx)
  elseif(LONG)
    set(label long)
  endif()
  set(${variable} ${label} PARENT_SCOPE)
endfunction()

# The suites that take longest under sanitizers, where each is one test: they begin first.
set(longest "AllTeams/Stages|SizesBeside|Structures/|PreludeSteps/|StaticPreludeCodec|StaticSideCodec|Measures"
            "Choose|PreludeSearch|Emulated/Devices|SearchOnRanks|RacesO")
list(JOIN longest "|" longest)

# declare(<name> <filter> <label>)
function(declare name filter label)
  add_test(${prefix}.${name} ${launcher} ${executable} --gtest_filter=${filter})
  # A process all of whose tests were skipped counts as skipped; one with a failure never does.
  set_tests_properties(${prefix}.${name} PROPERTIES LABELS ${label} ${properties}
    SKIP_REGULAR_EXPRESSION "\\[  PASSED  \\] 0 tests\\.\n(\\[  SKIPPED \\] [^\n]*\n)+\n*$")
  if(whole AND name MATCHES "^(${longest})")
    set_tests_properties(${prefix}.${name} PROPERTIES COST 1)
  endif()
  if(label STREQUAL "gpu")
    # Each would take the memory that the others count on.
    set_tests_properties(${prefix}.${name} PROPERTIES RESOURCE_LOCK gpu)
  endif()
endfunction()

string(REGEX REPLACE "[ \t]*#[^\n]*" "" listing "${listing}")
string(REPLACE "\n" ";" listing "${listing}")
set(labels "")  # of the tests of the suite that are in filter_<label>
list(APPEND listing "end.")
foreach(line IN LISTS listing)
  if(line MATCHES "^([^ ].*)\\.$")
    foreach(label ${labels})
      set(name ${suite})
      if(NOT label STREQUAL prefix)
        set(name ${suite}.${label})
      endif()
      declare(${name} "${filter_${label}}" ${label})
      unset(filter_${label})
    endforeach()
    set(labels "")
    set(suite ${CMAKE_MATCH_1})
  elseif(line MATCHES "^  (.+)$")
    set(test ${suite}.${CMAKE_MATCH_1})
    label_of(label ${test})
    if(whole)
      list(APPEND labels ${label})
      list(REMOVE_DUPLICATES labels)
      set(separator "")
      if(DEFINED filter_${label})
        set(separator ":")
      endif()
      string(APPEND filter_${label} "${separator}${test}")
    else()
      declare(${test} ${test} ${label})
    endif()
  endif()
endforeach()
