# cmake -DCXX=c++ -DFLAGS=-I...;... -DSOURCE=team.cpp -P check_concept.cmake
#
# A file names its concept in its first line, `// Concept: Team`, and uses a type TRIED: with
# -DTRIED=Right it compiles, and with -DTRIED=Wrong the compiler refuses it with a message that names
# the concept.
file(STRINGS ${SOURCE} first LIMIT_COUNT 1)
if(NOT first MATCHES "^// Concept: ([A-Za-z]+)")
  message(FATAL_ERROR "${SOURCE}: the first line is to be `// Concept: <name>`")
endif()
set(concept ${CMAKE_MATCH_1})
foreach(tried Right Wrong)
  execute_process(COMMAND ${CXX} -std=c++20 -fsyntax-only ${FLAGS} -DTRIED=${tried} ${SOURCE}
                  RESULT_VARIABLE status_${tried} OUTPUT_QUIET ERROR_VARIABLE message_${tried})
endforeach()
if(NOT status_Right EQUAL 0)
  message(FATAL_ERROR "${concept} refuses the right type:\n${message_Right}")
endif()
if(status_Wrong EQUAL 0)
  message(FATAL_ERROR "${concept} takes the wrong type")
endif()
# The file's own name, which the message repeats, proves nothing.
string(REPLACE "${SOURCE}" "" message "${message_Wrong}")
if(NOT message MATCHES "(constraint|satisf)" OR NOT message MATCHES "[^A-Za-z]${concept}[^A-Za-z]")
  message(FATAL_ERROR "the message does not name ${concept}:\n${message_Wrong}")
endif()
