#include "runners/cli/search/engine.hpp"

#include <fmt/core.h>

#include <memory>
#include <string>

#include "components/stage_table.hpp"
#include "runners/search/gpu/cuda_engine.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::cli {

search::EngineFactory engine_on(const std::vector<device::DeviceInfo>& devices, bool or_processor,
                                int threads, bool merge_equal) {
  const auto cpu = search::cpu_engine(threads, components::default_stages(), merge_equal);
  if (devices.empty()) return cpu;
  const auto gpus = search::cuda_engine(devices);
  if (!or_processor) return gpus;
  // Every data set has its own engine; the same reason is printed once.
  const auto told = std::make_shared<std::string>();
  return search::engine_or(gpus, cpu, [told](const std::string& why) {
    if (why != *told) device::report_cpu_fallback(why);
    *told = why;
  });
}

search::EngineFactory engine_of_rank(bool gpu, const std::string& devices, int threads,
                                     bool merge_equal) {
  if (!gpu) return engine_on({}, false, threads, merge_equal);
  std::string why;
  if (device::cuda_devices(&why, {}, 1).empty()) {
    throw Error(
        fmt::format("--gpus: chunks must be timed on a GPU like those of the nodes, and there is "
                    "none here: {}; "
                    "run this on such a node (srun --gpus 1), or leave out --gpus",
                    why));
  }
  return engine_on(device::parse_devices(devices, 1), false, threads, merge_equal);
}

}  // namespace fpsynth::cli
