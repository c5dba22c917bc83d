#pragma once
// Launches of the kernels that make words of words, on any kind of device.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "components/preludes/shape.hpp"
#include "runners/codec/gpu/preludes/lag_kernels.hpp"
#include "runners/codec/gpu/preludes/permute_kernels.hpp"
#include "runners/codec/gpu/preludes/word_kernels.hpp"
#include "runners/device/device_concept.hpp"
#include "runners/device/device_info.hpp"

namespace fpsynth::codec {

/// Runs maps, lagged and permuting steps on words of type W. All pointers are to device memory,
/// those to words at any alignment. Calls put work into the stream and do not wait. The device must
/// outlive it.
template <device::Device Device, class W>
class WordLauncher {
 public:
  using Stream = typename Device::Stream;

  explicit WordLauncher(Device& device) : device_(device) {}

  /// Launches a kernel with as many thread blocks as the device runs at once, but not more than
  /// `items` items need, of which each lane has one at a time. Throws DeviceUnsuitable if the
  /// device cannot run even one thread block.
  template <class Body>
  void launch(Stream& stream, std::uint64_t items, const typename Body::Args& args,
              std::size_t shared_bytes = 0) {
    if (items == 0) return;
    const std::uint64_t lanes = device_.template lanes<Body>();
    launch_blocks<Body>(stream, (items + lanes - 1) / lanes, args, shared_bytes);
  }

  /// out[i] = map(in[i]); `out` may be `in`.
  template <class Map>
  void map(Stream& stream, const std::byte* in, std::byte* out, std::uint64_t n, Map map) {
    launch<MapKernel<W, Map>>(stream, n, {in, out, n, map});
  }

  /// The forward direction of a lagged step. `out` is apart from `in`.
  template <class Step>
  void difference(Stream& stream, const std::byte* in, std::byte* out, std::uint64_t n,
                  std::uint64_t lag) {
    launch<DifferenceKernel<Step, W>>(stream, n, {in, out, n, lag});
  }

  /// Words of memory, aligned as W is, that sum() needs.
  template <class Step>
  std::uint64_t sum_workspace(std::uint64_t n, std::uint64_t lag) {
    if (lag >= n) return 0;
    const std::uint64_t sums = division<Step>(n, lag).sums;
    return sums + sum_workspace<Step>(sums, lag);
  }
  /// The backward direction of a lagged step, in place.
  template <class Step>
  void sum(Stream& stream, std::byte* words, std::uint64_t n, std::uint64_t lag, W* workspace) {
    if (lag >= n) return;
    const Division parts = division<Step>(n, lag);
    const W* const sums = parts.sums ? workspace : nullptr;
    if (parts.in_tiles) {
      const auto columns = static_cast<std::uint32_t>(lag);
      if (sums) {
        using Sums = TileSumsKernel<Step, W>;
        launch_blocks<Sums>(stream, parts.count - 1, {words, parts.count - 1, columns, workspace},
                            Sums::shared_bytes(columns, device_.template lanes<Sums>()));
        sum_sums<Step>(stream, workspace, parts.sums, lag);
      }
      using Scan = TileScanKernel<Step, W>;
      launch_blocks<Scan>(stream, parts.count, {words, n, parts.count, columns, sums},
                          Scan::shared_bytes(columns, device_.template lanes<Scan>()));
    } else {
      const LagColumns columns{n, lag, parts.count, parts.rows};
      if (sums) {
        launch<ColumnSumsKernel<Step, W>>(stream, parts.sums, {words, columns, workspace});
        sum_sums<Step>(stream, workspace, parts.sums, lag);
      }
      launch<ColumnScanKernel<Step, W>>(stream, parts.count * lag, {words, columns, sums});
    }
  }

  /// Both directions of a step that permutes. `out` is apart from `in`.
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

  /// The forward direction of a step without side data; `out` is apart from `in` if the step reads
  /// apart.
  template <class Step>
  void forward(Stream& stream, const std::byte* in, std::byte* out, std::uint64_t n,
               std::uint64_t parameter) {
    if constexpr (Step::shape == preludes::Shape::Lagged) {
      difference<Step>(stream, in, out, n, parameter);
    } else if constexpr (Step::shape == preludes::Shape::Permuted) {
      permute<Step>(stream, in, out, n, parameter, true);
    } else {
      map(stream, in, out, n, ForwardMap<Step>());
    }
  }
  /// Words of memory, aligned as W is, that backward() needs; none for a step with side data.
  template <class Step>
  std::uint64_t backward_workspace(std::uint64_t n, std::uint64_t parameter) {
    if constexpr (Step::shape == preludes::Shape::Lagged) {
      return sum_workspace<Step>(n, parameter);
    } else if constexpr (Step::shape == preludes::Shape::Permuted) {
      return parameter < n ? n : 0;
    } else {
      return 0;
    }
  }
  /// The backward direction of a step without side data, in place.
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
      map(stream, words, words, n, BackwardMap<Step>());
    }
  }

 private:
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

  template <class Step>
  void sum_sums(Stream& stream, W* sums, std::uint64_t count, std::uint64_t lag) {
    sum<Step>(stream, reinterpret_cast<std::byte*>(sums), count, lag, sums + count);
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
