# shellcheck shell=bash
# The tools that ./run and the tests look for. Sourced by both, in the root of the project.

clang_format=14 # the version whose output is the law for this source tree

# Prints the name of the pinned clang-format; fails where only other versions are installed.
find_clang_format() {
  local candidate
  for candidate in "clang-format-$clang_format" clang-format; do
    if "$candidate" --version 2>/dev/null | grep -q "version $clang_format\."; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# Prints the first Python that has matplotlib.
find_python() {
  local candidate
  for candidate in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
    if "$candidate" -c 'import matplotlib' >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# Prints the first browser of Chromium's family, which prints a page as its scripts leave it.
find_browser() {
  local candidate
  for candidate in ${BROWSER:+"$BROWSER"} chromium-headless-shell chromium chromium-browser google-chrome; do
    if command -v "$candidate" 2>/dev/null; then return; fi
  done
  return 1
}

# Prints the names of all C++ files, each ended by a zero.
cpp_files() {
  git ls-files -z -- '*.cpp' '*.hpp' '*.cc' '*.cu' '*.cuh' 2>/dev/null ||
    find components synth runners results tests -regex '.*\.\(cpp\|hpp\|cc\|cu\|cuh\)' -print0
}
