#!/usr/bin/env bash
# slurm.sh array FPSYNTH:            configs/cluster/array.sbatch,
# slurm.sh mpi FPSYNTH FPSYNTH_MPI:  and mpi.sbatch and gpu.sbatch beside it, under a real Slurm of one
# node, which this script starts and stops (slurm_node.sh). Searches that jobs share, that are killed or
# told to end, and go on, give the documents of one that one process made.
# Exit status 77: skipped, for something is not here.
set -uo pipefail
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${tests%/tests/cluster} jobs=$root/configs/cluster
# shellcheck source=.ci/packages.sh
source "$root/.ci/packages.sh"
# shellcheck source=tests/cluster/slurm_node.sh
source "$tests/slurm_node.sh"
export LC_ALL=C
failures=0

skip() {
  printf 'skipped: %s\n' "$1"
  exit 77
}
not_ok() {
  printf 'not ok: %s\n' "$1"
  compgen -G "fpsynth-${job:-none}*.log" >/dev/null && tail -n 20 fpsynth-"$job"*.log | sed 's/^/    | /'
  failures=$((failures + 1))
}

# search_alone DIR: the search that the jobs share, by one process.
search_alone() {
  fpsynth search --study study.json --backend cpu --out "$1" >alone.log 2>&1 ||
    not_ok "the search by one process failed"
}
# same_as_alone DIR WHAT
same_as_alone() {
  python3 "$tests/same_documents.py" alone "$1" >differences 2>&1 && return
  cat differences
  not_ok "$2: other documents than those of one process"
}

# submit OPTION... FILE: hands a job of this one node to Slurm; its number is in $job.
submit() {
  job=$(timeout 60 sbatch --parsable --nodes=1 --mem-per-cpu=100M "$@" 2>sbatch.err) && return
  not_ok "sbatch $*: $(<sbatch.err)"
  job=none
}
job_has_ended() { [[ -z $(timeout 60 squeue --noheader --jobs="$1" 2>/dev/null) ]]; }
states() { timeout 60 squeue --noheader --jobs="$1" --states=all --array --format=%T | sort -u; }
# ended STATE...: waits for the end of job $job; all of it must have ended in one of these states. $state
# is that state.
ended() {
  until_true 600 job_has_ended "$job" || not_ok "job $job does not end"
  state=$(states "$job")
  [[ " $* " == *" $state "* ]] || not_ok "job $job ended as '${state//$'\n'/ }' instead of $*"
}
# made_or_ended FILE: whether job $job has made the file, or has ended.
made_or_ended() { [[ -e $1 ]] || job_has_ended "$job"; }

# What --missing prints.
missing() { fpsynth merge parts --missing 2>missing.err || not_ok "--missing: $(<missing.err)"; }

# shard K: the directory of shard K of 4.
shard() { compgen -G "parts/shard-*$1-of-*4" || echo none; }
shard_2_has_begun() { made_or_ended "$(shard 2)/study.json"; }

