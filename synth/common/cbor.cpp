#include "synth/common/cbor.hpp"

#include <nlohmann/json.hpp>

namespace fpsynth {

std::vector<std::uint8_t> to_cbor(const nlohmann::json& value) {
  return nlohmann::json::to_cbor(value);
}

nlohmann::json from_cbor(std::span<const std::uint8_t> bytes) {
  return nlohmann::json::from_cbor(bytes.begin(), bytes.end());
}

}  // namespace fpsynth
