# `query matrix`: every size of every pipeline and data set, read back with h5py.
cat >study.json <<'END'
{"name": "small", "data": [{"made": "msg_heat", "bytes": 16384}, {"made": "num_nbody", "bytes": 24576}],
 "precisions": ["double", "single"], "space": {"stages": 3, "components": ["NUL", "LNV1s", "BIT", "DIM3"]}}
END
expect 0 fpsynth search --study study.json --out runs
expect 2 fpsynth query matrix --runs runs
if ! "$fpsynth" query matrix --runs runs --out sizes.h5 >.out 2>.err </dev/null; then
  expect 1 fpsynth query matrix --runs runs --out sizes.h5
  says 'was built without its module matrix.*install the package libhdf5-dev'
  absent sizes.h5
  skip 'no HDF5 in this program (libhdf5-dev)'
fi
prints '^sizes.h5: 128 pipelines on 4 results$'
expect 2 fpsynth query matrix --runs runs --dataset elsewhere --out other.h5
expect 1 fpsynth query matrix --runs nowhere --out other.h5
expect 1 fpsynth query matrix --runs runs --out nowhere/sizes.h5
says 'nowhere'
absent other.h5
cp sizes.h5 first.h5
expect 0 fpsynth query matrix --runs runs --out sizes.h5
same sizes.h5 first.h5
# Only an earlier matrix is replaced.
mkdir folder
expect 1 fpsynth query matrix --runs runs --out folder
says 'cannot write folder: it is a directory; name a file'
rmdir folder
doubles 100 in.f64
cp in.f64 kept
expect 1 fpsynth query matrix --runs runs --out in.f64
says 'in\.f64 exists and is no earlier document of this kind \(fpsynth-matrix\)'
same in.f64 kept
expect 0 fpsynth query matrix --runs runs --dataset num_nbody --precision single --out one.h5
python=/usr/bin/python3
"$python" -c 'import h5py' 2>.err || skip 'no h5py to read it with (python3-h5py)'
cat >compare.py <<'END'
import json, sys, h5py
compared = 0
with h5py.File(sys.argv[1]) as file:
    sizes = file["compressed_bytes"]
    assert file.attrs["schema"] == b"fpsynth-matrix" and file.attrs["version"] == 1, dict(file.attrs)
    assert sizes.dtype == "<u8" and sizes.chunks and sizes.compression == "gzip", sizes
    assert list(file["id"]) == list(range(sizes.shape[1]))
    texts = {name: [text.decode() for text in file[name]]
             for name in ("data_set", "precision", "xxh3", "verification", "pipeline")}
    for row, key in enumerate(zip(texts["data_set"], texts["precision"])):
        with open(f"{sys.argv[2]}/{key[0]}.{key[1]}.json") as stream:
            document = json.load(stream)
        data, run = document["dataset"], document["run"]
        assert file["original_bytes"][row] == data["bytes"]
        assert file["searched_bytes"][row] == document["sampled_bytes"]
        assert file["one_chunk_in"][row] == run["sample"]
        assert (texts["xxh3"][row], texts["verification"][row]) == (data["xxh3"], run["verification"])
        for best in document["top"]:
            assert texts["pipeline"][best["id"]] == best["pipeline"]
        expected = [size + document["overhead_bytes"] for size in document["payload_bytes"]]
        for failed in document["failed"]:
            expected[failed] = 0
        assert sizes[row].tolist() == expected, key
        compared += len(expected)
print(compared, "sizes,", sizes.shape[0], "results")
END
"$python" -c 'import h5py; h5py.File("other.h5", "w")["x"] = 1.0'
cp other.h5 kept
expect 1 fpsynth query matrix --runs runs --out other.h5
says 'other\.h5 exists'
same other.h5 kept
expect 0 "$python" compare.py sizes.h5 runs
prints '^512 sizes, 4 results$'
expect 0 "$python" compare.py one.h5 runs
prints '^128 sizes, 1 results$'
# A pipeline that failed has no size.
"$python" - <<'END' || not_ok 'no document with a failure'
import json
with open("runs/msg_heat.double.json") as stream:
    document = json.load(stream)
document["failed"], document["run"]["failures"] = [document["ranking"].pop()], 1
with open("runs/msg_heat.double.json", "w") as stream:
    json.dump(document, stream)
END
expect 0 fpsynth query matrix --runs runs --out failed.h5
prints '^note: msg_heat .double.: failed pipelines'
expect 0 "$python" compare.py failed.h5 runs
prints '^512 sizes, 4 results$'
