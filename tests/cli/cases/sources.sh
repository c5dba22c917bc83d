# Outputs that are one of the several files of an input: chunks of Zarr arrays, sources of virtual data
# sets, raw files, what links lead to. Each is refused as the input itself is, and stays as it is.

# refused INPUT OUTPUT: no command replaces a file of its input.
refused() {
  [[ -e $2 ]] && cp "$2" kept
  for command in 'compress ZE' 'data decode'; do
    # shellcheck disable=SC2086 # words
    expect 2 fpsynth $command "$1" "$2" --force
    says '^fpsynth: .*name another output'
  done
  if [[ -e $2 ]]; then same "$2" kept; fi
  rm -f kept
}

doubles 20 part
mkdir -p a.zarr/t elsewhere
echo '{"zarr_format": 2}' >a.zarr/.zgroup
echo '{"zarr_format": 2, "shape": [80], "chunks": [20], "dtype": "<f8", "compressor": null, "fill_value": 0,
  "order": "C", "filters": null}' >a.zarr/t/.zarray
cp part a.zarr/t/0
cp part elsewhere/one
ln -s ../../elsewhere/one a.zarr/t/1
ln elsewhere/one elsewhere/same
cp part a.zarr/t/2
ln -s a.zarr/t/2 two
# Chunk 3 is not there; it would be a file of the array.
for output in a.zarr/t/0 a.zarr/t/1 a.zarr/t/3 a.zarr/t/.zarray elsewhere/one elsewhere/same two; do
  refused a.zarr:t $output
done
says 'two is a file of .*a\.zarr/t, the input'
absent a.zarr/t/3
refused a.zarr/t a.zarr/t/0
refused a.zarr:t a.zarr/.zgroup
(cd a.zarr/t && exec "$fpsynth" compress ZE . new.fps) 2>.err
(($? == 2)) || not_ok 'a file in the current folder, which is the input'
expect 2 fpsynth data info a.zarr:t --json --out a.zarr/t/3
expect 2 fpsynth data export a.zarr:t --to a.zarr/t
absent a.zarr/t/a_t.f64
expect 0 fpsynth compress ZE a.zarr:t a.zarr/beside.fps
expect 0 fpsynth compress ZE a.zarr:t elsewhere/other.fps

python=/usr/bin/python3
if ! $python -c 'import h5py' 2>/dev/null || "$fpsynth" --version | grep -q 'no libhdf5'; then
  printf 'no h5py (python3-h5py) or no libhdf5: not tested with HDF5\n'
  return
fi
cat >write.py <<'END'
import h5py, numpy
values = numpy.arange(60.0)
for i in range(3):
    with h5py.File(f"part-{i}.h5", "w") as file:
        file["x"] = values + i
values.tofile("x.raw")
with h5py.File("all.h5", "w") as file:
    layout = h5py.VirtualLayout(shape=(180,), dtype="f8")
    for i in range(3):
        layout[60 * i : 60 * i + 60] = h5py.VirtualSource(f"part-{i}.h5", "x", shape=(60,))
    file.create_virtual_dataset("v", layout)
    file.create_dataset("raw", data=None, shape=(60,), dtype="f8", external=[("x.raw", 0, 480)])
    file["link"] = h5py.ExternalLink("part-0.h5", "/x")
with h5py.File("pattern.h5", "w") as file:
    space = h5py.h5s.create_simple((60,), (h5py.h5s.UNLIMITED,))
    space.select_hyperslab((0,), (h5py.h5s.UNLIMITED,), (60,), (60,))
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_virtual(space, b"part-%b.h5", b"/x", h5py.h5s.create_simple((60,)))
    space.select_all()
    h5py.h5d.create(file.id, b"v", h5py.h5t.IEEE_F64LE, space, properties)
# Rows of other files, which grow; the second is behind.
none = h5py.h5s.UNLIMITED
with h5py.File("rows.h5", "w") as file:
    space = h5py.h5s.create_simple((2, 10), (2, none))
    source = h5py.h5s.create_simple((10,), (none,))
    source.select_hyperslab((0,), (1,), (1,), (none,))
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    for i, count in (0, 10), (1, 4):
        with h5py.File(f"row-{i}.h5", "w") as row:
            row.create_dataset("x", data=numpy.ones(count), maxshape=(None,))
        space.select_hyperslab((i, 0), (1, 1), (1, 1), (1, none))
        properties.set_virtual(space, f"row-{i}.h5".encode(), b"/x", source)
    space.select_all()
    h5py.h5d.create(file.id, b"v", h5py.h5t.IEEE_F64LE, space, properties)
END
expect 0 $python write.py
ln part-1.h5 again.h5
refused all.h5:/v part-1.h5
refused all.h5:/v again.h5
refused pattern.h5:/v part-2.h5
refused all.h5:/raw x.raw
says 'x\.raw is both input and output'
refused all.h5:/link part-0.h5
expect 2 fpsynth repack all.h5 part-1.h5 --force
expect 2 fpsynth repack all.h5 x.raw --force
expect 0 fpsynth compress ZE all.h5:/raw part-1.h5 --force

# The library ends a data set of a pattern in front of the first source that is missing.
expect 0 $python write.py
rm part-1.h5
expect 1 fpsynth data decode pattern.h5:/v out.f64
says 'and part-1\.h5, for which libhdf5 would give fill values, is not there, but part-2\.h5 is'
rm part-2.h5
expect 0 fpsynth data decode pattern.h5:/v out.f64
[[ $(size out.f64) == 480 ]] || not_ok "the only source has 60 values"
# It fills up what a source that grows does not have yet.
expect 1 fpsynth data decode rows.h5:/v rows.f64
says 'and row-1\.h5:/x, for which libhdf5 would give fill values, cannot be read: it does not have the values that are taken'
$python -c 'import h5py; x = h5py.File("row-1.h5", "a")["x"]; x.resize((10,)); x[:] = 2'
expect 0 fpsynth data decode rows.h5:/v rows.f64
[[ $(size rows.f64) == 160 ]] || not_ok "the rows have 20 values"
