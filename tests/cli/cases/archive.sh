# Archives: several variables and arrays in one file, which every program of ZIP reads; what is damaged or
# forged is refused, and nothing is written outside of the folder.
python=/usr/bin/python3
$python -c 'import numpy' 2>/dev/null || skip 'no numpy (python3-numpy)'
doubles 3000 wave.f64
$python - <<'END'
import numpy
wave = numpy.fromfile("wave.f64", "<f8")
numpy.save("grid.npy", wave.reshape(30, 100).astype(">f4"))
numpy.save("column.npy", numpy.asfortranarray(wave.reshape(30, 100)))
END
method="LNV1s BIT | ZE"
expect 2 fpsynth archive
expect 2 fpsynth archive create a.fpsz
says 'INPUT is required'
expect 0 fpsynth archive create a.fpsz grid.npy column.npy wave.f64 --method "$method"
expect 0 fpsynth archive list a.fpsz
prints '^grid\.npy\.fps +float32 +30x100 +12000 '
prints '^wave\.f64\.fps +float64 +- +24000 .* LNV1s BIT \| ZE$'
expect 0 fpsynth archive list a.fpsz --json
$python - <<'END' || not_ok "the list is another one"
import json
members = {one["name"]: one for one in json.load(open(".out"))}
assert list(members) == ["grid.npy.fps", "column.npy.fps", "wave.f64.fps"]
assert members["grid.npy.fps"]["shape"] == [30, 100] and members["wave.f64.fps"]["shape"] is None
END
expect 0 fpsynth archive extract a.fpsz --out there/below
for file in grid.npy column.npy wave.f64; do same "there/below/$file" "$file"; done
expect 1 fpsynth archive extract a.fpsz grid.npy --out there/below
says 'exists; give --force'
expect 0 fpsynth archive extract a.fpsz grid.npy wave.f64.fps --out there/below --force
expect 2 fpsynth archive extract a.fpsz gird.npy --out none
says 'has no member gird\.npy; did you mean grid\.npy'
absent none
expect 1 fpsynth archive create late.fpsz wave.f64 nowhere.f64 --effort quick
says '^fpsynth: cannot read nowhere.f64: No such file or directory; check the path and its permissions'
grep -q wave .err && not_ok 'it was read after the others had been compressed'
# The same inputs make the same bytes; an archive is replaced only with --force.
expect 1 fpsynth archive create a.fpsz grid.npy --method ZE
says 'a\.fpsz exists'
"${fpsynth:?}" archive create - grid.npy column.npy wave.f64 --method "$method" >b.fpsz || not_ok "not to a pipe"
same a.fpsz b.fpsz
# What other programs of ZIP say, and a member alone.
$python - <<'END' || not_ok "Python's zipfile finds something else"
import zipfile
with zipfile.ZipFile("a.fpsz") as archive:
    assert archive.testzip() is None
    assert archive.namelist() == ["grid.npy.fps", "column.npy.fps", "wave.f64.fps"]
    archive.extract("grid.npy.fps")
with zipfile.ZipFile("other.fpsz", "w") as archive:  # and what they write
    archive.write("grid.npy.fps", "a/grid.npy.fps")
    with archive.open("b.fps", "w", force_zip64=True) as member:
        member.write(open("grid.npy.fps", "rb").read())
