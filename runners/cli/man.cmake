# cmake -DPROGRAM=... -DVERSION=... -DOUT=... -P man.cmake: writes the man page from the --help of
# the program and of each of its commands, or, if OUT ends with .md, docs/reference.md. (help2man
# describes programs without commands.)
function(help result)
  execute_process(COMMAND ${PROGRAM} ${ARGN} --help OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Escapes a text so that troff prints it unchanged, line by line.
function(verbatim result text)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${result} ".nf\n${text}.fi\n" PARENT_SCOPE)
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

set(page "")
function(add_command)
  help(text ${ARGN})
  string(JOIN " " title fpsynth ${ARGN})
  if(OUT MATCHES "\\.md$")
    string(APPEND page "\n## ${title}\n\n```\n${text}```\n")
  else()
    verbatim(body "${text}")
    string(APPEND page ".SS ${title}\n${body}")
  endif()
  subcommands(names "${text}")
  foreach(name ${names})
    add_command(${ARGN} ${name})
  endforeach()
  set(page "${page}" PARENT_SCOPE)
endfunction()

help(text)
string(REGEX MATCH "^fpsynth: ([^\n]*)\n" line "${text}")
set(summary "${CMAKE_MATCH_1}")
if(NOT summary)
  message(FATAL_ERROR "the first line of fpsynth --help does not say what it is: ${text}")
endif()
subcommands(names "${text}")
if(NOT names)
  message(FATAL_ERROR "fpsynth --help lists no commands: ${text}")
endif()
foreach(name ${names})
  add_command(${name})
endforeach()
if(OUT MATCHES "\\.md$")
  file(WRITE ${OUT} "# Reference\n\n```\n${text}```\n${page}")
  return()
endif()
verbatim(overview "${text}")
file(WRITE ${OUT}
".TH FPSYNTH 1 \"\" \"fpsynth ${VERSION}\" \"User Commands\"
.SH NAME
fpsynth \\- ${summary}
.SH SYNOPSIS
.B fpsynth
\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...
.SH DESCRIPTION
${overview}.SH COMMANDS
${page}.SH EXIT STATUS
0 is success, 1 a failure at run time, 2 a wrong call. Messages go to standard error.
")
