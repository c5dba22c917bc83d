#!/usr/bin/env bash
# style_test.sh format: no C++ file is laid out otherwise than clang-format would.
# style_test.sh shell:  shellcheck has nothing to say of the scripts.
# style_test.sh python: pyflakes finds no unknown name and no unused import in the Python.
# style_test.sh names:  tests have no markers but those that tests/support/discover_tests.cmake knows.
# style_test.sh comments: no comment begins with a headless What, Whether, How, That or Who.
# style_test.sh house: folders of runners/ include what their libraries link.
# Exit status 77: the tool is not installed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=.ci/tools.sh
source .ci/tools.sh

case $1 in
  format)
    if ! tool=$(find_clang_format); then
      echo "skipped: clang-format $clang_format is not here, and other versions differ"
      exit 77
    fi
    cpp_files | xargs -0 -r "$tool" --dry-run -Werror && exit
    echo "clang-format $clang_format would change these files: ./run format"
    exit 1
    ;;
  shell)
    if ! command -v shellcheck >/dev/null; then
      echo "skipped: shellcheck is not here"
      exit 77
    fi
    # ./run sources the scripts of .ci/, cli_test.sh the cases, and gives and takes variables.
    shellcheck --external-sources --check-sourced run .ci/run .ci/lease/{first,second}.sh &&
      shellcheck --external-sources tests/*/*.sh && shellcheck configs/*/*.sbatch &&
      shellcheck --shell=bash --exclude=SC2034,SC2154 tests/cli/cases/*.sh
    ;;
  python)
    if ! command -v pyflakes3 >/dev/null; then
      echo "skipped: pyflakes3 is not here; install pyflakes3"
      exit 77
    fi
    pyflakes3 analysis configs tests
    ;;
  names)
    # A marker is in capitals in front of a name, which has neither capitals in a row nor an underscore.
    marked='((LONG|EXHAUSTIVE|GPU|PTX)_)*' name='[A-Z]?[A-Z]?[a-z0-9][A-Za-z0-9]*'
    wrong=$(grep -rhoE '^(TYPED_)?TEST(_[FP])?\([^)]*\)|^INSTANTIATE_TEST_SUITE_P\([^,]*,' tests |
      grep -vE "^[A-Z_]+\($marked$name, *$marked$name\)\$|^INSTANTIATE_TEST_SUITE_P\($marked($name)?,\$")
    [[ -z $wrong ]] && exit
    echo "names of tests with an unknown marker; known are LONG_, EXHAUSTIVE_, GPU_ and PTX_:"
    printf '%s\n' "$wrong"
    exit 1
    ;;
  comments)
    cpp_files | xargs -0 -r grep -nE '//[/!<]* *(What|Whether|How|That|Who) ' || exit 0
    echo "these comments do not begin with the thing that they speak of"
    exit 1
    ;;
  house) python3 tests/style/house.py ;;
esac
