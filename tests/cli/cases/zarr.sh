# Zarr's directories, of versions 2 and 3, as the package zarr of PyPI writes them: every codec, type,
# order and edge comes out as NumPy has it.
python=/usr/bin/python3
$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || skip 'no Python 3.11'
$python -m pip install --quiet --no-input --disable-pip-version-check --no-compile --target packages zarr==3.1.6 \
  >log 2>&1 || skip 'no zarr from PyPI (pip)'
export PYTHONPATH=$PWD/packages
cat >write.py <<'END'
import itertools, sys, zarr, numcodecs, numpy as np
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec, ZstdCodec
from zarr.codecs.numcodecs import BZ2, LZ4
random = np.random.default_rng(7)
codecs = {2: {"raw": None, "zlib": numcodecs.Zlib(), "gzip": numcodecs.GZip(), "zstd": numcodecs.Zstd(),
              "lz4": numcodecs.Blosc(cname="lz4"), "bits": numcodecs.Blosc(cname="zstd", shuffle=2),
              "block": numcodecs.LZ4(), "bz2": numcodecs.BZ2()},
          3: {"raw": None, "gzip": GzipCodec(), "zstd": ZstdCodec(),
              "lz4": BloscCodec(cname="lz4"), "bits": BloscCodec(cname="zstd", shuffle="bitshuffle"),
              "block": LZ4(), "bz2": BZ2(), "twice": [Crc32cCodec(), GzipCodec(), ZstdCodec(), Crc32cCodec()]}}
for version in 2, 3:
    group = zarr.open_group(f"v{version}.zarr", mode="w", zarr_format=version)
    for (codec, value), dtype in itertools.product(codecs[version].items(), ("<f4", "<f8", ">f4", ">f8")):
        for shape, chunks in ((37,), (8,)), ((5, 7), (2, 7)), ((4, 3, 5), (3, 2, 2)), ((3, 2), (1, 1)):
            values = random.normal(size=shape).cumsum(axis=0).astype(dtype)
            values.flat[0] = np.nan
            by_columns = dtype == "<f8" and len(shape) > 1
            name = f"{codec}/{dtype[1:]}{'be' if dtype[0] == '>' else ''}/x{len(shape)}_{chunks[0]}"
            layout = ({"order": "F" if by_columns else "C"} if version == 2 else
                      {"serializer": BytesCodec(endian="big" if dtype[0] == ">" else "little"),
                       "filters": [TransposeCodec(order=range(len(shape))[::-1])] if by_columns else None})
            array = group.create_array(name, shape=shape, chunks=chunks, dtype=dtype, compressors=value, **layout)
            array[...] = values
            print(f"v{version}.zarr", name)
            values.astype("<" + dtype[1:]).tofile(f"v{version}_{name.replace('/', '_')}.raw")
    holes = group.create_array("holes", shape=(10, 10), chunks=(5, 5), dtype="f8", fill_value=2.5)
    holes[6:, :3] = 1.0
    holes[:].tofile(f"v{version}_holes.raw")
    print(f"v{version}.zarr", "holes")
    zarr.consolidate_metadata(f"v{version}.zarr")
values = random.normal(size=(37, 23, 5)).astype("f4")
inner = ShardingCodec(chunk_shape=(3, 2, 2), codecs=[BytesCodec(endian="big"), ZstdCodec()], index_location="start")
for name, codecs in {"edge": [ShardingCodec(chunk_shape=(4, 6, 3))],
                     "nested": [TransposeCodec(order=(2, 0, 1)), ShardingCodec(chunk_shape=(6, 4, 4), codecs=[inner]),
                                GzipCodec()]}.items():
    array = zarr.create(store=f"{name}.zarr", shape=values.shape, chunks=(12, 12, 12), dtype="f4", codecs=codecs,
                        zarr_format=3, fill_value=-0.5)
    array[2:30] = values[2:30]
    array[:].tofile(f"{name}_.raw")
    print(f"{name}.zarr", "")
ones = zarr.create_array("ones.zarr", shape=(1000, 1000), chunks=(1000, 1000), dtype="f8")  # 8 MB in 761 bytes
ones[:] = 1
ones[:].tofile("ones_.raw")
print("ones.zarr", "")
END
$python write.py >names 2>log || not_ok "zarr wrote nothing: $(tail -n 1 log)"
count=0
while read -r store name; do
  expect 0 fpsynth data decode "$store${name:+:$name}" out.raw --force
  same out.raw "${store%.zarr}_${name//\//_}.raw"
  count=$((count + 1))
done <names
((count == 261)) || not_ok "$count arrays instead of 261"
expect 0 fpsynth data info v3.zarr
prints '^v3\.zarr:gzip/f4be/x1_8 +float32 +37 +big-endian, chunks of 8, zlib'
expect 0 fpsynth data info nested.zarr
prints '^nested\.zarr +float32 +37x23x5 +big-endian, shards of 12x12x12, zlib, shards of 6x4x4, chunks of 3x2x2, zstd'
# Without the arrays' own metadata, the group's copies count.
find v3.zarr -mindepth 2 -name zarr.json -delete
expect 0 fpsynth data decode v3.zarr:bits/f4/x3_3 out.raw --force
same out.raw v3_bits_f4_x3_3.raw
expect 1 fpsynth search v2.zarr --out none
says 'v2\.zarr: it has 129 variables with values; name one'
expect 0 fpsynth search v2.zarr:holes --out found 
