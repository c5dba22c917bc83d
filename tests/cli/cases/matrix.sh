# `query matrix`: every size of every pipeline and data set, read back with NumPy.
cat >study.json <<'END'
{"name": "small", "data": [{"made": "msg_heat", "bytes": 16384}, {"made": "num_nbody", "bytes": 24576}],
 "precisions": ["double", "single"], "space": {"stages": 3, "components": ["NUL", "LNV1s", "BIT", "DIM3"]}}
END
expect 0 fpsynth search --study study.json --out runs
expect 2 fpsynth query matrix --runs runs
expect 0 fpsynth query matrix --runs runs --out sizes.npy
prints '^sizes.npy: 128 pipelines on 4 results$'
prints '^row 1: msg_heat .double., 16384 bytes searched$'
cp .out rows
expect 2 fpsynth query matrix --runs runs --dataset elsewhere --out other.npy
expect 1 fpsynth query matrix --runs nowhere --out other.npy
expect 1 fpsynth query matrix --runs runs --out nowhere/sizes.npy
says 'nowhere'
absent other.npy
# A file is replaced only with --force.
"$fpsynth" query matrix --runs runs --out - >piped.npy 2>.err || not_ok 'not to a pipe'
same piped.npy sizes.npy
expect 1 fpsynth query matrix --runs runs --dataset num_nbody --out sizes.npy
says 'sizes\.npy exists'
same piped.npy sizes.npy
expect 0 fpsynth query matrix --runs runs --dataset num_nbody --precision single --out piped.npy --force
cp .out row
python=/usr/bin/python3
"$python" -c 'import numpy' 2>.err || skip 'no numpy to read it with (python3-numpy)'
cat >compare.py <<'END'
import json, re, sys, numpy
sizes, rows = numpy.load(sys.argv[1]), open(sys.argv[2]).read()
assert sizes.dtype == "<u8" and list(sizes[0]) == list(range(sizes.shape[1])), sizes
named = re.findall(r"^row (\d+): (\w+) \((\w+)\), (\d+) bytes searched$", rows, re.MULTILINE)
assert [int(row) for row, *_ in named] == list(range(1, len(sizes))), named
for row, name, precision, searched in named:
    with open(f"runs/{name}.{precision}.json") as stream:
        document = json.load(stream)
    assert document["sampled_bytes"] == int(searched)
    expected = [size + document["overhead_bytes"] for size in document["payload_bytes"]]
    for failed in document["failed"]:
        expected[failed] = 0
    assert sizes[int(row)].tolist() == expected, name
print(sizes[1:].size, "sizes,", len(named), "results")
END
expect 0 "$python" compare.py sizes.npy rows
prints '^512 sizes, 4 results$'
expect 0 "$python" compare.py piped.npy row
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
expect 0 fpsynth query matrix --runs runs --out failed.npy
prints '^note: msg_heat .double.: failed pipelines'
cp .out rows
expect 0 "$python" compare.py failed.npy rows
prints '^512 sizes, 4 results$'
