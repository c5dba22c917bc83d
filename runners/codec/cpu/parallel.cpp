#include "runners/codec/cpu/parallel.hpp"

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

}  // namespace fpsynth::codec
