# shellcheck shell=bash
# What a machine must have, by the names of Debian's and Ubuntu's packages, and how to install it.
# Sourced by ./run.

build_packages=(g++ cmake ninja-build libfmt-dev nlohmann-json3-dev libcli11-dev libxxhash-dev)
# The compressors that `compare` compares with; each is left out where it is missing.
peer_packages=(libbz2-dev zlib1g-dev liblzo2-dev libzstd-dev liblz4-dev libfpzip-dev libblosc-dev)
figure_packages=(python3-matplotlib)
format_packages=(clang-format-14)
# chromium-headless-shell shows the report's page to its test (98 MB to download, and less than
# chromium); Ubuntu has none, and there the test is skipped.
# libclang-rt-dev is part of another package on Ubuntu 22.04: install_packages skips what a
# distribution does not know, and CMake has the last word.
test_packages=("${build_packages[@]}" "${figure_packages[@]}" "${format_packages[@]}" shellcheck
  libgtest-dev libboost-context-dev clang libclang-rt-dev libomp-dev pkg-config
  libhdf5-dev hdf5-tools python3-h5py chromium-headless-shell)

installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }
known() { [[ -n $(apt-cache --quiet=1 show "$1" 2>/dev/null) ]]; }

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

  if ((EUID == 0)); then
    become=(env)
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    become=(sudo env)
  fi
  # Package lists may be absent (a fresh container) or stale.
  mkdir -p "$logs"
  if ((${#become[@]})); then
    "${become[@]}" apt-get update >"$logs/apt.log" 2>&1 </dev/null ||
      say "apt-get update failed (see $logs/apt.log); trying with the lists at hand"
  fi
  # Leave out what this distribution does not know by that name, where it knows anything at all.
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

# Tries each list of peers once for this build folder: without network or rights, the build does
# without.
install_peers() {
  [[ $(cat "$logs/peers-tried" 2>/dev/null) == "${peer_packages[*]}" ]] && return
  (install_packages "${peer_packages[@]}") ||
    say "Going on without them: \`fpsynth compare\` says which compressors are missing."
  mkdir -p "$logs"
  printf '%s\n' "${peer_packages[*]}" >"$logs/peers-tried"
}
