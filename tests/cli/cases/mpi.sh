# Searches that MPI's ranks share: the documents are those of one process, also after ranks were
# killed. FPSYNTH_KILLS: how often, 3 unless given; the exhaustive run takes 50.
# shellcheck disable=SC2154 # the functions set err
ranked=$(dirname "$fpsynth")/fpsynth-mpi
if [[ ! -x $ranked ]]; then skip 'there is no fpsynth-mpi; configure with -DFPSYNTH_MPI=ON'; fi
if ! command -v mpirun >/dev/null; then skip 'there is no mpirun; install openmpi-bin'; fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1  # as in a container
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_odls_base_sigkill_timeout=0  # seconds that it waits for ranks when one has failed, 1 by itself
unset SLURM_CPUS_PER_TASK
compare() { # DIR DIR
  "${PYTHON:-python3}" "$root/tests/cluster/same_documents.py" "$1" "$2" ||
    not_ok "$1 and $2 hold different documents"
}
doubles 20345 in.f64
printf xyz >>in.f64
doubles 700 tiny.f64
floats 5000 single.f32
space='"stages": 2, "components": ["NUL", "LNV1s", "BIT", "DIM2"], "last": ["ZE", "RLE"], "cuts": [0, 2]'
cat >study.json <<END
{"name": "small", "data": [{"file": "in.f64"}, {"file": "tiny.f64"}, {"file": "single.f32"}],
 "precisions": ["double", "single"], "space": {$space}}
END

expect 0 fpsynth search --study study.json --backend cpu --out whole
for ranks in 1 2 8; do
  expect 0 timeout 100 mpirun -n "$ranks" "$ranked" search --study study.json --backend cpu --out "ranks.$ranks"
  compare whole "ranks.$ranks"
done
prints '^in +double '
says 'The results are in ranks.8; next: .*/fpsynth query best --runs ranks.8'
expect 0 timeout 100 mpirun -n 2 "$ranked" search --study study.json --backend cpu --out ranks.2 --resume
says '^in double: searched already'
expect 1 timeout 100 mpirun -n 2 "$ranked" search --study study.json --backend cpu --out ranks.2
says 'in\.double\.json exists already; continue with --resume'

# A rank reads a variable in a process of its own, which is no rank.
if /usr/bin/python3 -c 'import h5py' 2>/dev/null && ! "$fpsynth" --version | grep -q 'no libhdf5'; then
  /usr/bin/python3 -c 'import h5py, numpy; h5py.File("v.h5", "w")["x"] = numpy.fromfile("tiny.f64")'
  cp study.json variable.json
  sed -i "s|\"data\": .*\],|\"data\": [{\"file\": \"v.h5:/x\"}],|" variable.json
  expect 0 fpsynth search --study variable.json --backend cpu --out of_variable
  expect 0 timeout 100 mpirun -n 2 "$ranked" search --study variable.json --backend cpu --out ranks.variable
  compare of_variable ranks.variable
fi

