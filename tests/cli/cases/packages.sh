# Data sets out of packages: fetched by fetch.py, checked, and left out of a study where they are missing.
# apt-get and pip are stand-ins that copy from the folder `mirror`; unpacking is done by the real
# programs.
unset FPSYNTH_DATA
for needed in dpkg-deb python3 tar; do
  command -v "$needed" >/dev/null || skip "no $needed"
done
python=$(python3 -c 'import sys; print(sys.executable)')  # no script that changes the PATH

# A Debian package with two sets, a wheel with one and one in a .npz file, and a source archive with one.
mkdir -p tree/DEBIAN tree/usr/share/waves package/waves waves-1.0/data mirror bin
printf 'Package: waves-data\nVersion: 1:1.0-1\nArchitecture: all\nMaintainer: Nobody <nobody@example.org>\nDescription: waves\n' >tree/DEBIAN/control
doubles 1000 tree/usr/share/waves/wave.f64
floats 500 field.f32
# Big-endian words behind a header of 5 bytes.
perl -e 'binmode STDOUT; print "HEAD\n"; local $/ = \4; print scalar reverse $_ while <>' \
  <field.f32 >tree/usr/share/waves/field.dat
doubles 700 package/waves/pool.f64
doubles 300 waves-1.0/data/sea.f64
floats 150 foam.u16
{
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<u2', 'fortran_order': False, 'shape': (300,), }"
  cat foam.u16
} >foam.npy
"$python" -m zipfile -c package/waves/surf.npz foam.npy
ln -s /etc/hostname tree/usr/share/waves/out.f64
dpkg-deb --root-owner-group --build tree 'mirror/waves-data_1%3a1.0-1_all.deb' >/dev/null
(cd package && "$python" -m zipfile -c ../mirror/wave_pool-2.0-py3-none-any.whl waves)
tar -czf mirror/waves-1.0.tar.gz waves-1.0

hash_of() { sha256sum "$1" | cut -d' ' -f1; }
set_of() {  # NAME NATIVE VALUES FILE HASH PACKAGE
  printf '{"name": "%s", "native": "%s", "shape": [%s], "file": "own/%s", "sha256": "%s", "package": %s}' "$@"
}
cat >own.json <<END
{"family": "own", "sets": [
$(set_of wave double 1000 wave.f64 "$(hash_of tree/usr/share/waves/wave.f64)" \
  '{"kind": "debian", "name": "waves-data", "version": "1:1.0-1", "path": "usr/share/waves/wave.f64"}'),
$(set_of field single 500 field.f32 "$(hash_of field.f32)" \
  '{"kind": "debian", "name": "waves-data", "version": "1:1.0-1", "path": "usr/share/waves/field.dat", "raw": {"endian": "big", "offset": 5}}'),
$(set_of pool double 700 pool.f64 "$(hash_of package/waves/pool.f64)" \
  '{"kind": "pypi", "name": "Wave-Pool", "version": "2.0", "path": "waves/pool.f64"}'),
$(set_of foam uint16 300 foam.u16 "$(hash_of foam.u16)" \
  '{"kind": "pypi", "name": "Wave-Pool", "version": "2.0", "path": "waves/surf.npz/foam.npy"}'),
$(set_of sea double 300 sea.f64 "$(hash_of waves-1.0/data/sea.f64)" \
  '{"kind": "pypi", "name": "waves", "version": "1.0", "path": "data/sea.f64"}')
]}
END

cat >bin/apt-get <<'END'
#!/bin/sh
echo "apt-get $*" >>"$ASKED"
for last; do :; done
cp "$MIRROR/$last"_*.deb . 2>/dev/null || { echo "E: Unable to locate package $last" >&2; exit 100; }
END
cat >bin/python3 <<END
#!/bin/sh
[ "\$2" = pip ] || exec "$python" "\$@"
echo "pip \$*" >>"\$ASKED"
while [ \$# -gt 1 ]; do
  case \$1 in --dest) to=\$2 ;; esac
  shift
