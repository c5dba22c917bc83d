#include "runners/data/fcm_predictor.hpp"

#include <fmt/core.h>
#include <sys/mman.h>

#include <utility>

#include "synth/error.hpp"

namespace fpsynth::data {
namespace {

std::size_t bytes_of(std::uint64_t mask) { return 2 * sizeof(std::uint64_t) * (mask + 1); }

}  // namespace

FcmTables::FcmTables(unsigned table_bits, std::size_t values)
    : mask_((std::uint64_t{1} << (table_bits & 63)) - 1) {
  if (table_bits < kMinTableBits || table_bits > kMaxTableBits) {
    throw Error(fmt::format("predictor tables of 2^{} entries: the exponent must be {} to {}",
                            table_bits, kMinTableBits, kMaxTableBits));
  }
  const std::size_t bytes = bytes_of(mask_);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(
        fmt::format("no memory for two predictor tables of 2^{} entries ({} MiB); free "
                    "some memory or use smaller tables",
                    table_bits, bytes >> 20));
  }
#ifdef MADV_HUGEPAGE
  // Random accesses to big tables are bound by the TLB, so huge pages where the data earn them; a
  // few values in big tables must not cost 2 MiB each.
  madvise(memory, bytes, values >= mask_ / 2 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
  entries_ = static_cast<std::uint64_t*>(memory);
}

FcmTables::~FcmTables() {
  if (entries_) munmap(entries_, bytes_of(mask_));
}

FcmTables::FcmTables(FcmTables&& other) noexcept
    : entries_(std::exchange(other.entries_, nullptr)), mask_(other.mask_) {}

}  // namespace fpsynth::data