# With preludes, a sample of the chunks, and the best verified at the end.
for options in '--stages 3 --preludes LAGs:1,LAGx:50' '--sample 3 --verify none' '--verify top=2'; do
  name=${options// /_}
  # shellcheck disable=SC2086 # several options
  expect 0 fpsynth search in.f64 --backend cpu --out "one$name" $options
  # shellcheck disable=SC2086
  expect 0 timeout 100 mpirun -n 3 "$ranked" search in.f64 --backend cpu --out "many$name" $options
  compare "one$name" "many$name"
done

# A race is the same on any number of ranks, one after the other for each document.
race=(--strategy race --round-chunks 2 --margin 0 --backend cpu --space race.json)
cat >race.json <<END
{"stages": 3, "components": ["NUL", "INV", "BIT", "DIM2", "LNV1s", "LNV2x", "ZE"], "last": ["ZE", "RLE"]}
END
expect 0 fpsynth search in.f64 single.f32 --precision both "${race[@]}" --out raced
for ranks in 2 4; do
  expect 0 timeout 100 mpirun -n "$ranks" "$ranked" search in.f64 single.f32 --precision both \
    "${race[@]}" --out "raced.$ranks"
  says '^in double: [0-9]+ of [0-9]+ distinct pipelines are left after 2 chunks$'
  compare raced "raced.$ranks"
done
prints '^single +single '
expect 0 timeout 100 mpirun -n 2 "$ranked" search in.f64 single.f32 --precision both "${race[@]}" \
  --out raced.4 --resume
says '^single single: searched already$'
compare raced raced.4
expect 1 timeout 100 mpirun -n 2 "$ranked" search in.f64 single.f32 --precision both "${race[@]}" --out raced.2
says 'in\.double\.json exists already; continue with --resume'
for options in '--preludes LAGs:1,LAGx:50' '--verify top=2'; do
  name=${options// /_}
  # shellcheck disable=SC2086 # several options
  expect 0 fpsynth search in.f64 "${race[@]}" --out "raced.one$name" $options
  # shellcheck disable=SC2086
  expect 0 timeout 100 mpirun -n 3 "$ranked" search in.f64 "${race[@]}" --out "raced.many$name" $options
  compare "raced.one$name" "raced.many$name"
done
# A rank whose file is another one.
mkdir other
doubles 20345 other/in.f64
printf abc >>other/in.f64
cp race.json other/
expect 1 timeout 100 mpirun -n 1 "$ranked" search in.f64 "${race[@]}" --out apart : \
  -n 1 -wdir "$PWD/other" "$ranked" search in.f64 "${race[@]}" --out apart
says '^fpsynth: in double: the data of rank 1 are not the same as those of rank 0; copy the file again'

# Other commands and errors are one rank's.
expect 0 timeout 100 mpirun -n 2 "$ranked" query best --runs whole
[[ $(grep -c '^in ' .out) -le 2 ]] || not_ok 'a query was answered by every rank'
expect 2 timeout 100 mpirun -n 2 "$ranked" search --study study.json --shard 1/2
says '^fpsynth: fpsynth-mpi divides the chunks among its ranks itself; leave --shard out$'
expect 1 timeout 100 mpirun -n 2 "$ranked" search missing.f64
says '^fpsynth: cannot read missing.f64'
# A rank that has not got the file; one that was started for something else.
mkdir elsewhere
expect 1 timeout 100 mpirun -n 1 "$ranked" search in.f64 --backend cpu --out lacking : \
  -n 1 -wdir "$PWD/elsewhere" "$ranked" search in.f64 --backend cpu --out lacking
says '^fpsynth: rank 1 on node .*: cannot read in.f64: No such file'
expect 1 timeout 100 mpirun -n 1 "$ranked" search in.f64 --backend cpu --out mixed : \
  -n 1 "$ranked" search tiny.f64 --backend cpu --out mixed
says '^fpsynth: rank 1 was started for another search than rank 0: '
expect 1 timeout 100 mpirun -n 1 "$ranked" search in.f64 --backend cpu --preludes auto --out finalists : \
  -n 1 "$ranked" search in.f64 --backend cpu --preludes auto --prelude-finalists 2 --out finalists
says '^fpsynth: rank 1 was started for another search than rank 0: .* at most 2 finalists'
# One that was started for nothing; a dry run, which the others have no part in.
expect 1 timeout 100 mpirun -n 1 "$ranked" search in.f64 --backend cpu --out one : \
  -n 1 "$ranked" query best --runs whole
says '^fpsynth: rank 1 on node .*: has ended; start all ranks with the same arguments'
expect 0 timeout 100 mpirun -n 2 "$ranked" search in.f64 --backend cpu --dry-run
expect 2 timeout 100 mpirun -n 1 "$ranked" search in.f64 --backend cpu --dry-run : \
  -n 1 "$ranked" search in.f64 --backend none --dry-run
prints '^estimate: '
# A disk that is full for rank 0, where small file systems may be mounted.
mkdir small
if unshare --mount --map-root-user true 2>/dev/null; then
  # shellcheck disable=SC2016 # expanded by the inner shell
  timeout 60 unshare --mount --map-root-user bash -c '
    mount -t tmpfs -o size=32k none small || exit 77
    mpirun -n 2 "$1" search in.f64 --backend cpu --verify none --sample 10 --out small/found 2>full.err
    echo $? >full.status' _ "$ranked" >/dev/null </dev/null
  if (($? != 77)); then
    [[ $(cat full.status) == 1 ]] || not_ok 'a full disk: exit status'
    grep -q '^fpsynth: .*small/found/in.double.json.*No space left on device' full.err ||
      not_ok "a full disk: $(cat full.err)"
  fi
fi
# The program without MPI does not search the same several times.
expect 2 timeout 100 mpirun -n 2 "$fpsynth" search in.f64 --backend cpu --out alone
says 'searches alone, and all would search the same; use fpsynth-mpi'

# Kills and stops at any time, then the rest with other numbers of ranks. Both kinds lose no more
# than what was not saved, and the documents are the same in the end.
doubles 150000 long.f64
# ended PID: waits for a launcher. Open MPI's may hang when a rank dies while it starts; it is killed then.
ended() {
  for ((tenths = 0; tenths < 300; ++tenths)); do
    kill -0 "$1" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$1" 2>/dev/null
  wait "$1"
}
cat >space.json <<END
{"stages": 3, "components": ["NUL", "INV", "BIT", "DIM2", "DIM8", "LNV1s", "LNV2x", "LNV8s", "ZE", "RLE"], "last": ["ZE", "RLE"]}
END
long=(search long.f64 --space space.json --backend cpu --checkpoint 0.2)
expect 0 fpsynth "${long[@]}" --out long.whole
RANDOM=16
kills=${FPSYNTH_KILLS:-3} runs=0
while ((kills > 0)); do
  folder=long.$((++runs))
  resume=()
  for ranks in 2 4 3 1; do
    mpirun -n "$ranks" "$ranked" "${long[@]}" --out "$folder" "${resume[@]}" >/dev/null 2>.err &
    launcher=$!
    sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
    mapfile -t pids < <(pgrep -P "$launcher" -x fpsynth-mpi)
    if ((${#pids[@]} > 0 && kills > 0)); then
      kill -"$([[ $((RANDOM % 4)) == 0 ]] && echo USR1 || echo KILL)" \
        "${pids[RANDOM % ${#pids[@]}]}" 2>/dev/null
      kills=$((kills - 1))
    fi
    ended "$launcher"
    [[ -e $folder/study.json ]] && resume=(--resume)
  done
  expect 0 timeout 100 mpirun -n 2 "$ranked" "${long[@]}" --out "$folder" "${resume[@]}"
  compare long.whole "$folder"
done
# A race that one rank was asked to end goes on where it was, with fewer ranks, too. It lasts ten
# times as long as it takes to its first checkpoint, so that it is met while it runs.
race=(search long.f64 "${race[@]}" --stages 6 --checkpoint 0.1)
expect 0 fpsynth "${race[@]}" --out race.whole
mpirun -n 3 "$ranked" "${race[@]}" --out stopped >/dev/null 2>.err &
launcher=$!
until [[ -e stopped/long.double.race ]] || ! kill -0 "$launcher" 2>/dev/null; do sleep 0.05; done
mapfile -t pids < <(pgrep -P "$launcher" -x fpsynth-mpi)
if ((${#pids[@]} == 0)); then
  not_ok "the race was over before it could be stopped: $(cat .err)"
else
  kill -USR1 "${pids[2 % ${#pids[@]}]}" 2>/dev/null
fi
ended "$launcher"
[[ -e stopped/long.double.race || -e stopped/long.double.json ]] || not_ok 'a stopped race left nothing'
expect 0 timeout 100 mpirun -n 2 "$ranked" "${race[@]}" --out stopped --resume
compare race.whole stopped
absent stopped/long.double.race