done
case \$1 in
  Wave-Pool==2.0) cp "\$MIRROR"/wave_pool-2.0-*.whl "\$to" ;;
  Wave-Pool) cp "\$MIRROR"/wave_pool-*.whl "\$to" ;;
  waves*) cp "\$MIRROR"/waves-1.0.tar.gz "\$to" ;;
  *) false ;;
esac 2>/dev/null || { echo "ERROR: No matching distribution found for \$1" >&2; exit 1; }
END
chmod +x bin/apt-get bin/python3
export ASKED=$PWD/asked MIRROR=$PWD/mirror
script=("$python" "$root/configs/datasets/fetch.py" --fpsynth "$fpsynth")
fetch() {  # STATUS NAME...
  : >asked
  expect "$1" env PATH="$PWD/bin:$PATH" "${script[@]}" "${@:2}" --registry own.json --dir sets
}

# Each package is downloaded once; nothing but the values stays.
fetch 0 own
prints '^field: sets/own/field\.f32, XXH3 [0-9a-f]{16}$'
same sets/own/wave.f64 tree/usr/share/waves/wave.f64
same sets/own/field.f32 field.f32
same sets/own/pool.f64 package/waves/pool.f64
same sets/own/foam.u16 foam.u16
same sets/own/sea.f64 waves-1.0/data/sea.f64
[[ $(grep -c apt-get asked) == 1 ]] || not_ok 'a package was downloaded twice'
absent sets/partial
fetch 0 own
prints 'sea: is there'
[[ ! -s asked ]] || not_ok 'what was there was downloaded again'
expect 0 fpsynth data list own --verify --registry own.json --dir sets
expect 0 fpsynth data list field --registry own.json --dir sets --json
prints '"name": "waves-data"'
prints '"here": "sets/own/field.f32"'

# The rest of an interrupted run: its package is used, and what it was doing is done again.
rm sets/own/wave.f64
mkdir -p sets/partial/{unpacked,download,values}
cp mirror/waves-data_*.deb sets/partial/
echo half >sets/partial/values/wave.f64
echo half >sets/partial/download/waves-data_2_all.deb
fetch 0 wave
[[ ! -s asked ]] || not_ok 'a package that was there was downloaded again'
same sets/own/wave.f64 tree/usr/share/waves/wave.f64
absent sets/partial

# Another version: named, and its values are taken if they are the same.
rm -r sets
mv 'mirror/waves-data_1%3a1.0-1_all.deb' mirror/waves-data_2.0-1_all.deb
mv mirror/wave_pool-2.0-py3-none-any.whl mirror/wave_pool-3.1-py3-none-any.whl
doubles 701 package/waves/pool.f64
fetch 0 own
prints 'waves-data has version 2\.0-1 here, and 1:1\.0-1 is described'
prints 'Wave-Pool has version 3\.1 here'
same sets/own/field.f32 field.f32

# Other values, other sizes, no such file: the rest goes on, and what is missing is listed.
rm -r sets
head -c 7999 tree/usr/share/waves/wave.f64 >changed.f64
printf 'x' >>changed.f64
mv changed.f64 tree/usr/share/waves/wave.f64
dpkg-deb --root-owner-group --build tree mirror/waves-data_2.0-1_all.deb >/dev/null
(cd package && "$python" -m zipfile -c ../mirror/wave_pool-3.1-py3-none-any.whl waves)
fetch 1 own
says 'wave cannot be taken from the Debian package waves-data, version 2\.0-1: the SHA-256 of its values is [0-9a-f]{64} instead of'
says 'pool cannot be taken.*it has 5608 bytes of double instead of 5600 of double'
says '2 of 5 data sets were not fetched: wave, pool'
absent sets/own/wave.f64
absent sets/partial
same sets/own/field.f32 field.f32
same sets/own/sea.f64 waves-1.0/data/sea.f64
sed 's|data/sea\.f64|data/lake.f64|' own.json >lake.json
expect 1 env PATH="$PWD/bin:$PATH" "${script[@]}" sea --registry lake.json --dir lakes
says 'it has no file data/lake\.f64'
sed 's|usr/share/waves/wave\.f64|usr/share/waves/out.f64|' own.json >link.json
expect 1 env PATH="$PWD/bin:$PATH" "${script[@]}" wave --registry link.json --dir links
says 'out\.f64 is a link out of the package|it has no file'

