#pragma once
// CBOR, JSON's binary form, in which processes tell one another what no person reads. In one place,
// because the library's reader takes long to compile.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

namespace fpsynth {

std::vector<std::uint8_t> to_cbor(const nlohmann::json& value);

/// Throws nlohmann::json::exception if the bytes are not those of one value.
nlohmann::json from_cbor(std::span<const std::uint8_t> bytes);

}  // namespace fpsynth
