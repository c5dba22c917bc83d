# cmake -DPROGRAM=... -DVERSION=... -DOUT=... -P man.cmake: writes a man page for the program and one
# for each of its commands into the folder OUT, from what --help prints; or, if OUT ends with .md,
# docs/reference.md. (help2man describes programs without commands.)
function(help result)
  execute_process(COMMAND ${PROGRAM} ${ARGN} --help OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Escapes a text for troff.
function(escaped result text)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# The names that the text lists as subcommands.
function(subcommands result text)
  set(names "")
  string(FIND "${text}" "\nSubcommands:\n" begin)
  if(begin GREATER -1)
    math(EXPR begin "${begin} + 1")
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "${text}" "\n\n" end)
    string(SUBSTRING "${text}" 0 ${end} text)
    string(REGEX MATCHALL "\n  [a-z][a-z0-9-]*" names "${text}")
    list(TRANSFORM names STRIP)
  endif()
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# Appends a command and those below it to `page`.
set(page "")
function(add_command)
  help(text ${ARGN})
  string(JOIN " " title fpsynth ${ARGN})
  if(OUT MATCHES "\\.md$")
    string(APPEND page "\n## ${title}\n\n```\n${text}```\n")
  else()
    escaped(text_in_page "${text}")
    string(APPEND page ".SS ${title}\n.nf\n${text_in_page}.fi\n")
  endif()
  subcommands(names "${text}")
  foreach(name ${names})
    add_command(${ARGN} ${name})
  endforeach()
  set(page "${page}" PARENT_SCOPE)
endfunction()

# Writes the man page of a command, or of fpsynth. The first line of a help is its summary.
function(write_page see_also)
  string(JOIN "-" name fpsynth ${ARGN})
  help(text ${ARGN})
  if(NOT text MATCHES "^(fpsynth: )?([^\n]+)\n(.+)$")
    message(FATAL_ERROR "the first line of ${name}'s --help does not say what it is: ${text}")
  endif()
  escaped(summary "${CMAKE_MATCH_2}")
  escaped(body "${CMAKE_MATCH_3}")
  if(ARGN)
    subcommands(names "${text}")
    foreach(command ${names})
      add_command(${ARGN} ${command})
    endforeach()
    if(page)
      string(PREPEND page ".SH COMMANDS\n")
    endif()
  else()
    set(page ".SH EXIT STATUS
0 is success, 1 a failure at run time, 2 a wrong call.
Messages go to standard error.
")
  endif()
  string(REPLACE "-" "\\-" name_in_text "${name}")
  string(TOUPPER "${name}" title)
  string(TIMESTAMP date "%Y-%m-%d" UTC)
  file(WRITE ${OUT}/${name}.1
".TH ${title} 1 ${date} \"fpsynth ${VERSION}\" \"User Commands\"
.SH NAME
${name_in_text} \\-
${summary}
.SH DESCRIPTION
.nf
${body}.fi
${page}.SH SEE ALSO
${see_also}
")
endfunction()

help(text)
subcommands(names "${text}")
if(NOT names)
  message(FATAL_ERROR "fpsynth --help lists no commands: ${text}")
endif()
if(OUT MATCHES "\\.md$")
  foreach(name ${names})
    add_command(${name})
  endforeach()
  file(WRITE ${OUT} "# Reference\n\n```\n${text}```\n${page}")
  return()
endif()
list(TRANSFORM names REPLACE "(.+)" ".BR fpsynth\\\\-\\1 (1)" OUTPUT_VARIABLE pages)
list(JOIN pages ",\n" pages)
write_page("${pages}")
foreach(name ${names})
  write_page(".BR fpsynth (1)" ${name})
endforeach()
