# repack: what is written anew, what stays, what is refused. tests/hdf5/repack_there_and_back.py has the file.
expect 2 fpsynth repack
expect 2 fpsynth repack in.h5
says 'OUT is required, unless with --dry-run'
expect 2 fpsynth repack in.h5 out.h5 --chunk 5x
says "--chunk '5x': give the extents, slowest first, as 100x200"
"${fpsynth:?}" --version | grep -q 'no libhdf5' && skip 'this build has no libhdf5 (libhdf5-dev)'
"$fpsynth" hdf5 path >.out 2>.err || skip 'this build has no HDF5 filter (FPSYNTH_INSTALL)'
HDF5_PLUGIN_PATH=$(cat .out)
command -v h5repack >/dev/null || skip 'no h5repack (hdf5-tools)'
/usr/bin/python3 -c 'import h5py' 2>/dev/null || skip 'no h5py (python3-h5py)'
h5py() { HDF5_PLUGIN_PATH=$HDF5_PLUGIN_PATH /usr/bin/python3 "${root:?}/tests/hdf5/repack_there_and_back.py" "$@"; }
expect 0 h5py make in.h5

# --- everything stays, and the values ------------------------------------------------------------
method='LNV1s BIT | RLE'
expect 0 fpsynth repack in.h5 named.h5 --method "$method" --only t
prints '^/same +float32 +30x20x10 +80000 .*LNV1s BIT [|] RLE'
prints '^/u +int64 .*not in --only'
nothing_else in.h5 named.h5
expect 0 fpsynth repack in.h5 out.h5 --effort quick --chunks 1 --candidates 1 --prelude-candidates 2
prints '^/short +int16 '
prints '^/noise .*it would not become smaller'
prints '^note: [0-9]+ variables of less than 4096 bytes left as they are'
prints '^note: the file: [0-9]+ -> [0-9]+ bytes, [0-9.]+ times as many before; every value was read back'
expect 0 h5py same in.h5 out.h5
prints '^same$'
export HDF5_PLUGIN_PATH
expect 0 h5diff --exclude-path /nothing in.h5 out.h5
unset HDF5_PLUGIN_PATH
HDF5_PLUGIN_PATH=$("$fpsynth" hdf5 path)
(($(size out.h5) < $(size in.h5) / 2)) || not_ok "the file is not half as large"

# --- chunks, JSON, a dry run ----------------------------------------------------------------------
expect 0 fpsynth repack in.h5 --dry-run --method "$method" --chunk 50x20x5 --chunk u=4096 --json
prints '"variable": "/u",'
prints '"chunk": "4096"'
prints '"chunk": "50x20x5"'
prints 'estimated from a sample of the chunks; nothing was written; all values: .* less, in about [0-9]+:[0-9]{2}'
# Before any choice, which this method would end.
expect 2 fpsynth repack in.h5 --dry-run --method "DEC:12 / ZE" --chunk t=50
says '--chunk t=50: it has 3 dimensions'
expect 2 fpsynth repack in.h5 --dry-run --chunk 1x1x1x1
says 'in.h5 has no data set of 4 dimensions'
expect 2 fpsynth repack in.h5 --dry-run --only uu
says '--only: in.h5 has no data set uu; did you mean /u\?'

# --- refused --------------------------------------------------------------------------------------
expect 1 fpsynth repack in.h5 out.h5 --method "$method"
says 'out.h5 exists; give --force'
expect 0 fpsynth repack in.h5 named.h5 --method "$method" --only u --force
expect 2 fpsynth repack in.h5 in.h5 --force
expect 1 fpsynth repack none.h5 new.h5
says 'none.h5: No such file'
printf 'no HDF5' >text
expect 1 fpsynth repack text new.h5
says 'text is no HDF5 or netCDF-4 file'
head -c 20000 in.h5 >cut.h5
expect 1 fpsynth repack cut.h5 new.h5
says 'cut.h5: it is damaged'
expect 1 fpsynth repack in.h5 new.h5 --method "DEC:12 / ZE" --only t
says 'in.h5:/same: .*DEC'
expect 1 env PATH=/none "$fpsynth" repack in.h5 new.h5 --method "$method"
says 'no h5repack, which copies the file; install the package hdf5-tools'
expect 1 env TMPDIR=/none "$fpsynth" repack in.h5 new.h5 --method "$method"
says 'temporary folder in /none: No such file .*; set TMPDIR'
absent new.h5
expect 2 fpsynth repack in.h5 new.h5 --in-place
says 'leave out OUT, or --in-place'

