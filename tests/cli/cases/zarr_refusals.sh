# Directories of Zarr that do not say their values: damaged metadata, --offset and links that lead nowhere end with
# an error in every command, chunks that are not there with a note.
doubles 64 wave.f64
metadata='{"zarr_format": 2, "shape": [64], "chunks": [16], "dtype": "<f8", "compressor": null, "fill_value": -1.5,
  "order": "C", "filters": null}'
mkdir a.zarr
split --bytes 128 --numeric-suffixes --suffix-length 1 wave.f64 a.zarr/
printf '{"missing_value": NaN, "units": "NaN m"}' >a.zarr/.zattrs
every_command() { # every_command REGEX OPTION...: each refuses a.zarr, by its path
  local reason=$1
  shift
  expect 1 timeout 60 "${fpsynth:?}" compress ZE a.zarr x.fps "$@"
  says "$reason"
  expect 1 timeout 60 "${fpsynth:?}" search a.zarr --stages 1 --out found "$@"
  says "$reason"
  expect 1 timeout 60 "${fpsynth:?}" data info a.zarr "$@"
  says "$reason"
  expect 1 timeout 60 "${fpsynth:?}" data decode a.zarr x.f64 "$@"
  says "$reason"
  absent x.fps found x.f64
}
head -c 120 /dev/zero >a.zarr/.zarray
every_command 'a\.zarr/\.zarray is damaged or not JSON'
every_command 'a\.zarr/\.zarray is damaged or not JSON' --type f64
: >a.zarr/.zarray
every_command 'a\.zarr/\.zarray: it is empty; restore it from a copy' --type f64
rm a.zarr/.zarray
mkfifo a.zarr/.zarray
every_command 'a\.zarr/\.zarray: it is no regular file; restore it from a copy' --type f64
rm a.zarr/.zarray
printf '%s' "$metadata" >a.zarr/.zarray
every_command 'a\.zarr is an array or a group of Zarr.*leave out --offset' --type f64 --offset 8
expect 0 fpsynth data info a.zarr
prints 'units = NaN m; missing_value = NaN'
expect 0 fpsynth data decode a.zarr x.f64
same x.f64 wave.f64
[[ -s .err ]] && not_ok 'a note on an array that is whole'
rm x.f64

rm a.zarr/1
expect 0 fpsynth data decode a.zarr x.f64
[[ ${err:-} == 'note: a.zarr: 1 of 4 chunks is not there and counts as the fill value -1.5' ]] || not_ok 'another note'
expect 0 fpsynth compress ZE a.zarr x.fps
says '^note: a\.zarr: 1 of 4 chunks is not there'
rm x.f64 x.fps
ln -s /nonexistent/annex/x a.zarr/1
every_command 'a\.zarr/1: it is a symbolic link to /nonexistent/annex/x: No such file.*fetch what it links to'
