# `cpack` makes a Debian package and an archive of what is installed. Included by the build, and by cpack
# before it makes each of them.
if(NOT CPACK_BUILT_IN)
  set(CPACK_GENERATOR DEB TGZ)
  set(CPACK_PACKAGE_CONTACT "The fpsynth authors")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_FILE})
  set(CPACK_BUILT_IN ${PROJECT_BINARY_DIR})
  include(CPack)
elseif(CPACK_GENERATOR STREQUAL "DEB")
  # The package depends on the libraries of the program, and recommends those of modules and of MPI.
  set(folder ${CPACK_BUILT_IN}/runners/libraries)
  file(WRITE ${folder}/debian/control "")  # which dpkg-shlibdeps wants to see
  file(GLOB parts ${CPACK_BUILT_IN}/lib/fpsynth/*.so ${CPACK_BUILT_IN}/bin/fpsynth-mpi)
  execute_process(COMMAND dpkg-shlibdeps --warnings=0 -O ${CPACK_BUILT_IN}/bin/fpsynth -dRecommends ${parts}
                  WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
  foreach(kind Depends Recommends)
    if(found MATCHES "shlibs:${kind}=([^\n]+)")
      string(TOUPPER ${kind} upper)
      set(CPACK_DEBIAN_PACKAGE_${upper} ${CMAKE_MATCH_1})
    endif()
  endforeach()
endif()
