#include "runners/baselines/peers/peers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "synth/common/error.hpp"

namespace fpsynth::baselines {
namespace {

// A library that reads words finds them at such distances.
constexpr std::size_t kWord = sizeof(std::uint64_t);

std::size_t padded(std::size_t bytes) { return (bytes + kWord - 1) / kWord * kWord; }

void compress(const PeerCalls& calls, std::span<const std::byte> input,
              std::vector<std::byte>& file) {
  std::size_t end = 0;
  while (input.size() >= kWord) {
    const auto block = input.first(std::min(calls.block, input.size() / kWord * kWord));
    input = input.subspan(block.size());
    const std::size_t at = end + kWord;
    // Bytes that are there need not be set.
    file.resize(std::max(file.size(), at + std::max(calls.bound(block.size()), block.size())));
    std::uint64_t size = calls.encode(block, std::span(file).subspan(at));
    if (size == 0 || size >= block.size()) {
      size = block.size();
      std::ranges::copy(block, file.begin() + std::ptrdiff_t(at));
    }
    std::memcpy(file.data() + end, &size, kWord);
    end = at + padded(size);
  }
  file.resize(end);
  file.insert(file.end(), input.begin(), input.end());
}

void decompress(const PeerCalls& calls, std::span<const std::byte> file,
                std::span<std::byte> original) {
  while (original.size() >= kWord) {
    const auto block = original.first(std::min(calls.block, original.size() / kWord * kWord));
    original = original.subspan(block.size());
    std::uint64_t size = 0;
    std::memcpy(&size, file.data(), kWord);
    const auto encoded = file.subspan(kWord, size);
    file = file.subspan(kWord + padded(size));
    if (size == block.size()) {
      std::ranges::copy(encoded, block.begin());
    } else if (!calls.decode(encoded, block)) {
      throw Error("its library failed to decompress");
    }
  }
  std::ranges::copy(file, original.begin());
}

}  // namespace

Compressor peer(std::string name, std::string version,
                std::function<PeerCalls(synth::Precision)> calls_for) {
  return {.name = std::move(name),
          .version = std::move(version),
          .compress =
              [calls_for](std::span<const std::byte> input, synth::Precision precision,
                          std::vector<std::byte>& file) {
                compress(calls_for(precision), input, file);
              },
          .decompress =
              [calls_for](std::span<const std::byte> file, synth::Precision precision,
                          std::span<std::byte> original) {
                decompress(calls_for(precision), file, original);
              }};
}

std::size_t size_if(bool succeeded, std::size_t size) {
  if (!succeeded) throw Error("its library failed to compress; free some memory");
  return size;
}

}  // namespace fpsynth::baselines
