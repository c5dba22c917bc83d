#include "runners/codec/device_hash.hpp"

#include <xxhash.h>

#include <array>
#include <iterator>

namespace fpsynth::codec {

HashKeys HashKeys::standard() {
  std::array<std::byte, XXH3_SECRET_DEFAULT_SIZE> secret;
  XXH3_generateSecret_fromSeed(secret.data(), 0);
  const auto word = [&](std::size_t at) { return load<std::uint64_t>(secret.data() + at); };
  HashKeys keys;
  for (std::size_t i = 0; i < std::size(keys.stripe); ++i) keys.stripe[i] = word(8 * i);
  for (std::size_t i = 0; i < kLanes; ++i) {
    keys.scramble[i] = word(secret.size() - kHashStripe + 8 * i);
    keys.last[i] = word(secret.size() - kHashStripe - 7 + 8 * i);
    keys.merge[i] = word(11 + 8 * i);
  }
  return keys;
}

}  // namespace fpsynth::codec