array_jobs() {
  local shard kept
  export SHARDS=4 STUDY=study.json PARTS=parts
  # One shard is killed with all that it did not write yet; or, where it was faster, begins anew.
  submit --array=1-4%2 --cpus-per-task=1 "$jobs/array.sbatch"
  until_true 600 shard_2_has_begun || not_ok "shard 2 does not begin"
  timeout 60 scancel --signal=KILL --full "${job}_2"
  until_true 600 job_has_ended "$job" || not_ok "job $job does not end"
  if [[ $(states "${job}_2") == COMPLETED ]]; then
    echo "shard 2 was done before it could be killed"
    rm -r "$(shard 2)"
  fi
  for shard in 1 3 4; do
    [[ $(states "${job}_$shard") == COMPLETED ]] || not_ok "shard $shard: $(states "${job}_$shard")"
  done
  rm -r "$(shard 4)" || not_ok "no directory of shard 4"

  [[ $(missing) == 2,4 ]] || not_ok "missing are shards 2 and 4, not '$(missing)'"
  if fpsynth merge parts --out merged >merge.log 2>&1; then not_ok "merged without shards 2 and 4"; fi
  grep -qE '2.*4' merge.log || not_ok "merge does not name shards 2 and 4: $(<merge.log)"
  [[ ! -e merged ]] || not_ok "a merge that was refused wrote something"

  kept=$(stat -c '%n %Y' "$(shard 1)"/*.json "$(shard 3)"/*.json)
  submit --array="$(missing)" --cpus-per-task=1 "$jobs/array.sbatch"
  ended COMPLETED
  [[ -z $(missing) ]] || not_ok "missing are no shards, not '$(missing)'"
  [[ $(stat -c '%n %Y' "$(shard 1)"/*.json "$(shard 3)"/*.json) == "$kept" ]] ||
    not_ok "shards that were done were written again"
  fpsynth merge parts --out merged >merge.log 2>&1 || not_ok "the shards cannot be merged"
  same_as_alone merged "four shards, two of them run again"
}

submit_ranks() { submit --ntasks-per-node="$1" --cpus-per-task=1 "$jobs/mpi.sbatch"; }

# search_has_begun: the first rank speaks of what it reads, or the job has ended.
search_has_begun() {
  grep -q 'trailing bytes' "fpsynth-$job.log" 2>/dev/null || job_has_ended "$job"
}
# kill_rank N: the process of rank N of the job, with SIGKILL.
kill_rank() {
  local process
  for process in $(slurm_processes "$folder"); do
    if [[ $(cat "/proc/$process/comm" 2>/dev/null) == fpsynth-mpi ]] &&
      grep -qzx "SLURM_PROCID=$1" "/proc/$process/environ"; then
      kill -s KILL "$process"
    fi
  done
}
# end_job COMMAND...: ends the job once it searches, which must fail then, and not hang.
end_job() {
  until_true 600 search_has_begun || not_ok "job $job does not begin"
  sleep 0.1 # to be somewhere in the middle
  "$@"
  ended FAILED COMPLETED
  [[ $state == FAILED ]] || echo "the search was done before $* could end it"
}
# tells_how_to_continue: the job was told to end, and says that it has kept what it did.
tells_how_to_continue() {
  [[ $state == COMPLETED ]] || grep -q -e '--resume' "fpsynth-$job.log" ||
    not_ok "a search that was ended does not tell how to continue it"
}

mpi_jobs() {
  export STUDY=study.json OUT
  # shellcheck disable=SC2046 # words
  echo "srun starts ranks by:" $(timeout 60 srun --mpi=list 2>&1 | grep -xE '\s*(pmix|pmi2)')

  OUT=shared
  submit_ranks 2
  ended COMPLETED
  same_as_alone "$OUT" "two ranks"

  # As where Slurm has no PMIx: the other launcher, if there is one.
  if command -v mpirun >/dev/null; then
    OUT=by_mpirun
    # Open MPI's does nothing for root otherwise.
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LAUNCH="mpirun --bind-to none" \
      submit_ranks 2
    ended COMPLETED
    same_as_alone "$OUT" "two ranks that mpirun started"
  fi

  # Ended in the middle, and continued by other numbers of ranks: by the loss of a rank; by a person's
  # signal to the ranks; as the scheduler does when the time is nearly over.
  OUT=ended
  submit_ranks 2
  end_job kill_rank 1
  submit_ranks 3
  end_job timeout 60 scancel --signal=TERM "$job"
  tells_how_to_continue
  submit_ranks 2
  end_job timeout 60 scancel --signal=USR1 --batch "$job"
  tells_how_to_continue
  submit_ranks 4
  ended COMPLETED
  same_as_alone "$OUT" "four ranks, after two, three and two that were ended"

  # GPUs, where there are any; else a job that says so.
  OUT=on_gpus
  submit --gpus-per-node=2 --ntasks-per-node=2 --cpus-per-task=1 "$jobs/gpu.sbatch"
  ended COMPLETED FAILED
  if [[ $state == COMPLETED ]]; then
    same_as_alone "$OUT" "two ranks with a GPU each"
  else
    grep -qiE 'cuda|gpu' "fpsynth-$job.log" || not_ok "the GPUs' job does not say what it lacks"
  fi
}

case ${1:-}/$# in
  array/2) bin=$(realpath "$2") ;;
  mpi/3) bin=$(realpath "$2") mpi=$(realpath "$3") ;;
  *) sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
esac
if program=$(lacking_for_slurm); then
  skip "$program is not here (Debian's packages ${slurm_packages[*]})"
fi
command -v python3 >/dev/null || skip "python3, which compares documents, is not here"

folder=$(mktemp -d "${TMPDIR:-/tmp}/fpsynth_slurm_XXXXXX") || exit 1
guard_slurm "$folder"
clean_up() {
  trap '' INT TERM HUP
  stop_slurm "$folder"
  rm -rf "$folder"
  release_guard
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
mkdir "$folder"/{bin,work}
# The jobs call the programs by their names.
ln -s "$bin" "$folder/bin/fpsynth"
[[ $1 == array ]] || ln -s "$mpi" "$folder/bin/fpsynth-mpi"
export PATH=$folder/bin:$PATH
cd "$folder/work" || exit 1

# Sets of many chunks and of fewer than there are shards, a tail; a few seconds' work of one core.
perl -e 'binmode STDOUT; print pack("d<*", map { sin($_ / 50) * 1e3 } 1 .. 20000), "xyz"' >in.f64
cat >study.json <<'END'
{"name": "cluster", "precisions": ["double", "single"], "space": {"stages": 3},
 "data": [{"made": "num_lorenz", "bytes": 4194304}, {"made": "msg_heat", "bytes": 16384}, {"file": "in.f64"}]}
END
start_slurm "$folder" || { echo "not ok: Slurm does not start" && exit 1; }
search_alone alone
"$1_jobs"
((failures == 0))
