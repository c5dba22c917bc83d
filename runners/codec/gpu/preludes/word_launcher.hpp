#pragma once
// The steps of preludes that need no side data, on any kind of device. The processor executes the
// others.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "components/preludes/shape.hpp"
#include "runners/codec/gpu/preludes/lag_kernels.hpp"
#include "runners/codec/gpu/preludes/word_kernels.hpp"
#include "runners/device/device_concept.hpp"
#include "runners/device/device_info.hpp"

namespace fpsynth::codec {

/// Executes steps on words of type W. All pointers are to device memory, those to words at any
/// alignment. Calls put work into the stream and do not wait. They throw DeviceUnsuitable if the
/// device cannot run even one thread block. The device must outlive it.
template <device::Device Device, class W>
class WordLauncher {
 public:
  using Stream = typename Device::Stream;

  explicit WordLauncher(Device& device) : device_(device) {}

  /// Maps the `n` words at `in` to `out`, which is apart from `in` if the step reads apart.
  template <class Step>
  void forward(Stream& stream, const std::byte* in, std::byte* out, std::uint64_t n,
               std::uint64_t parameter) {
    if constexpr (Step::shape == preludes::Shape::Lagged) {
      launch<DifferenceKernel<Step, W>>(stream, n, {in, out, n, parameter});
    } else if constexpr (Step::shape == preludes::Shape::Permuted) {
      permute<Step>(stream, in, out, n, parameter, true);
    } else {
      launch<MapKernel<Step, W, true>>(stream, n, {in, out, n});
    }
  }
  /// Words of memory, aligned as W is, that backward() needs.
  template <class Step>
  std::uint64_t workspace(std::uint64_t n, std::uint64_t parameter) {
    if constexpr (Step::shape == preludes::Shape::Lagged) {
      if (parameter >= n) return 0;
      const std::uint64_t sums = division<Step>(n, parameter).sums;
      return sums + workspace<Step>(sums, parameter);
    } else if constexpr (Step::shape == preludes::Shape::Permuted) {
      return parameter < n ? n : 0;
    } else {
      return 0;
    }
  }
  /// Restores words in place.
  template <class Step>
  void backward(Stream& stream, std::byte* words, std::uint64_t n, std::uint64_t parameter,
                W* workspace) {
    if constexpr (Step::shape == preludes::Shape::Lagged) {
      sum<Step>(stream, words, n, parameter, workspace);
    } else if constexpr (Step::shape == preludes::Shape::Permuted) {
      if (parameter >= n) return;
      auto* const apart = reinterpret_cast<std::byte*>(workspace);
      device_.copy(stream, apart, words, n * sizeof(W));
      permute<Step>(stream, apart, words, n, parameter, false);
    } else {
      launch<MapKernel<Step, W, false>>(stream, n, {words, words, n});
    }
  }

 private:
  template <class Step>
  void sum(Stream& stream, std::byte* words, std::uint64_t n, std::uint64_t lag, W* workspace) {
    if (lag >= n) return;
    const Division parts = division<Step>(n, lag);
    const W* const sums = parts.sums ? workspace : nullptr;
    const auto sum_sums = [&] {
      sum<Step>(stream, reinterpret_cast<std::byte*>(workspace), parts.sums, lag,
                workspace + parts.sums);
    };
    if (parts.in_tiles) {
      const auto columns = static_cast<std::uint32_t>(lag);
      if (sums) {
        using Sums = TileSumsKernel<Step, W>;
        launch_blocks<Sums>(stream, parts.count - 1, {words, parts.count - 1, columns, workspace},
                            Sums::shared_bytes(columns, device_.template lanes<Sums>()));
        sum_sums();
      }
      using Scan = TileScanKernel<Step, W>;
      launch_blocks<Scan>(stream, parts.count, {words, n, parts.count, columns, sums},
                          Scan::shared_bytes(columns, device_.template lanes<Scan>()));
    } else {
      const LagColumns columns{n, lag, parts.count, parts.rows};
      if (sums) {
        launch<ColumnSumsKernel<Step, W>>(stream, parts.sums, {words, columns, workspace});
        sum_sums();
      }
      launch<ColumnScanKernel<Step, W>>(stream, parts.count * lag, {words, columns, sums});
    }
  }

  template <class Step>
  void permute(Stream& stream, const std::byte* in, std::byte* out, std::uint64_t n,
               std::uint64_t columns, bool forward) {
    if (columns >= n) return device_.copy(stream, out, in, n * sizeof(W));
    using Permute = PermuteKernel<Step, W>;
    const std::uint64_t rows = Permute::rows(n, columns);
    const PermutedTile tile(rows, columns);
    launch_blocks<Permute>(stream, tile.row_tiles(rows) * tile.column_tiles(columns),
                           {in, out, n, columns, forward}, tile.words() * sizeof(W));
  }

  /// The parts into which columns are cut, and the number of their sums, which is 0 if there is one
  /// part.
  struct Division {
    bool in_tiles;
    std::uint64_t count, rows, sums;
  };
  /// A part of fewer rows is not worth reading it twice.
  static constexpr std::uint64_t kFewestRows = 16;

  template <class Step>
  Division division(std::uint64_t n, std::uint64_t lag) {
    using Scan = TileScanKernel<Step, W>;
    const std::uint32_t lanes = device_.template lanes<Scan>();
    if (lag <= lanes) {
      const std::uint64_t tile = LagTile(static_cast<std::uint32_t>(lag), lanes).words();
      const std::uint64_t tiles = (n + tile - 1) / tile;
      return {true, tiles, 0, (tiles - 1) * lag};
    }
    using Walk = ColumnScanKernel<Step, W>;
    const std::uint64_t wanted =
        std::uint64_t{device_.template resident_blocks<Walk>(0)} * device_.template lanes<Walk>();
    const std::uint64_t rows = (n + lag - 1) / lag;
    const std::uint64_t most =
        std::max<std::uint64_t>(1, std::min(wanted / lag, rows / kFewestRows));
    const std::uint64_t each = (rows + most - 1) / most, count = (rows + each - 1) / each;
    return {false, count, each, (count - 1) * lag};
  }

  /// Launches a kernel with as many thread blocks as the device runs at once, but not more than
  /// `items` items need, of which each lane has one at a time.
  template <class Body>
  void launch(Stream& stream, std::uint64_t items, const typename Body::Args& args) {
    if (items == 0) return;
    const std::uint64_t lanes = device_.template lanes<Body>();
    launch_blocks<Body>(stream, (items + lanes - 1) / lanes, args, 0);
  }
  template <class Body>
  void launch_blocks(Stream& stream, std::uint64_t blocks, const typename Body::Args& args,
                     std::size_t shared_bytes) {
    const std::uint32_t resident = device_.template resident_blocks<Body>(shared_bytes);
    if (resident == 0) {
      throw device::DeviceUnsuitable(device_.name() +
                                     ": a prelude's kernels need more than this GPU has; use the "
                                     "CPU's codec (fpsynth: --backend cpu)");
    }
    device_.template launch<Body>(
        stream, static_cast<std::uint32_t>(std::min<std::uint64_t>(resident, blocks)), shared_bytes,
        args);
  }

  Device& device_;
};

}  // namespace fpsynth::codec
