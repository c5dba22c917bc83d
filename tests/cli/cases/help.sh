# Every command explains itself; a wrong call has exit status 2 and names what is wrong.
expect 0 fpsynth --help
for command in search merge query compress decompress inspect data bench gpu; do
  expect 0 fpsynth --help
  prints "$command"
  expect 0 fpsynth "$command" --help
  prints "fpsynth $command"
  prints 'example'
done
expect 0 fpsynth --help
cp .out help
expect 0 fpsynth help
same .out help
expect 0 fpsynth query best --help
cp .out help
expect 0 fpsynth help query best
same .out help
expect 2 fpsynth help serach
says "unknown command 'serach'; did you mean search\?"
expect 2 fpsynth help query bets
says "unknown command 'bets'; did you mean best\?; the commands of fpsynth query are"
expect 0 fpsynth --version
prints '^fpsynth [0-9]+\.[0-9]+\.[0-9]+$'
prints '^commit +[0-9a-f]'
prints '^compiler +[A-Za-z]+ [0-9]'
prints '^instruction sets +avx512, avx2, baseline, serial; [a-z0-9]+ is used$'
prints '^CUDA +(not in this program|compiled with nvcc [0-9])'
prints '^file formats +\.npy(; (no )?[A-Za-z0-9]+ [^;]+){4}$'
prints '^libraries +fmt [0-9.]+; nlohmann-json [0-9.]+; CLI11 [0-9.]+; xxHash [0-9.]+'
expect 0 env FPSYNTH_SIMD=baseline "$fpsynth" --version
prints 'baseline is used'

expect 2 fpsynth
expect 2 fpsynth frobnicate
says "^fpsynth: unknown command 'frobnicate'; the commands of fpsynth are search, "
expect 2 fpsynth serach
says "unknown command 'serach'; did you mean search\?"
expect 2 fpsynth query bets
says "^fpsynth: unknown command 'bets'; did you mean best\?; the commands of fpsynth query are"
expect 2 fpsynth query bets --help
says "^fpsynth: unknown command 'bets'; did you mean best\?; the commands of fpsynth query are"
expect 2 fpsynth query
says '^fpsynth: a command is required; those of fpsynth query are best, '
says '^fpsynth query --help explains it$'
expect 2 fpsynth --verison
says '^fpsynth: unknown option --verison; did you mean --version\?$'
expect 2 fpsynth search --frobnicate
says '^fpsynth: unknown option --frobnicate$'
expect 2 fpsynth compress --thread=4
says '^fpsynth: unknown option --thread; did you mean --threads\?$'
expect 2 fpsynth compress ZE in out more
says "^fpsynth: unexpected argument 'more'$"
expect 2 fpsynth compress ZE
says '^fpsynth: IN is required'
expect 2 fpsynth compress ZE in out --threads 100000
says "^fpsynth: --threads: '100000' is not in 1\.\.[0-9]+; more than [0-9]+ threads gain nothing"
expect 2 fpsynth baseline gfc in out --chunks 0
says "^fpsynth: --chunks: '0' is not a whole number in 1\.\.65535$"

# The options of a search stand in groups. No help names a file of the sources, which may not be there.
expect 0 fpsynth search --help
for group in Data Space 'Race \(--strategy race\)' Preludes Execution Results 'Parts and plans'; do
  prints "^$group:$"
done
for command in search compare 'query dimensionality' 'data export'; do
  # shellcheck disable=SC2086 # words
  expect 0 fpsynth $command --help
  ! grep -q configs/ .out || not_ok "a path that may not be there: $last"
done

# Ranges and defaults in the help.
expect 0 fpsynth baseline gfc --help
prints '\-\-chunks N in 1\.\.65535 \[1000\]'
! grep -E ' in \[| - [0-9]+\]|INT:' .out || not_ok 'a range as the library writes it'
expect 0 fpsynth baseline fpc --help
prints '\-\-table-bits P in 1\.\.28 \[22\]'
expect 0 fpsynth baseline pfpc --help
prints '\-\-table-bits P in 1\.\.28 \[20\]'
