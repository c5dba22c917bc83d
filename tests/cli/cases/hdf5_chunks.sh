# Search within HDF5 chunks: what is reported of the winner is the size of the variable in the file that
# h5repack and nccopy make with it, with preludes and without, padded at the edges with fill values.
perl -e 'binmode STDOUT; print pack("d<*", map { int(sin($_ / 50) * 1e3) / 4 } 1 .. 40000)' >in.f64
search() { expect 0 "${fpsynth:?}" search --stages 1 "$@"; }
# winner DIR NAME: the file's bytes with the best method of a document.
winner() { sed -n 's/.*"rank":1,.*"compressed_bytes":\([0-9]*\).*/\1/p' "$1/$2.double.json" | head -n 1; }

# --- raw words of a shape ------------------------------------------------------------------------------
expect 1 fpsynth search in.f64 --hdf5-chunk 64x64 --out none
says 'its shape is not known.*give --shape'
expect 1 fpsynth search in.f64 --shape 100x400 --hdf5-chunk 64 --out none
says '--hdf5-chunk 64: it has 1 extents, the values have 2'
expect 1 fpsynth search in.f64 --shape 100x400 --hdf5-chunk file --out none
says 'in no HDF5 chunks; give their extents'
expect 1 fpsynth search in.f64 --shape 100x40 --out none
says '--shape 100x40: it holds 40000 values'
expect 2 fpsynth search in.f64 --shape 100x400 --hdf5-chunk 64,64 --out none
says "give the extents, slowest first, as 100x200"
expect 2 fpsynth search in.f64 --shape 100x400 --hdf5-chunk 64x64 --sample 6 --out none
says '--sample 6: of HDF5 chunks of 4 chunks, it takes the same ones of each; 7 takes all in turn'
absent none
search in.f64 --shape 100x400 --hdf5-chunk 64x64 --sample 7 --out sample
search in.f64 --shape 100x400 --hdf5-chunk 64x64 --dry-run
prints '56 chunks'
chunked=(in.f64 --shape 100x400 --hdf5-chunk 64x96 --preludes "LAGs:96, DICT")
search "${chunked[@]}" --out raw
prints ' 0 failed'
expect 0 fpsynth query best --runs raw
prints 'in HDF5 chunks of 64x96'
# Shards are parts of the same sums; a directory is of one shape.
for shard in 1 2 3; do search "${chunked[@]}" --out parts --shard $shard/3; done
expect 0 fpsynth merge parts --out merged
[[ $(winner merged in) == "$(winner raw in)" ]] || not_ok "the shards' winner has another size"
expect 1 fpsynth search --stages 1 in.f64 --shape 100x400 --hdf5-chunk 64x64 --preludes "LAGs:96, DICT" --out raw --resume
says "HDF5 chunks '64x96', not '64x64'"
search "${chunked[@]}" --out raw --resume
says 'searched already'
expect 0 fpsynth hdf5 options --best in --runs raw
prints '^h5py +chunks=\(64, 96,\), compression=63824'
prints '^h5repack .* -l NAME:CHUNK=64x96$'

# --- the files that the filter makes ---------------------------------------------------------------------
"$fpsynth" hdf5 path >.out 2>.err || skip 'this build has no HDF5 filter (FPSYNTH_INSTALL)'
HDF5_PLUGIN_PATH=$(cat .out)
export HDF5_PLUGIN_PATH
for tool in h5repack h5import h5dump; do
  command -v $tool >/dev/null || skip "no $tool (hdf5-tools)"
done
"$fpsynth" --version | grep -q 'no libhdf5' && skip 'this build does not read HDF5 files'
# values DIR NAME: the filter's options for the winner.
values() { "$fpsynth" hdf5 options --best "$2" --runs "$1" --precision double | sed -n 's/^values *//p'; }
# stored FILE VARIABLE: the bytes of its chunks in the file.
stored() { h5dump -pH -d "$2" "$1" | sed -n 's/.*SIZE \([0-9]*\) (.*/\1/p'; }
# repack IN OUT VARIABLE CHUNK VALUES: with a mandatory filter (0), which stores also chunks that grow.
repack() {
  expect 0 h5repack -f "$3:UD=63824,0,$(($(tr -cd , <<<"$5" | wc -c) + 1)),$5" -l "$3:CHUNK=$4" "$1" "$2"
  expect 0 h5diff "$1" "$2"
}
# equal DIR NAME FILE VARIABLE
equal() {
  [[ $(winner "$1" "$2") == "$(stored "$3" "$4")" ]] ||
    not_ok "$1 reports $(winner "$1" "$2") bytes, $3 has $(stored "$3" "$4"): $(values "$1" "$2")"
}
printf 'PATH data\nINPUT-CLASS FP\nINPUT-SIZE 64\nINPUT-BYTE-ORDER LE\nRANK 3\nDIMENSION-SIZES 10 40 100\nOUTPUT-CLASS FP\nOUTPUT-SIZE 64\nOUTPUT-ARCHITECTURE IEEE\nOUTPUT-BYTE-ORDER BE\n' >data.cfg
expect 0 h5import in.f64 -c data.cfg -o in.h5
expect 1 fpsynth search in.h5:/data --hdf5-chunk file --out none
says 'in no HDF5 chunks'
for preludes in none "LAGs:64, DICT LAGs:1" auto; do
  to=${preludes%%:*}
  search in.h5:/data --hdf5-chunk 3x33x64 --preludes "$preludes" --out "$to"
  repack in.h5 "$to.h5" data 3x33x64 "$(values "$to" in_data)"
  equal "$to" in_data "$to.h5" data
  # As the file that was made has its chunks.
  search "$to.h5:/data" --hdf5-chunk file --preludes "$preludes" --out "$to-again"
  prints ' 0 failed'
  [[ $(winner "$to-again" "${to}_data") == "$(winner "$to" in_data)" ]] || not_ok "the file's chunks give another size"
done
(($(winner LAGs in_data) < $(winner none in_data))) || not_ok "no prelude makes the chunks smaller"

# --- fill values: netCDF's own, and a variable's; nccopy pads with zeros --------------------------------------
for tool in ncgen nccopy; do
  command -v $tool >/dev/null || skip "no $tool (netcdf-bin)"
done
"$fpsynth" --version | grep -q 'no libnetcdf' && skip 'this build does not read netCDF files'
perl -e 'print "netcdf in { dimensions: y = 50 ; x = 70 ; variables: double usual(y, x) ; double own(y, x) ; own:_FillValue = -1. ;\n",
         "data: usual = ", join(", ", map { int(50 * sin($_ / 40)) } 1 .. 3500), ";\n own = ", join(", ", map { $_ % 70 } 1 .. 3500), ";\n}\n"' >in.cdl
for kind in 3 4; do
  expect 0 ncgen "-$kind" -o "in$kind.nc" in.cdl
  for name in usual own; do
    search "in$kind.nc:$name" --hdf5-chunk 32x32 --preludes "DICT, LAGs:32" --out "$name$kind"
    options=$(values "$name$kind" "in${kind}_$name")
    if [[ $kind == 3 ]]; then
      expect 0 nccopy -k nc4 -c "y/32,x/32" -F "$name,63824,$options" in3.nc out.nc
    else
      repack in4.nc out.nc "$name" 32x32 "$options"
    fi
    equal "$name$kind" "in${kind}_$name" out.nc "$name"
  done
done
grep -q '"fill":"bff0000000000000"' own4/in4_own.double.json || not_ok "the document lacks the fill value"
