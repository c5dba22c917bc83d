# Searches that share a machine, a directory or a moved folder: threads, memory, locks, where data are
# found again, and spaces that are too large.
unset FPSYNTH_DATA
doubles 100000 in.f64
head -c 8000 in.f64 >chunk.f64
cat >study.json <<'END2'
{"name": "small", "data": [{"file": "in.f64"}], "precisions": ["double"],
 "space": {"stages": 2, "components": ["NUL", "LNV1s"], "last": ["ZE"], "cuts": [0, 2]}}
END2
# peak COMMAND...: runs it and prints the largest memory of a child in KiB, as its last line.
peak() {
  perl -e 'system(@ARGV); my $status = $? >> 8; my $usage = "\0" x 144;
           syscall(98, -1, $usage); print unpack("x32 q", $usage), "\n"; exit $status' "$@"
}

# No more threads than chunks, and a limit for each processor.
most=$((4 * $(nproc)))
((most >= 64)) || most=64
threads_of() { grep -oE '"threads": ?[0-9]+' "$1" | tr -dc 0-9; }
export OMP_NUM_THREADS=65536
expect 0 fpsynth search chunk.f64 --backend cpu --out one --verify none
[[ $(threads_of one/chunk.double.json) == 1 ]] || not_ok "threads for one chunk"
expect 0 peak "$fpsynth" search --study study.json --backend cpu --out found
threads=$(threads_of found/in.double.json)
((threads > 1 && threads <= most)) || not_ok "$threads threads where $most are the most"
# (A thread's stack of its own and what sanitizers add; it was 23 GB.)
(($(tail -n 1 .out) < 4000000)) || not_ok "a search takes $(tail -n 1 .out) KiB"
expect 0 fpsynth compress "LNV1s ZE" in.f64 out.fps
expect 0 fpsynth baseline mpc in.f64 mpc.fps --dim 1
unset OMP_NUM_THREADS
expect 2 fpsynth search chunk.f64 --out x --threads 100000
says "^fpsynth: --threads: '100000' is not in 1\.\.$most;"

# The next step after a search is printed for people.
expect 0 fpsynth search --study study.json --backend cpu --out 'a b'
says "^The results are in a b; next: .*/fpsynth query best --runs 'a b'$"
expect 0 fpsynth search --study study.json --backend cpu --out json --json
[[ -z $err ]] || not_ok "--json says more than JSON"
prints '"complete":true'
expect 0 fpsynth query pipeline 1 --runs found
prints '^LNV1s ZE \(id 1\)|^\| LNV1s ZE \(id 1\)'
expect 2 fpsynth query pipeline 4 --runs found
says 'there is no pipeline 4: the ids of the space are 0\.\.3'

# One search at a time in a directory; the files of a killed one are no obstacle.
if command -v flock >/dev/null; then
  for who in 'search --study study.json --resume --out found' \
    'bench pipelines --top 1 --no-generated --bytes 64K --repetitions 1 --runs found'; do
    echo 'fpsynth search, process 7 on elsewhere, since then' >found/.lock
    # shellcheck disable=SC2086 # options are words
    expect 1 flock found/.lock "$fpsynth" $who
    says '^fpsynth: found is in use by fpsynth search, process 7 on elsewhere, since then; wait'
    # shellcheck disable=SC2086
    expect 0 fpsynth $who
    absent found/.lock
  done
fi
statuses=''
"$fpsynth" search --study study.json --backend cpu --out both >/dev/null 2>first.err &
first=$!
"$fpsynth" search --study study.json --backend cpu --out both >/dev/null 2>second.err &
second=$!
for search in $first $second; do
  wait "$search"
  statuses+=$?
done
[[ $statuses == 01 || $statuses == 10 ]] || not_ok "two searches in one directory end with $statuses"
absent both/.lock
expect 0 fpsynth query best --runs both

# Data are found from elsewhere, and in another folder that is named.
bench=(bench pipelines --top 1 --no-generated --bytes 64K --repetitions 1)
mkdir -p elsewhere/deep
cd elsewhere || exit 1
expect 0 fpsynth "${bench[@]}" --runs ../found
prints '^[A-Z].*ZE +library +1 +[0-9.]+ +[0-9.]+ +- '
cd ..
mv in.f64 elsewhere/deep/
expect 1 fpsynth "${bench[@]}" --runs found
says '^fpsynth: in \(double\): its file is not at .*/in\.f64; .*--data DIR'
expect 0 fpsynth "${bench[@]}" --runs found --data elsewhere
doubles 100001 in.f64
expect 1 fpsynth "${bench[@]}" --runs found
says 'in\.f64 does not hold the data that was searched: its checksum differs.*--data DIR'
expect 0 fpsynth "${bench[@]}" --runs found --data elsewhere
expect 2 fpsynth "${bench[@]}" --runs found --data elsewhere --data in.f64
says '\-\-data elsewhere is a directory'
expect 2 fpsynth bench pipelines ZE --data elsewhere
says '\-\-runs'

# A space of 18 million pipelines: its size is computed without a plan, and its time estimated.
numbers=$(printf '"DIM%s", ' {2..16})$(printf '"LNV%ss", ' {1..17})
cat >large.json <<END2
{"name": "large", "data": [{"file": "chunk.f64"}], "precisions": ["double"],
 "space": {"stages": 5, "components": [$numbers "NUL", "INV", "BIT"]}}
END2
expect 1 peak "$fpsynth" search --study large.json --backend cpu --dry-run
prints '5 stages, 35 components, 2 last, cuts 0 1 2 3 4 5: 18007500 pipelines'
prints '^plan: [0-9]{8} distinct pipelines, [0-9]{8} stages to run per chunk$'
prints '^data: 1 data set in 1 precision, 1 chunk; verification all$'
prints '^estimate: [0-9.]+ s( \([0-9:]+\))? on [0-9]+ threads? of .* and a space of 3 stages'
says '^fpsynth: the space has [0-9]{8} distinct pipelines, but a search can hold at most 4194304;'
(($(tail -n 1 .out) < 1000000)) || not_ok "--dry-run takes $(tail -n 1 .out) KiB"
