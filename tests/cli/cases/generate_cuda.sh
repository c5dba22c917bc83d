# A generated CUDA project from its user's view: it builds without fpsynth, and reports a missing GPU
# clearly; with a GPU, it writes and reads the files of fpsynth. Compiles one
# project for two architectures, some ten seconds of one core.
expect 0 fpsynth generate "LNV6s BIT LNV1s ZE" --target cuda --name mpc6 --out mpc6
for file in mpc6.cuh mpc6.h mpc6.cu mpc6_main.cpp CMakeLists.txt mpc6-config.cmake.in mpc6.pc.in README.md FORMAT.md LICENSE; do
  exists "mpc6/$file"
done
expect 1 fpsynth generate "ZE" --target cuda --name mpc6 --out mpc6
says 'force'
expect 0 fpsynth generate "ORD LAGs:3 / ZE" --target cuda --name behind --out behind
grep -qxF "ORD LAGs:3 / ZE" behind/README.md || not_ok "README.md does not name the method"
expect 2 fpsynth generate "DEC:1 DICT / ZE" --target cuda --name waiting --out waiting
says "prelude 'DEC:1 DICT', which takes values out of the words"
absent waiting
expect 0 fpsynth generate "LNV1s ZE" --precision half --target cuda --name halves --out halves
grep -q 'StaticPipeline<std::uint16_t' halves/halves.cuh || not_ok "halves.cuh has no words of 2 bytes"
expect 2 fpsynth generate "| ZE" --precision byte --target cuda --name waiting --out waiting
says 'words of 8, 4 or 2 bytes'
absent waiting
grep -qE '^#include "' mpc6/mpc6.cuh behind/behind.cuh && not_ok "mpc6.cuh includes files of its own"

nvcc=${CUDACXX:-nvcc}
command -v "$nvcc" >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
command -v "$nvcc" >/dev/null || skip "no nvcc (CUDA Toolkit)"
warnings=-Wall,-Wextra,-Wshadow,-Werror
expect 0 env -i PATH="$PATH" CUDACXX="$nvcc" cmake -S mpc6 -B mpc6/build "${tool[@]}" \
  -DCMAKE_CXX_FLAGS="${warnings//,/ }" -DCMAKE_CUDA_FLAGS="-Xcompiler=$warnings" \
  -DCMAKE_INSTALL_PREFIX="$PWD/usr"
build mpc6
if command -v cuobjdump >/dev/null; then
  expect 0 cuobjdump -lelf mpc6/build/libmpc6.a
  prints 'sm_80'
  prints 'sm_90'
fi

# The CPU's header fails at once if nvcc compiles it.
expect 0 fpsynth generate "ZE" --name host --out host
echo '#include "host/host.hpp"' >host.cu
expect 1 env -i PATH="$PATH" "$nvcc" -std=c++20 -E host.cu
says 'not for nvcc'

# The installed library in C, as far as it goes without a GPU.
expect 0 cmake --install mpc6/build
c_user mpc6
cat >user/user.c <<'END'
#include <stdio.h>
#include "mpc6.h"
int main(void) {
  size_t length = 1;
  if (mpc6_bound(8192) < 8192 || mpc6_bound((size_t)-1) != 0) return 1;
  if (mpc6_original_size(NULL, 8, NULL, NULL) != MPC6_BAD_CALL) return 2;
  if (mpc6_workspace_bytes(8192) == 0) {
    if (mpc6_compress(NULL, 1, NULL, &length, NULL, NULL) != MPC6_DEVICE_FAILED) return 3;
    puts(mpc6_error_text(MPC6_DEVICE_FAILED));
  }
  return puts(mpc6_error_text(MPC6_DAMAGED)) < 0;
}
END
expect 0 cmake -S user -B user/build "${tool[@]}" -DCMAKE_PREFIX_PATH="$PWD/usr"
expect 0 cmake --build user/build
expect 0 user/build/user
prints 'damaged'
exists usr/lib/pkgconfig/mpc6.pc

doubles 30000 in.f64
expect 2 mpc6/build/mpc6 squeeze in.f64 out.fps
expect 2 mpc6/build/mpc6 compress --threads 2 in.f64 out.fps
expect 1 mpc6/build/mpc6 compress missing out.fps
says 'missing'
if ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
  expect 1 mpc6/build/mpc6 compress in.f64 out.fps
  says 'cannot use the GPU'
  PATH=$PATH:/sbin ldconfig -p | grep -q 'libcuda\.so' || says 'there is no NVIDIA driver'
  absent out.fps
else
  expect 0 fpsynth compress "LNV6s BIT LNV1s ZE" in.f64 ref.fps --backend cpu
  expect 0 mpc6/build/mpc6 compress in.f64 out.fps
  same ref.fps out.fps
  expect 0 mpc6/build/mpc6 decompress out.fps copy
  same in.f64 copy
fi