# --- in place, a link's file with its mode; references in records, odd names, a large attribute ----
expect 0 h5py make_odd odd.h5
chmod 640 odd.h5
ln -s odd.h5 link.h5
expect 0 fpsynth repack link.h5 --in-place --method "$method"
prints '^/ch:1 .*h5repack takes no name with a comma, a colon or 256 bytes; rename it'
prints '^note: 3 of 6 variables were written anew: 320000 bytes -> [0-9]+ bytes, [0-9.]+ % less'
says 'How, program by program: docs/hdf5-netcdf.md'
[[ -L link.h5 && $(stat -c %a odd.h5) == 640 ]] || not_ok 'the link, or the mode, is another'
expect 0 h5py odd odd.h5 acquisition/lfp acquisition/spikes 'two words'
prints '^same$'
cp odd.h5 before.h5
expect 0 fpsynth repack odd.h5 --in-place --effort quick --only ch:1
prints 'note: none of 6 variables was written anew'
prints 'note: odd.h5 stays as it was'
same odd.h5 before.h5
if unshare --mount --map-root-user true 2>/dev/null; then
  mkdir full
  # shellcheck disable=SC2016 # expanded by the inner shell
  expect 1 unshare --mount --map-root-user bash -c 'mount -t tmpfs -o size=200k none full || exit 1
    "$1" repack in.h5 full/new.h5 --method "$2"; status=$?; ls -A full; exit $status' _ "$fpsynth" "$method"
  says 'cannot write full/new.h5: No space left on device'
  [[ -z $out ]] || not_ok 'files were left behind'
fi

# --- every difference is found --------------------------------------------------------------------
mkdir bin
cat >bin/h5repack <<END
#!/bin/sh
$(command -v h5repack) "\$@" || exit
for out; do :; done
exec /usr/bin/python3 "$root/tests/hdf5/repack_there_and_back.py" change "\$out" "\$CHANGE"
END
chmod +x bin/h5repack
for change in $(h5py changes -); do
  expect 1 env PATH="$PWD/bin:$PATH" CHANGE="$change" "$fpsynth" repack in.h5 new.h5 --method "$method" --only t --only u
  says 'in.h5:? ?(/same: its values from|h5repack made another file of it: |/time: |/same: )'
  absent new.h5
done
for change in $(h5py mended -); do
  expect 0 env PATH="$PWD/bin:$PATH" CHANGE="$change" "$fpsynth" repack in.h5 mended.h5 --method "$method" --force \
    --only t --only u --only short --only big --only part --only group/inner/zulu --only group/inner/alpha
  expect 0 h5py same in.h5 mended.h5
done
cat >bin/h5repack <<'END'
#!/bin/sh
while [ $# -gt 2 ]; do shift; done
exec cp "$1" "$2"
END
expect 1 env PATH="$PWD/bin:$PATH" "$fpsynth" repack in.h5 new.h5 --method "$method" --only t
says 'h5repack did not give it the filter, but shuffle, deflate'
printf '#!/bin/sh\necho "h5repack error: no room"\nexit 1\n' >bin/h5repack
expect 1 env PATH="$PWD/bin:$PATH" "$fpsynth" repack in.h5 new.h5 --method "$method" --only t
says 'h5repack ended with status 1: h5repack error: no room'
absent new.h5

# --- netCDF ---------------------------------------------------------------------------------------
if command -v ncgen >/dev/null && command -v ncdump >/dev/null; then
  perl -e 'print "netcdf in {\ntypes: compound pair { int a ; float b ; } ;\ndimensions: time = UNLIMITED ; x = 600 ;\nvariables: float t(time, x) ; t:_FillValue = -1.f ; t:units = \"K\" ; double time(time) ; pair p(x) ; string s(time) ;\n:title = \"x\" ;\ndata: time = 1, 2, 3 ;\nt = ", join(", ", map { $_ % 50 } 1 .. 1800), " ;\ngroup: g { variables: double u(time, x) ; data: u = ", join(", ", map { $_ % 40 } 1 .. 1800), " ; }\n}\n"' >in.cdl
  expect 0 ncgen -4 -o in.nc in.cdl
  expect 0 fpsynth repack in.nc out.nc --method "$method"
  prints '^/g/u .*LNV1s BIT'
  export HDF5_PLUGIN_PATH
  for file in in out; do
    expect 0 ncdump -n in "$file.nc"
    mv .out "$file.cdl"
  done
  same in.cdl out.cdl
  printf 'netcdf classic { dimensions: x = 2 ; variables: float t(x) ; data: t = 1, 2 ; }' >classic.cdl
  expect 0 ncgen -3 -o classic.nc classic.cdl
  expect 1 fpsynth repack classic.nc new.nc
  says 'classic.nc is .*nccopy -k nc4 classic.nc new.nc makes netCDF-4 of it'
else
  printf 'ncgen is not here (netcdf-bin): not tested with netCDF\n'
fi
