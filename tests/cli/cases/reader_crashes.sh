# A library that crashes while it reads a file ends a process of its own: the program says so and goes on
# with the other variables. A filter of HDF5 that raises a signal stands for the damage.
"${fpsynth:?}" --version | grep -q 'no libhdf5' && skip 'no libhdf5 in this build'
python=/usr/bin/python3
$python -c 'import h5py' 2>/dev/null || skip 'no h5py (python3-h5py)'
command -v gcc >/dev/null || skip 'no gcc'
export HDF5_PLUGIN_PATH=$PWD/plugins
mkdir plugins
cat >crash.c <<'END'
#include <H5PLextern.h>
#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
static size_t filter(unsigned flags, size_t n, const unsigned* v, size_t bytes, size_t* size, void** buffer) {
  const char* number = getenv("CRASH_SIGNAL");
  if ((flags & H5Z_FLAG_REVERSE) && number) raise(atoi(number));
  return bytes;
}
static const H5Z_class2_t kClass = {H5Z_CLASS_T_VERS, 333, 1, 1, "crash", NULL, NULL, filter};
H5PL_type_t H5PLget_plugin_type(void) { return H5PL_TYPE_FILTER; }
const void* H5PLget_plugin_info(void) { return &kClass; }
END
gcc -shared -fPIC -I/usr/include/hdf5/serial crash.c -o plugins/libh5crash.so >log 2>&1 ||
  skip 'no HDF5 to build a filter with (libhdf5-dev)'
doubles 1000 in.f64
$python - <<'END'
import h5py, numpy
values = numpy.fromfile("in.f64")
with h5py.File("a.h5", "w") as file:
    file.create_dataset("x", data=values, chunks=(100,), compression=333)
    file["y"] = values
END

expect 0 fpsynth data decode a.h5:/x out.f64
same out.f64 in.f64
export CRASH_SIGNAL=6
expect 1 fpsynth data decode a.h5:/x none
says '^fpsynth: cannot read a\.h5:/x: libhdf5 crashed while reading it \(Aborted\): it is damaged$'
[[ $(wc -l <.err) == 1 ]] || not_ok 'more than the error was printed'
absent none
expect 1 fpsynth search a.h5:/x --out none
says 'libhdf5 crashed'
absent none
expect 0 fpsynth data decode a.h5:/y out.f64 --force
same out.f64 in.f64
expect 1 fpsynth data info a.h5
prints '^a\.h5:/x .*not read: libhdf5 crashed while reading it'
prints '^a_y +double +8000 '
says 'a\.h5:/x; the list says why'
CRASH_SIGNAL=9 expect 1 fpsynth data decode a.h5:/x none
says 'cannot read a\.h5:/x: the process that read it was killed'
# Whatever an open descriptor of the user is, it is read.
unset CRASH_SIGNAL
exec 7<a.h5
expect 0 fpsynth data decode /dev/fd/7:/x out.f64 --force
same out.f64 in.f64
exec 7<&-
# Under a limit on the size of files, there is no process.
limited() { (ulimit -f 1 && exec "$fpsynth" data info a.h5:/x); }
expect 0 limited
prints '^a_x +double +8000 '
