#pragma once
// A device as `gpu check` sees it: all that the program runs on devices, by the functions that the
// program itself calls. The check needs neither nvcc nor a GPU, and its tests have a target whose
// device is emulated and fails.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runners/baselines/gfc/compressor.hpp"
#include "runners/baselines/holt/compressor.hpp"
#include "runners/codec/device_codec.hpp"
#include "runners/codec/streams.hpp"
#include "runners/device/device_info.hpp"
#include "runners/search/engine.hpp"
#include "synth/prelude.hpp"
#include "synth/space.hpp"

namespace fpsynth::check {

/// A property of a device, by a stable key with the unit in it.
using Fact = std::pair<std::string, std::variant<std::string, std::uint64_t, bool>>;

/// Amounts of work. A GPU does in a moment what takes an emulated one minutes.
struct Work {
  std::vector<std::size_t> stage_words;  ///< lengths of the blocks that stages are checked on
  synth::Space space;                    ///< that is searched
  std::size_t searched_chunks = 0;
  std::size_t resident_chunks = 0;  ///< at most: that the codec has in progress at a time
  std::size_t lookback_words = synth::kChunkWords;  ///< of a chunk
  std::size_t whole_words = 0;                      ///< of inputs that are compressed as a whole
};

class Target {
 public:
  virtual ~Target() = default;

  virtual std::vector<Fact> facts() = 0;
  /// True if the driver compiles the kernels when they are first used, which takes minutes.
  virtual bool compiles() const = 0;
  virtual const Work& work() const = 0;

  /// The search with layout number `layout` of walk_layouts(). Throws DeviceUnsuitable if the
  /// device has too little shared memory for it.
  virtual std::unique_ptr<search::Engine> engine(const synth::Plan& plan, std::size_t word_bytes,
                                                 search::Mode mode, std::size_t layout) = 0;
  virtual std::unique_ptr<codec::DeviceCodec> codec(const synth::Pipeline& pipeline,
                                                    std::size_t word_bytes,
                                                    std::size_t chunk_words) = 0;
  /// codec::compress() and codec::decompress() on the device.
  virtual void compress(std::span<const std::byte> input, const synth::Method& method,
                        std::size_t word_bytes, codec::PatchableSink& sink) = 0;
  virtual void decompress(std::span<const std::byte> file, codec::Sink& sink) = 0;
  virtual std::shared_ptr<baselines::GfcDevice> gfc() = 0;
  virtual std::shared_ptr<baselines::HoltDevice> holt() = 0;
};

/// A GPU. Throws DeviceError if it cannot be used, or if the program was built without CUDA.
std::unique_ptr<Target> cuda_target(const device::DeviceInfo& info);

}  // namespace fpsynth::check
