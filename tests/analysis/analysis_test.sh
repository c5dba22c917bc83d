#!/usr/bin/env bash
# analysis_test.sh FPSYNTH MODULE: runs the tests of analysis/ in MODULE.py with the first Python
# that has matplotlib. Exit status 77: no Python has it, or there is no browser for test_page.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=.ci/tools.sh
source .ci/tools.sh

if ! python=$(find_python); then
  echo "skipped: no Python has matplotlib; install python3-matplotlib"
  exit 77
fi
if [[ $2 == test_page ]] && ! BROWSER=$(find_browser); then
  echo "skipped: no browser of Chromium's family; install chromium-headless-shell or chromium"
  exit 77
fi
export BROWSER
FPSYNTH=$1 exec "$python" -m unittest discover -s tests/analysis -p "$2.py"
