# shellcheck shell=bash
# The packages that a machine must have, by their names in Debian and Ubuntu, and their installation.
# Sourced by ./run.

# libboost-dev has the headers of Boost.Math: quantiles of Student's distribution.
build_packages=(g++ cmake ninja-build libfmt-dev nlohmann-json3-dev libcli11-dev libxxhash-dev
  libboost-dev)
# The compressors that `compare` compares with; each is left out where it is missing.
peer_packages=(libbz2-dev zlib1g-dev liblzo2-dev libzstd-dev liblz4-dev liblzma-dev libfpzip-dev
  libzfp-dev libblosc-dev)
# The libraries of the file formats of data sets, optional in the same way.
reader_packages=(libhdf5-dev libnetcdf-dev libcfitsio-dev)
# The libraries of the tests, without which `./run gpu` cannot build those of the GPU.
gpu_packages=("${build_packages[@]}" libgtest-dev libboost-context-dev)
figure_packages=(python3-matplotlib)
# The program that configs/datasets/fetch.py calls beside apt-get and dpkg-deb.
corpus_packages=(python3-pip)
# Packages that fpsynth-mpi is built with and started by.
mpi_packages=(libopenmpi-dev openmpi-bin)
# The Slurm that tests/cluster/slurm.sh starts. ./run does not install it, because its packages start
# services of the machine. Without it, that test is skipped.
# shellcheck disable=SC2034
slurm_packages=(munge slurmctld slurmd slurm-client)
format_packages=(clang-format-14)
# chromium-headless-shell shows the report's page to its test (98 MB to download, and less than
# chromium). Ubuntu has none: there the test is skipped.
# libclang-rt-dev is part of another package on Ubuntu 22.04: install_packages skips what a
# distribution does not know, and CMake has the last word.
test_packages=("${gpu_packages[@]}" "${figure_packages[@]}" "${format_packages[@]}"
  "${mpi_packages[@]}" shellcheck pyflakes3 clang libclang-rt-dev
  libomp-dev pkg-config libhdf5-dev hdf5-tools netcdf-bin python3-h5py python3-venv
  chromium-headless-shell)

installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }
known() { [[ -n $(apt-cache --quiet=1 show "$1" 2>/dev/null) ]]; }

# Sets the array `become` to the command that becomes root; empty if that needs a password.
find_rights() {
  become=()
  if ((EUID == 0)); then
    become=(env)
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    become=(sudo env)
  fi
}

# Package lists may be absent (a fresh container) or stale.
update_lists() {
  mkdir -p "$logs"
  if ((${#become[@]})); then
    "${become[@]}" apt-get update >"$logs/apt.log" 2>&1 </dev/null ||
      say "apt-get update failed (see $logs/apt.log); trying with the lists at hand"
  fi
}

# refresh_lists PACKAGE: makes apt know a package that is not to be installed.
refresh_lists() {
  local become=()
  [[ ${FPSYNTH_NO_INSTALL:-0} == 1 ]] && return
  if ! command -v apt-get >/dev/null || known "$1"; then return; fi
  find_rights
  update_lists
}

# install_packages PACKAGE...: installs those that are missing, or stops and says what to ask for.
install_packages() {
  local package missing=() become=()
  [[ ${FPSYNTH_NO_INSTALL:-0} == 1 ]] && return
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "No apt on this machine. Needed, with their development files: a C++20 compiler with OpenMP,"
    say "CMake 3.22, Ninja, fmt, nlohmann/json, CLI11, xxHash; for the tests also GoogleTest, clang"
    say "with compiler-rt and libomp, clang-format 14, shellcheck. Going on with what CMake finds."
    return
  fi
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  find_rights
  update_lists
  # Leave out packages that this distribution does not know by that name, if it knows any at all.
  if known g++; then
    local wanted=("${missing[@]}")
    missing=()
    for package in "${wanted[@]}"; do
      known "$package" && missing+=("$package")
    done
    ((${#missing[@]})) || return 0
  fi
  say "Missing packages: ${missing[*]}"
  if ((${#become[@]} == 0)); then
    say "Neither root nor sudo without a password. Ask an administrator for:"
    say "  sudo apt-get install ${missing[*]}"
    say "or set FPSYNTH_NO_INSTALL=1 where the libraries are installed in another way."
    exit 1
  fi
  say "Installing them with apt-get (log: $logs/apt.log) ..."
  "${become[@]}" DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 "${missing[@]}" >>"$logs/apt.log" 2>&1 </dev/null || {
    tail -n 20 "$logs/apt.log" >&2
    fail "installing failed; try: sudo apt-get install ${missing[*]}"
  }
}

# Tries each list of optional packages once for this build folder. Without network or rights, the
# program is built without them.
install_optional() {
  local optional=("${peer_packages[@]}" "${reader_packages[@]}")
  [[ $(cat "$logs/optional-tried" 2>/dev/null) == "${optional[*]}" ]] && return
  (install_packages "${optional[@]}") ||
    say "Going on without them: \`fpsynth --version\` says which are there."
  mkdir -p "$logs"
  printf '%s\n' "${optional[*]}" >"$logs/optional-tried"
}
