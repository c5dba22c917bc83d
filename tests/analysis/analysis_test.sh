#!/usr/bin/env bash
# analysis_test.sh FPSYNTH MODULE: runs the tests of analysis/ in MODULE.py with the first Python
# that has matplotlib. Exit status 77: no Python has it.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=.ci/tools.sh
source .ci/tools.sh

if ! python=$(find_python); then
  echo "skipped: no Python has matplotlib; install python3-matplotlib"
  exit 77
fi
FPSYNTH=$1 exec "$python" -m unittest discover -s tests/analysis -p "$2.py"
