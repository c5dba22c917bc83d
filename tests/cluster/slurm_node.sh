# shellcheck shell=bash
# A Slurm of one node on the loopback device, that of the distribution: munged, slurmctld and slurmd as
# the calling user, with configuration, key, ports, spool and logs of their own in one directory. Needs
# neither root nor systemd, and neither reads nor writes what belongs to a Slurm of the machine. Sourced
# by slurm.sh.

PATH=$PATH:/usr/sbin:/sbin # where distributions have the daemons
slurm_programs=(munged slurmctld slurmd sbatch srun squeue scancel scontrol sinfo)

# lacking_for_slurm: prints the first program that is not here; fails if there is none such.
lacking_for_slurm() {
  local program
  for program in "${slurm_programs[@]}"; do
    command -v "$program" >/dev/null || { echo "$program" && return; }
  done
  return 1
}

# free_port START: prints a port on which nothing listens, one of the 5,000 from START on.
free_port() {
  local port
  while :; do
    port=$(($1 + RANDOM % 5000))
    (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

# write_configuration DIR: slurm.conf and what belongs to it. The node has four processors and two GPUs,
# whatever the machine has: so that jobs can ask for them. Two devices that every machine has stand in for
# the GPUs' files.
write_configuration() {
  local dir=$1 host user
  host=$(hostname -s) user=$(id -un)
  # The ports are below those that the kernel gives to whoever connects.
  mkdir -p "$dir"/{state,spool,tmp}
  cat >"$dir/slurm.conf" <<END
ClusterName=fpsynth
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port 20000)
SlurmdPort=$(free_port 25000)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
TmpFS=$dir/tmp
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
PlugStackConfig=$dir/plugstack.conf
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
GresTypes=gpu
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=1000 Gres=gpu:2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
  printf 'Name=gpu File=%s\n' /dev/null /dev/zero >"$dir/gres.conf"
  # The version 1 plugin touches no cgroup before something asks it to, and nothing here does.
  echo 'CgroupPlugin=cgroup/v1' >"$dir/cgroup.conf"
  : >"$dir/plugstack.conf"
}

# begin_daemon NAME COMMAND...: in the background, its output in $slurm_dir/NAME.log.
begin_daemon() { "${@:2}" >>"$slurm_dir/$1.log" 2>&1 </dev/null & }

# until_true SECONDS COMMAND...: waits for the command to succeed. The limit is for what hangs.
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}
node_is_idle() { [[ $(timeout 10 sinfo --noheader --format %T 2>/dev/null) == idle ]]; }

# start_slurm DIR: DIR is empty, and its path short enough for a socket's. Fails, with the logs' ends, if
# the node does not come up. Sets SLURM_CONF, by which all of Slurm's commands find it.
start_slurm() {
  local name
  slurm_dir=$1
  # What the job of another Slurm, in which this may run, tells all commands.
  for name in $(compgen -e | grep -E '^(SLURM|SBATCH|SRUN|SALLOC|SQUEUE|SINFO|PMIX?|OMPI)_'); do
    unset "$name"
  done
  chmod 711 "$slurm_dir"
  write_configuration "$slurm_dir"
  export TMPDIR=$slurm_dir/tmp # MPI's files
  (umask 077 && head -c 1024 /dev/urandom >"$slurm_dir/munge.key")
  export SLURM_CONF=$slurm_dir/slurm.conf
  begin_daemon munged munged --foreground --force --key-file="$slurm_dir/munge.key" \
    --socket="$slurm_dir/munge.socket" --pid-file="$slurm_dir/munged.pid" \
    --seed-file="$slurm_dir/munged.seed"
  if until_true 20 test -S "$slurm_dir/munge.socket"; then
    begin_daemon slurmctld slurmctld -D
    begin_daemon slurmd slurmd -D
    until_true 60 node_is_idle && return
  fi
  tail -n 15 "$slurm_dir"/{munged,slurmctld,slurmd}.log >&2
  return 1
}

# slurm_processes DIR: the process ids of all that the Slurm in DIR started, or that runs it.
slurm_processes() {
  local environment
  for environment in /proc/[0-9]*/environ; do
    if grep -qzxF "SLURM_CONF=$1/slurm.conf" "$environment" 2>/dev/null; then
      environment=${environment%/environ}
      echo "${environment#/proc/}"
    fi
  done
}
no_slurm_processes() { [[ -z $(slurm_processes "$1") ]]; }
signal_slurm() {
  local process
  for process in $(slurm_processes "$2"); do
    kill -s "$1" "$process" 2>/dev/null
  done
}

# stop_slurm DIR: ends the jobs and the daemons; what does not end by itself is killed.
stop_slurm() {
  no_slurm_processes "$1" && return
  SLURM_CONF=$1/slurm.conf timeout 5 scancel --quiet --signal=KILL --full --user="$(id -un)" 2>/dev/null
  signal_slurm TERM "$1"
  until_true 5 no_slurm_processes "$1" || signal_slurm KILL "$1"
}

# guard_slurm DIR: stops the Slurm in DIR and removes DIR when this script is no more, whatever ended
# it, SIGKILL too. To be called before start_slurm. The guard is a process group of its own.
guard_slurm() {
  set -m
  (
    trap '' INT TERM HUP
    tail --pid=$$ -f /dev/null
    stop_slurm "$1"
    rm -rf "$1"
  ) >/dev/null 2>&1 </dev/null &
  guard=$!
  disown "$guard"
  set +m
}
release_guard() { kill -s KILL -- "-$guard"; }
