#include "runners/baselines/holt/device.hpp"

#include "runners/baselines/holt/format.hpp"

namespace fpsynth::baselines {

std::vector<std::byte> HoltDevice::encode(std::span<const std::byte> input,
                                          synth::Precision precision,
                                          const HoltParameters& parameters) {
  std::vector<std::byte> file;
  encode_into(input, precision, parameters, file);
  return file;
}

std::vector<std::byte> HoltDevice::decode(std::span<const std::byte> file, std::string_view name) {
  const HoltLayout layout = parse_holt(file, name);
  holt_offsets(file, layout, name);  // checks the file before memory is allocated for it
  std::vector<std::byte> out(layout.original_bytes);
  decode_into(file, name, out);
  return out;
}

}  // namespace fpsynth::baselines
