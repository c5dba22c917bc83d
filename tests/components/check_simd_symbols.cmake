# cmake -DNM=nm -DLEVEL=avx2 -DOBJECTS=a.o;b.o -P check_simd_symbols.cmake
#
# If an inline function or template does not have the level in its name, the linker may keep this
# copy for every caller, and it crashes on a processor without that level. Therefore every weak
# symbol that these objects define must have the level in its name.
set(offenders "")
set(checked 0)
foreach(object ${OBJECTS})
  execute_process(COMMAND ${NM} --demangle --defined-only ${object}
                  OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${NM} cannot read ${object}")
  endif()
  string(REPLACE ";" "," symbols "${symbols}")
  string(REPLACE "[" "(" symbols "${symbols}")
  string(REPLACE "]" ")" symbols "${symbols}")
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(line ${symbols})
    math(EXPR checked "${checked} + 1")
    if(line MATCHES "^[0-9a-f]* +[WVu] (.*)$")
      set(symbol "${CMAKE_MATCH_1}")
      string(TOLOWER "${symbol}" lower)
      # The typeinfo and personality references of the ABI hold data, not code for a level.
      if(NOT lower MATCHES "${LEVEL}" AND NOT symbol MATCHES "^DW\\.ref\\.")
        string(APPEND offenders "\n  ${symbol}")
      endif()
    endif()
  endforeach()
endforeach()
if(checked EQUAL 0)
  message(FATAL_ERROR "no symbols found in ${OBJECTS}")
endif()
if(offenders)
  message(FATAL_ERROR "weak symbols without '${LEVEL}' in their name:${offenders}")
endif()
