#include "runners/codec/cpu/parallel.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <vector>

#include "runners/codec/cpu/ordered_pool.hpp"

namespace fpsynth::codec {
namespace {

/// The exception that f() throws, or null.
template <class F>
std::exception_ptr thrown_by(F f) {
  try {
    f();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

void in_order(std::uint64_t first, std::uint64_t end, int threads,
              const std::function<void(std::uint64_t, std::size_t, std::size_t)>& produce,
              const std::function<void(std::uint64_t, std::size_t)>& consume) {
  OrderedPool pool(threads, end - first, buffer_count(threads));
  if (!pool.allocate()) throw std::bad_alloc();
  std::vector<std::exception_ptr> errors(pool.buffers());
  std::exception_ptr failure;
  pool.run(
      [&](std::uint64_t item, std::size_t buffer, std::size_t thread) {
        errors[buffer] = thrown_by([&] { produce(first + item, buffer, thread); });
      },
      [&](std::uint64_t item, std::size_t buffer) {
        failure =
            errors[buffer] ? errors[buffer] : thrown_by([&] { consume(first + item, buffer); });
        return !failure;
      },
      [](std::uint64_t, std::size_t) {});
  if (failure) std::rethrow_exception(failure);
}

void copy_in_parallel(std::byte* to, std::span<const std::byte> from, int threads) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::size_t pieces = (from.size() + kPiece - 1) / kPiece;
  in_any_order(pieces, threads_for(threads, pieces), [&](std::size_t piece) {
    const std::size_t at = piece * kPiece;
    std::memcpy(to + at, from.data() + at, std::min(kPiece, from.size() - at));
  });
}

}  // namespace fpsynth::codec
