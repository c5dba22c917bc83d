# compress and decompress on a GPU write the CPU's files; without a GPU, a message or the CPU.
pipeline="LNV1s BIT RLE | DIM5 ZE"
doubles 5000 in.f64
expect 0 fpsynth compress "$pipeline" in.f64 cpu.fps

expect 0 fpsynth compress "$pipeline" in.f64 auto.fps --backend auto
same auto.fps cpu.fps
if ! "$fpsynth" compress "$pipeline" in.f64 probe.fps --backend cuda 2>/dev/null; then
  expect 1 fpsynth compress "$pipeline" in.f64 cuda.fps --backend cuda
  says 'no GPU.*--backend cpu'
  absent cuda.fps
  expect 1 fpsynth decompress cpu.fps cuda.f64 --backend cuda
  absent cuda.f64
else
  expect 0 fpsynth compress "$pipeline" in.f64 cuda.fps --backend cuda --device 0
  same cuda.fps cpu.fps
  expect 0 fpsynth decompress cpu.fps cuda.f64 --backend cuda
  same cuda.f64 in.f64
  expect 1 fpsynth compress "$pipeline" in.f64 other.fps --backend cuda --device 4095
  says 'there is no GPU 4095'
  cp cpu.fps bad.fps
  flip bad.fps -1
  expect 1 fpsynth decompress bad.fps bad.f64 --backend cuda
  says 'bad\.fps: .*damaged'
  absent bad.f64
fi
expect 0 fpsynth decompress cpu.fps auto.f64 --backend auto
same auto.f64 in.f64

expect 2 fpsynth compress "$pipeline" in.f64 other.fps --backend vulkan
says 'auto, cpu or cuda'
absent other.fps

expect 2 fpsynth bench search --layouts
says 'layouts.*--backend cuda'
expect 2 fpsynth bench search --shared-percent 100
says 'shared-percent.*--backend cuda'
