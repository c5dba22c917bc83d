#include "runners/timing/backend.hpp"

#include <fmt/core.h>

#include "components/stage_table.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/codec/device_codec.hpp"
#include "runners/device/device.hpp"
#include "runners/timing/compiled/compiler.hpp"
#include "runners/timing/compressor.hpp"
#include "runners/timing/device_copy.hpp"
#include "runners/timing/measure.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::timing {
namespace {

using device::DeviceInfo;

std::string library_version() { return std::string("fpsynth ") + synth::kVersion; }

Variant library_on(std::uint64_t threads) {
  return {.how = "library",
          .version = library_version(),
          .threads = threads,
          .make = [threads](const synth::Pipeline& pipeline, synth::Precision precision) {
            return timed_compressor(
                pipeline_compressor({{}, pipeline}, to_string(pipeline), static_cast<int>(threads)),
                precision);
          }};
}

std::string architecture_of(const DeviceInfo& info) {
  return fmt::format("sm_{}{}", info.major, info.minor);
}

DeviceInfo first_device() {
  std::string why;
  if (!device::cuda_devices(&why, {}, 1).empty()) return device::parse_devices("all", 1).front();
  raise<device::DeviceError>("no GPU to time on: {}; omit --backend, or use --backend cpu", why);
}

}  // namespace

Backend cpu_backend(int threads) {
  Backend backend;
  backend.name = "cpu";
  backend.device = device::cpu_name();
  backend.instruction_set = components::default_stages().name();
  backend.threads = static_cast<std::uint64_t>(codec::threads_for(threads, UINT64_MAX));
  backend.cache_bytes = last_level_cache_bytes();
  backend.copy_name = "memcpy";
  backend.copy = [](std::uint64_t threads_used) {
    return timed_compressor(memory_copy(static_cast<int>(threads_used)), synth::Precision::Double);
  };
  backend.variants = {library_on(1)};
  if (backend.threads > 1) backend.variants.push_back(library_on(backend.threads));
  return backend;
}

Backend cuda_backend() {
  const DeviceInfo info = first_device();
  Backend backend;
  backend.name = "cuda";
  backend.device = info.name;
  backend.instruction_set = architecture_of(info);
  backend.cache_bytes = info.cache_bytes;
  backend.copy_name = "device copy";
  backend.copy = [info](std::uint64_t) { return cuda_copy(info); };
  backend.notes = {
      "Kernel times are the codec's, without the checksum's; those of \"device copy\" are the copy "
      "within the device's memory. Wall times are from the host's pageable memory and back, with "
      "the checksum"};
  backend.gpu = info;
  backend.variants = {{.how = "library",
                       .version = library_version(),
                       .threads = 1,
                       .make = [info](const synth::Pipeline& pipeline, synth::Precision precision) {
                         return timed_on_device(
                             codec::cuda_codec(pipeline, synth::word_bytes(precision), info));
                       }}};
  return backend;
}

std::string add_generated_kernels(Backend& backend) {
  const DeviceInfo info = first_device();
  try {
    const Compiler nvcc = find_nvcc();
    backend.variants.push_back(
        {.how = "generated",
         .version = nvcc.version,
         .threads = 1,
         .make = [=](const synth::Pipeline& pipeline, synth::Precision precision) {
           const std::size_t word_bytes = synth::word_bytes(precision);
           const auto cubin = compiled_kernels(nvcc, pipeline, word_bytes, architecture_of(info));
           return timed_on_device(codec::cuda_loaded_codec(pipeline, word_bytes, info, cubin));
         }});
  } catch (const Error& error) {
    return fmt::format("no generated kernels: {}", error.what());
  }
  return {};
}

}  // namespace fpsynth::timing
