#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace fpsynth::tests {

/// Bytes in memory of just their size, so that sanitizers find reads past their end.
class ExactMemory {
 public:
  explicit ExactMemory(std::string_view text)
      : size_(text.size()), memory_(std::make_unique<std::byte[]>(size_)) {
    std::ranges::transform(text, memory_.get(), [](char c) { return std::byte(c); });
  }
  std::span<const std::byte> bytes() const { return {memory_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace fpsynth::tests
