// Headers of safetensors: any bytes give tensors whose places are in the file, each value in one of
// them, or an Error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "runners/data/formats/variables.hpp"
#include "synth/common/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fpsynth::data;
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  format_of(file);
  try {
    const std::byte* end = nullptr;
    for (const Variable& variable : list_variables({"fuzz", {}}, file, FileKind::Safetensors)) {
      if (variable.name.empty() || !variable.held || variable.values() == 0) continue;
      const auto read = read_variable({"fuzz", variable.name}, file, FileKind::Safetensors);
      const std::span<const std::byte> values = read.second.bytes;
      if (values.size() != variable.values() * fpsynth::synth::word_bytes(*variable.held)) {
        std::abort();
      }
      if (read.second.owner || values.data() < (end ? end : file.data())) std::abort();
      end = values.data() + values.size();
      if (end > file.data() + file.size()) std::abort();
    }
  } catch (const fpsynth::Error&) {
  }
  return 0;
}
