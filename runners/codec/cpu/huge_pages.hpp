#pragma once

#include <cstddef>
#include <cstdint>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace fpsynth::codec {

/// Asks for huge pages in memory that is about to be written. Level: as for WordParts.
template <class Level>
void wish_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  // Below some megabytes, what the last page wastes is too much of the whole.
  constexpr std::size_t kLeast = std::size_t{4} << 20;
  if (bytes < kLeast) return;
  constexpr std::uintptr_t page = std::uintptr_t{1} << 16;  // or shorter ones, of all processors
  const auto from = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (from + page - 1) / page * page;
  const std::uintptr_t end = (from + bytes) / page * page;
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a wish; may fail
#endif
}

}  // namespace fpsynth::codec
