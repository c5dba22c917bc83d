#include "runners/baselines/gfc/device.hpp"

#include "runners/baselines/gfc/format.hpp"

namespace fpsynth::baselines {

std::vector<std::byte> GfcDevice::encode(std::span<const std::byte> doubles, unsigned chunks,
                                         unsigned dimensionality) {
  std::vector<std::byte> file;
  encode_into(doubles, chunks, dimensionality, file);
  return file;
}

std::vector<std::byte> GfcDevice::decode(std::span<const std::byte> file, std::string_view name) {
  std::vector<std::byte> out(8 * parse_gfc(file, name).layout.doubles);
  decode_into(file, name, out);
  return out;
}

}  // namespace fpsynth::baselines
