# What is installed with the program: man pages, completion, licence, and in share/fpsynth what `analysis`
# needs, laid out as in the project.
include(GNUInstallDirs)
set(man ${CMAKE_CURRENT_BINARY_DIR}/man)
add_custom_command(OUTPUT ${man}/fpsynth.1
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:fpsynth> -DVERSION=${PROJECT_VERSION}
          -DOUT=${man} -P ${CMAKE_CURRENT_LIST_DIR}/man.cmake
  DEPENDS fpsynth ${CMAKE_CURRENT_LIST_DIR}/man.cmake VERBATIM)
add_custom_target(fpsynth_man ALL DEPENDS ${man}/fpsynth.1)
install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/completion.bash RENAME fpsynth
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
foreach(folder site-functions vendor-completions)  # under /usr, Debian's zsh looks in the second alone
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/completion.zsh RENAME _fpsynth
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder})
endforeach()
install(FILES ${CMAKE_CURRENT_LIST_DIR}/completion.fish RENAME fpsynth.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
# config_file() of studies.cpp finds configs/ there.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs ${PROJECT_SOURCE_DIR}/analysis
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fpsynth PATTERN __pycache__ EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/results/reference
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fpsynth/results)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
