#!/usr/bin/env bash
# debian.sh PACKAGE.deb [SUITE [MIRROR]]: the package that cpack made, in a Debian in which nothing else is,
# first without the libraries that it recommends, then with them. Needs root, debootstrap, python3-h5py, a
# network and 1 GB in TMPDIR; takes some minutes, and is no part of continuous integration.
# shellcheck disable=SC2016 # dpkg-query expands what stands in single quotes
set -euo pipefail

package=$(realpath "$1")
suite=${2:-bookworm}
mirror=${3:-http://deb.debian.org/debian}
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/fpsynth_package_XXXXXX")
root=$work/root
cleanup() {
  if mountpoint -q "$root/proc"; then umount "$root/proc"; fi
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT

fail() {
  printf 'FAILED: %s\n' "$1" >&2
  exit 1
}
# inside COMMAND...: in the root, in /data, with nothing of this environment.
inside() {
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive \
    sh -c 'cd /data && exec "$@"' sh "$@"
}
# shows STATUS REGEX COMMAND...: prints what the command prints; a line must match REGEX, unless that is empty.
shows() {
  local wanted=$1 regex=$2 status=0
  shift 2
  printf '$ %s\n' "$*"
  inside "$@" >"$work/log" 2>&1 || status=$?
  cut -c 1-300 "$work/log"
  ((status == wanted)) || fail "exit status $status instead of $wanted"
  [[ -z $regex ]] || grep -qE -- "$regex" "$work/log" || fail "no line matches '$regex'"
}
# added WHAT COMMAND...: how many packages the command adds, and their size as dpkg has it.
packages() { inside dpkg-query -W -f '${Installed-Size}\n' | awk '{ kib += $1 } END { print NR, kib }'; }
added() {
  local what=$1 count=0 kib=0 count_before=0 kib_before=0
  shift
  read -r count_before kib_before < <(packages)
  inside "$@" >"$work/log" 2>&1 || { cat "$work/log" && fail "$what"; }
  read -r count kib < <(packages)
  printf '# %s: %d packages more, %d KiB installed\n' "$what" $((count - count_before)) $((kib - kib_before))
}

mkdir "$work/data"
cp "$package" "$work/data/fpsynth.deb"
/usr/bin/python3 - "$tests/abuse" "$work/data" <<'END_OF_DATA'
import math, pathlib, struct, sys
import h5py, numpy
sys.path.insert(0, sys.argv[1])
import variables
values = [1e3 * math.sin(i / 50) for i in range(5000)]
folder = pathlib.Path(sys.argv[2])
(folder / "in.f64").write_bytes(struct.pack(f"<{len(values)}d", *values))
(folder / "in.nc").write_bytes(variables.netcdf(values))
with h5py.File(folder / "in.h5", "w") as file:
    file["x"] = numpy.array(values)
END_OF_DATA
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/log" 2>&1 || { cat "$work/log" && fail debootstrap; }
mount -t proc proc "$root/proc"
mv "$work/data" "$root"
inside apt-get update >"$work/log" 2>&1 || { cat "$work/log" && fail 'apt-get update'; }

added 'the package alone' apt-get install -y --no-install-recommends ./fpsynth.deb
shows 0 '^file formats +\.npy; no libhdf5 ' fpsynth --version
shows 0 '' ldd /usr/bin/fpsynth
printf '# ldd: %d lines\n' "$(wc -l <"$work/log")"
shows 0 '^in +double' fpsynth search in.f64 --stages 2 --out runs
shows 0 '' fpsynth compress 'LNV1s ZE' in.f64 out.fps
shows 0 '' fpsynth decompress out.fps out.f64
cmp "$root/data/in.f64" "$root/data/out.f64"
shows 1 'cannot read in\.h5.*libhdf5.*\.so.*; install the package libhdf5' fpsynth data decode in.h5:/x of-h5.f64
shows 1 'cannot read in\.nc.*libnetcdf.*\.so.*; install the package libnetcdf' fpsynth data decode in.nc:x of-nc.f64
shows 0 'without blosc: .*; install the package libblosc' fpsynth compare in.f64 --only memcpy,mpc --repetitions 1

recommended=$(inside dpkg-query -W -f '${Recommends}' fpsynth | sed 's/([^)]*)//g; s/,/ /g')
# shellcheck disable=SC2086 # words
added 'what it recommends' apt-get install -y --no-install-recommends $recommended
shows 0 '^file formats +\.npy; HDF5 ' fpsynth --version
shows 0 '' fpsynth data decode in.h5:/x of-h5.f64
shows 0 '' fpsynth data decode in.nc:x of-nc.f64
cmp "$root/data/in.f64" "$root/data/of-h5.f64"
cmp "$root/data/in.f64" "$root/data/of-nc.f64"
shows 0 '^blosc shuffle' fpsynth compare in.f64 --only memcpy,bzip2,blosc --repetitions 1
printf 'ok: %s in %s\n' "${package##*/}" "$suite"
