#include "runners/timing/backend.hpp"

#include "components/stage_table.hpp"
#include "runners/codec/cpu/threads.hpp"
#include "runners/device/device.hpp"
#include "runners/timing/compressor.hpp"
#include "runners/timing/timed_input.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::timing {
namespace {

Variant library_on(std::uint64_t threads) {
  return {.how = "library",
          .version = std::string("fpsynth ") + synth::kVersion,
          .threads = threads,
          .make = [threads](const synth::Pipeline& pipeline, synth::Precision precision) {
            return timed_compressor(
                pipeline_compressor({{}, pipeline}, to_string(pipeline), static_cast<int>(threads)),
                precision);
          }};
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

}  // namespace fpsynth::timing
