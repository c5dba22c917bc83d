# What `data info --structure` finds: a period, rows by a shape, decimals; as text and as JSON.
perl -e 'srand 7; my @once = map { rand() - 0.5 } 1..777;
  open(my $f, ">:raw", "period.f64") or die; print $f pack("d<*", map { @once } 1..40)'
expect 0 fpsynth data info period.f64 --structure
prints '^Structure of period, double precision'
prints '^  shape +unknown'
prints '^  distinct words +777$'
prints '^  lags +777 words: .*100 % of the words are equal'
prints '^  none +[0-9.]+$'
prints '^  LAGx:777 +[0-9.]+ +[0-9.]+  777 words before, 100 % of the words are the same'
[[ $(grep -c '^  LAGx:777 ' .out) == 1 ]] || not_ok 'a candidate is not there once'
expect 0 fpsynth data info period.f64 --structure --precision both
prints '^Structure of period, double precision'
prints '^Structure of period, single precision'
expect 0 fpsynth data info period.f64 --structure --candidates 1 --json
prints '"lag": 777'
prints '"equal_share": 1\.0'
[[ $(grep -c '"prelude"' .out) == 1 ]] || not_ok 'there is not one candidate'
# What it suggests is a prelude that compress takes.
prelude=$(sed -nE 's/.*"prelude": "([^"]+)".*/\1/p' .out)
expect 0 fpsynth compress "$prelude / LNV1s ZE | RLE" period.f64 period.fpsy
expect 0 fpsynth decompress period.fpsy back.f64
same back.f64 period.f64
(($(size period.fpsy) < $(size period.f64) / 8)) || not_ok 'the period was not used'
expect 2 fpsynth data info period.f64 --structure --candidates 0
says 'candidates'

# The shape of a .npy file, in Fortran order: columns of 500.
perl -e 'my @v; for my $x (0..99) { for my $y (0..499) { push @v, int(100 * sin($y / 40 + $x / 30)) / 4 } }
  my $h = "{\x27descr\x27: \x27<f4\x27, \x27fortran_order\x27: True, \x27shape\x27: (500, 100), }";
  $h .= " " while (10 + length($h) + 1) % 64; $h .= "\n";
  open(my $f, ">:raw", "grid.npy") or die; print $f "\x93NUMPY\1\0", pack("v", length $h), $h, pack("f<*", @v)'
expect 0 fpsynth data info grid.npy --structure
prints '^  shape +100x500'
prints '^  decimals +100 % of the sampled words have 2 digits'
prints '500 words: a stride of the shape'
prints '^  [A-Z:0-9a-z ]*LAGs:1 LAGs:500 .*the Lorenzo predictor of a grid: differences at 1, then 500 words'
# Without --structure, nothing of it.
expect 0 fpsynth data info grid.npy
if grep -q 'Structure' .out; then not_ok 'structure was not asked for'; fi
expect 0 fpsynth data info grid.npy --json
if grep -q '"structure"' .out; then not_ok 'structure was not asked for'; fi
# Damaged and empty files are refused as ever.
head -c 200 grid.npy >short.npy
expect 1 fpsynth data info short.npy --structure
says 'short\.npy'
