# gpu check: on a GPU all right; without one, a message and nothing on standard output.
expect 0 fpsynth gpu check --help
prints 'exit status: 0 .* 1 .* 2'
prints '\-\-limit SECONDS'
if ! "$fpsynth" gpu check --json >found.json 2>/dev/null &&
  [[ ! -s found.json ]]; then
  expect 2 fpsynth gpu check
  says '^fpsynth: no GPU to check: .'
  [[ ! -s .out ]] || not_ok 'a report of nothing'
  expect 2 fpsynth gpu check --json
else
  expect 0 fpsynth gpu check
  prints '^ok +Holt '
fi
expect 2 fpsynth gpu
says 'those of fpsynth gpu are check'
expect 2 fpsynth gpu check --device one
expect 2 fpsynth gpu check --limit -1
says "limit: '-1'"
