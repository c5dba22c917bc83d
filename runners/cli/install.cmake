# What is installed with the program: man page, completion, studies and spaces, licence.
include(GNUInstallDirs)
set(man ${CMAKE_CURRENT_BINARY_DIR}/fpsynth.1)
add_custom_command(OUTPUT ${man}
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:fpsynth> -DVERSION=${PROJECT_VERSION}
          -DOUT=${man} -P ${CMAKE_CURRENT_LIST_DIR}/man.cmake
  DEPENDS fpsynth ${CMAKE_CURRENT_LIST_DIR}/man.cmake VERBATIM)
add_custom_target(fpsynth_man ALL DEPENDS ${man})
install(FILES ${man} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/completion.bash RENAME fpsynth
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# Where config_file() of studies.cpp finds them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs/studies ${PROJECT_SOURCE_DIR}/configs/spaces
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fpsynth)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
