#include "runners/cli/search_engine.hpp"

#include <memory>
#include <string>

#include "components/stage_table.hpp"
#include "runners/search/cuda_engine.hpp"

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
    if (why != *told) device::tell_of_cpu(why);
    *told = why;
  });
}

}  // namespace fpsynth::cli
