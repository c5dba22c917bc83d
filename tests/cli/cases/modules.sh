# A library that is missing costs its module alone: --version names it, and what needs it says what to install.
lib=$(dirname "$fpsynth")/../lib/fpsynth
[[ -e $lib/hdf5.so && -e $lib/bzip2.so ]] || skip 'this program has no modules'
mkdir -p moved/bin moved/lib
cp "$fpsynth" moved/bin/fpsynth
doubles 1000 in.f64
printf '\x89HDF\r\n\x1a\n' >in.h5

# Without its folder lib, the program does what needs no module.
expect 0 moved/bin/fpsynth --version
prints 'no blosc \(this program was built without its module blosc, or moved without its folder lib/fpsynth; install'
prints 'npy; no libhdf5 \(this program was built without its module hdf5,'
prints '; Zarr 2 and 3, no zlib \(this program was built without its module decode_zlib,'
expect 0 moved/bin/fpsynth search in.f64 --out runs --stages 1
expect 1 moved/bin/fpsynth data info in.h5
says 'cannot read in\.h5: this program was built without its module hdf5.* install the package libhdf5-dev and build'

# With it, and without two libraries: their names are changed in the modules.
cp -r "$lib" moved/lib
perl -pi -e 's/libhdf5(\w*)\.so\.\d/libhdf5$1.so.x/g; s/libbz2\.so\.\d/libbz2.so.x/g' moved/lib/fpsynth/{hdf5,bzip2}.so
expect 0 moved/bin/fpsynth --version
prints '; no bzip2 \(libbz2\.so\.x[.0-9]*: cannot open shared object file.*; install the package [a-z0-9.-]+\)'
prints '\.npy; no libhdf5 \(libhdf5\w*\.so\.x'
prints '; zlib [0-9]'
prints '; Zarr 2 and 3$'
expect 1 moved/bin/fpsynth data info in.h5
says 'cannot read in\.h5: libhdf5\w*\.so\.x.*: cannot open shared object file.*; install the package libhdf5'
expect 0 moved/bin/fpsynth compare in.f64 --only memcpy,gzip --repetitions 1
prints '^gzip -1 '
prints '^note: without bzip2: libbz2\.so\.x.*; install the package '