with zipfile.ZipFile("packed.fpsz", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.write("grid.npy.fps")
with zipfile.ZipFile("foreign.fpsz", "w") as archive:
    archive.write("grid.npy.fps")
    archive.writestr("README", "no member")
with zipfile.ZipFile("up.fpsz", "w") as archive:
    archive.write("grid.npy.fps", "../../up.fps")
with zipfile.ZipFile("twice.fpsz", "w") as archive:
    archive.write("grid.npy.fps")
    archive.writestr("link/grid.npy.fps", open("grid.npy.fps", "rb").read())
END
expect 0 fpsynth decompress grid.npy.fps alone.npy
same alone.npy grid.npy
if command -v unzip >/dev/null; then expect 0 unzip -tq a.fpsz; fi
expect 0 fpsynth archive extract other.fpsz --out other
same other/a/grid.npy grid.npy
same other/b grid.npy
expect 1 fpsynth archive extract packed.fpsz --out none
says 'packed once more, not stored; unpack the archive with unzip'
expect 1 fpsynth archive list foreign.fpsz
says 'foreign\.fpsz:README is no member that fpsynth archive makes'
expect 1 fpsynth archive extract up.fpsz --out none
says "'\.\./\.\./up\.fps' cannot be taken: its name is no path below a folder"
absent none
# A link in the folder leads nowhere else.
mkdir -p linked elsewhere
ln -s ../elsewhere linked/link
expect 1 fpsynth archive extract twice.fpsz --out linked
says 'would not be written below linked'
[[ -z $(ls elsewhere) ]] || not_ok "it was written through a link"
# Damage: every byte of an archive, cut or changed, is found.
expect 0 fpsynth archive create small.fpsz grid.npy --method "$method"
for part in 10 1000 $(($(size small.fpsz) - 1)); do
  head -c "$part" small.fpsz >cut.fpsz
  expect 1 fpsynth archive extract cut.fpsz --out none
done
for at in 20 100 5000 -30; do
  cp small.fpsz bad.fpsz
  flip bad.fpsz "$at"
  "$fpsynth" archive extract bad.fpsz --out bad --force >.out 2>.err && { same bad/grid.npy grid.npy; continue; }
  says 'damaged'
done
cp small.fpsz bad.fpsz
flip bad.fpsz 5000
expect 1 fpsynth archive extract bad.fpsz --out none
says "the CRC-32 of the member 'grid\.npy\.fps' is wrong"
absent none
expect 1 fpsynth archive list wave.f64
says 'no ZIP archive'

# --- variables ---------------------------------------------------------------------------------------------
"$fpsynth" --version | grep -q 'no libhdf5' && skip 'this build does not read HDF5 files'
$python -c 'import h5py' 2>/dev/null || skip 'no h5py (python3-h5py)'
$python - <<'END'
import h5py, numpy
wave = numpy.fromfile("wave.f64", "<f8")
with h5py.File("run.h5", "w") as file:
    file["step/wave"] = wave.reshape(3, 10, 100).astype(">f8")
    file["step/count"] = numpy.arange(700, dtype="<i4")
    file["wave"] = wave.astype("<f4")
    file["name"] = "a text"
END
expect 0 fpsynth archive create run.fpsz run.h5 --effort quick --candidates 2 --prelude-candidates 2
says 'run\.h5:/name is left out'
says '^step/wave\.fps:$'
says 'auto: .*, ratio '
expect 0 fpsynth archive list run.fpsz
prints '^step/count\.fps +int32 +700 '
expect 0 fpsynth archive extract run.fpsz --out run
expect 0 fpsynth archive extract run.fpsz /step/wave --out one
nothing=$(find one -type f)
[[ $nothing == one/step/wave.npy ]] || not_ok "it extracted $nothing"
same one/step/wave.npy run/step/wave.npy
expect 0 $python -c 'import numpy, h5py
file = h5py.File("run.h5")
for name in "step/wave", "step/count", "wave":
    found = numpy.load(f"run/{name}.npy")
    assert found.dtype == file[name].dtype and found.shape == file[name].shape and (found == file[name][:]).all(), name'
# Several files: each has a folder. Names that would be the same are refused.
cp run.h5 second.h5
expect 0 fpsynth archive create both.fpsz run.h5:wave second.h5:/wave grid.npy --method ZE
expect 0 fpsynth archive list both.fpsz
prints '^run/wave\.fps '
prints '^second/wave\.fps '
prints '^grid\.npy\.fps '
expect 2 fpsynth archive create none run.h5:wave run.h5:/wave --method ZE
says 'two members would be called wave\.fps'
expect 1 fpsynth archive create none run.h5:nothing --method ZE
absent none
expect 2 fpsynth archive create run.h5 run.h5 --method ZE --force
says 'is both input and output'