# A package that is cut short is removed, so that the next call downloads it again.
rm -r sets
truncate -s 900 mirror/waves-data_2.0-1_all.deb
fetch 1 wave
says 'cannot unpack waves-data_2\.0-1_all\.deb, which has wave: dpkg-deb ended with status'
says 'it was removed; fetch again'
absent sets/partial/waves-data_2.0-1_all.deb
# Archives that name files outside of their folder do not write there.
"$python" - <<'END'
import io, tarfile, zipfile
with tarfile.open("mirror/waves-1.0.tar.gz", "w:gz") as archive:
    for name in ("waves-1.0/../../../../escaped", "waves-1.0/data/sea.f64"):
        entry = tarfile.TarInfo(name)
        entry.size = 4
        archive.addfile(entry, io.BytesIO(b"evil"))
with zipfile.ZipFile("mirror/wave_pool-3.1-py3-none-any.whl", "w") as archive:
    archive.writestr("../../../escaped", "evil")
    archive.writestr("waves/pool.f64", "evil")
END
fetch 1 sea pool
says 'cannot unpack waves-1\.0\.tar\.gz'
says 'pool cannot be taken'
absent escaped
[[ -z $(find . -name escaped) ]] || not_ok 'an archive wrote outside of its folder'

# No network, no programs: what to put where, which then is taken from there.
rm mirror/waves-1.0.tar.gz
fetch 1 sea
says 'No matching distribution'
says 'cannot download the PyPI package waves, which has sea: python3 ended with status 1'
says 'download its file \(waves-\*\.whl or waves-\*\.tar\.gz\) elsewhere, put it in sets/packages'
tar -czf waves-1.0.tar.gz waves-1.0
expect 1 env PATH=/nowhere "${script[@]}" wave --registry own.json --dir sets
says 'cannot run apt-get.*\(waves-data_\*\.deb\).*sets/packages'
mkdir sets/packages
cp waves-1.0.tar.gz sets/packages/
fetch 0 sea
[[ ! -s asked ]] || not_ok 'a package that the user had put there was downloaded'
same sets/own/sea.f64 waves-1.0/data/sea.f64
exists sets/packages/waves-1.0.tar.gz

# A study of both precisions takes singles as they are, and leaves out what is missing.
cp field.f32 sets/own/field.f32
cat >study.json <<'END'
{"name": "own", "datasets": ["own.json"], "precisions": ["double", "single"], "space": {"stages": 1},
 "data": [{"dataset": "wave"}, {"dataset": "sea"}, {"dataset": "field"}]}
END
export FPSYNTH_DATA=sets
expect 1 fpsynth search --study study.json --out found
says 'the data set wave is not in sets; fetch it with configs/datasets/fetch\.py wave'
expect 0 fpsynth search --study study.json --out found --skip-missing
says 'left out, because they are not in sets: wave'
says 'a data set holds singles or integers, which are not converted, and is searched as stored'
exists found/sea.double.json
exists found/field.single.json
absent found/field.double.json
expect 1 fpsynth search --study study.json --out found --skip-missing --dry-run
says 'sea\.double\.json exists already; continue with --resume'
expect 0 fpsynth search --study study.json --out found --skip-missing --dry-run --resume
prints 'data: 2 data sets'
expect 0 fpsynth search --study study.json --out found --skip-missing --resume
says 'sea double: searched already'
expect 0 fpsynth query best --runs found
prints '^field '
expect 1 fpsynth search --study study.json --precision double --out doubles --skip-missing
says 'field.*holds native single'
rm -r sets/own
expect 1 fpsynth search --study study.json --out none --skip-missing
says "none of the study's data sets is in sets"
