# Every command explains itself; a wrong call has exit status 2 and names what is wrong.
expect 0 fpsynth --help
for command in search query compress decompress inspect data bench; do
  expect 0 fpsynth --help
  prints "$command"
  expect 0 fpsynth "$command" --help
  prints "fpsynth $command"
  prints 'example'
done
expect 0 fpsynth --version
prints '^(fpsynth )?[0-9]+\.[0-9]+\.[0-9]+'

expect 2 fpsynth
expect 2 fpsynth frobnicate
says 'frobnicate'
expect 2 fpsynth search --frobnicate
says 'frobnicate'
