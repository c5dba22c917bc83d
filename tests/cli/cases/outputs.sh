# --out replaces an earlier document of its kind, and nothing else: no input, no result of a search.
doubles 600 in.f64
cp in.f64 kept
cat >study.json <<'JSON'
{"name": "s", "data": [{"file": "in.f64"}], "precisions": ["double"], "space": {"stages": 2, "components": ["NUL", "BIT", "ZE"]}}
JSON
expect 0 fpsynth search --study study.json --out runs
cp runs/in.double.json result
refused() {
  expect 1 "$@"
  says "$over exists and is no earlier document of this kind \\($kind\\).*choose another name, or remove"
}
kind=fpsynth-tables over=in.f64
refused fpsynth data info in.f64 --out in.f64
refused fpsynth baseline sweep gfc in.f64 --chunks 1 --repetitions 1 --out in.f64
refused fpsynth query best --runs runs --out in.f64
over=runs/in.double.json
refused fpsynth query best --runs runs --out runs/in.double.json
over=study.json
refused fpsynth query runs --runs runs --out study.json
kind=fpsynth-comparison over=in.f64
refused fpsynth compare in.f64 --only memcpy --out in.f64
same in.f64 kept
same runs/in.double.json result

# The same command again, and a file that holds nothing.
for _ in 1 2; do
  expect 0 fpsynth data info in.f64 --out info.json
  expect 0 fpsynth query best --runs runs --out best.json
  expect 0 fpsynth compare in.f64 --only memcpy --repetitions 1 --out compare.json
done
: >empty.json
expect 0 fpsynth query best --runs runs --out empty.json
cmp -s <(grep -v '"command"' empty.json) <(grep -v '"command"' best.json) ||
  not_ok 'an empty file was not replaced by the tables'
over=best.json
refused fpsynth compare in.f64 --only memcpy --out best.json
# Of its kind, but an input.
cp info.json kept
expect 2 fpsynth data info info.json --type f64 --out info.json
says 'info\.json is both input and output'
same info.json kept
mkfifo pipe
expect 1 fpsynth query best --runs runs --out pipe
says 'pipe: it is no regular file'
expect 1 fpsynth query best --runs runs --out runs
says 'runs: it is a directory; name a file'

# An exported file is not replaced by the table, nor an input by its words.
cp in.f64 kept
expect 1 fpsynth data export in.f64 --to words --out words/in.f64
says 'words/in\.f64 exists and is no earlier document'
same words/in.f64 kept
expect 2 fpsynth data export in.f64 --count 10 --to . --force
says 'in\.f64 is both input and output'
same in.f64 kept
