#include "tests/runners/check/emulated_target.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <string_view>
#include <thread>
#include <type_traits>

#include "runners/baselines/gfc/device_host.hpp"
#include "runners/baselines/holt/device_host.hpp"
#include "runners/codec/gpu/files_on.hpp"
#include "runners/search/gpu/device_engine.hpp"
#include "synth/pipeline.hpp"
#include "tests/support/emulated/device.hpp"
#include "tests/support/kernels/codec.hpp"
#include "tests/support/kernels/walks.hpp"

namespace fpsynth::check {
namespace {

std::atomic<bool> hanging = true;

/// True of the kernels that encode or decode, of the codec and of the baselines.
template <class Body>
constexpr bool is_called(std::string_view name) {
  return std::string_view(__PRETTY_FUNCTION__).find(name) != std::string_view::npos;
}

/// State that all devices of a target share, as do those of a process.
struct State {
  bool dead = false;
  bool decoded = false;  ///< a decoding kernel was the last one that encoded or decoded
};

class FaultyDevice : public device::EmulatedDevice {
 public:
  struct Options : EmulatedDevice::Options {
    Fault fault = Fault::None;
    std::shared_ptr<State> state;
  };
  FaultyDevice(const Options& options)
      : EmulatedDevice(options), fault_(options.fault), state_(options.state) {
    state_->decoded = false;
  }

  template <class T>
  Buffer<T> allocate(std::size_t items) {
    check();
    return EmulatedDevice::allocate<T>(items);
  }
  template <device::Kernel Body>
  void launch(Stream& stream, std::uint32_t blocks, std::size_t shared_bytes,
              const typename Body::Args& args) {
    if (is_called<Body>("EncodeKernel")) state_->decoded = false;
    if (is_called<Body>("DecodeKernel")) state_->decoded = true;
    while (hanging &&
           (fault_ == Fault::Hangs || (fault_ == Fault::HangsDecoding && state_->decoded))) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (fault_ == Fault::Dies) state_->dead = true;
    check();
    EmulatedDevice::launch<Body>(stream, blocks, shared_bytes, args);
    launched_ = true;
    if constexpr (std::is_same_v<Body, codec::HashKernel>) {
      if (fault_ == Fault::Hashes) args.hashes[0] ^= 1;
    }
  }
  /// Flips a bit of large results only, so that it is no length and no fault's number.
  template <class T>
  void to_host(Stream& stream, T* host, const T* device, std::size_t items) {
    EmulatedDevice::to_host(stream, host, device, items);
    const bool flips =
        fault_ == Fault::Flips ? launched_ : fault_ == Fault::FlipsDecoded && state_->decoded;
    if (!flips || items * sizeof(T) < 64) return;
    reinterpret_cast<std::byte*>(host)[items * sizeof(T) / 2] ^= std::byte{4};
  }

 private:
  void check() const {
    if (state_->dead)
      throw device::DeviceError(name() + ": an illegal memory access was encountered");
  }

  Fault fault_;
  std::shared_ptr<State> state_;
  bool launched_ = false;
};

}  // namespace

Target emulated_target(Part part, Fault fault) {
  hanging = true;
  const auto device = [=, state = std::make_shared<State>()](Part of) {
    FaultyDevice::Options options;
    options.state = state;
    if (of != part) return FaultyDevice(options);
    options.fault = fault;
    options.faulty_shuffles = fault == Fault::Shuffles;
    if (fault == Fault::Cramped) options.shared_per_block = std::size_t{37} << 10;
    return FaultyDevice(options);
  };
  Target target;
  target.facts = {{"name", std::string("emulated device")},
                  {"memory_bytes", std::uint64_t(device(Part::None).free_memory())},
                  {"machine_code", true}};
  target.work = {.chunk_words = {1, 70},
                 .space = synth::Space::paper(),
                 .searched_words = 80,
                 .whole_words = 200,
                 .lookback_words = 20,
                 .lookback_chunk_words = 20};
  synth::Space& space = target.work.space;
  space.stages = 3;
  space.cuts = {0, 1, 2, 3};
  space.components.clear();
  for (const char* name : {"BIT", "LNV1s", "RLE"}) {
    space.components.push_back(*synth::parse_component(name));
  }
  target.touch = [=] { device(Part::None).allocate<std::byte>(1); };
  target.engine = [=](std::size_t layout) -> search::EngineFactory {
    return [=](const synth::Plan& plan, std::size_t word_bytes, search::Mode mode) {
      return std::make_unique<search::DeviceEngine<FaultyDevice>>(
          std::vector{device(Part::Engines)}, plan, word_bytes, mode, layout);
    };
  };
  target.compress = [=](std::span<const std::byte> input, const synth::Method& method,
                        std::size_t word_bytes, codec::PatchableSink& sink,
                        const codec::CodecOptions& options) {
    codec::compress_on(device(Part::Files), input, "sample", method, word_bytes, sink, options);
  };
  target.decompress = [=](std::span<const std::byte> file, codec::Sink& sink) {
    codec::decompress_on(device(Part::Files), file, "sample", sink, {});
  };
  target.gfc = [=] { return std::make_shared<baselines::GfcOn<FaultyDevice>>(device(Part::Gfc)); };
  target.holt = [=] {
    return std::make_shared<baselines::HoltOn<FaultyDevice>>(device(Part::Holt));
  };
  return target;
}

void end_hanging_kernels() { hanging = false; }

std::pair<Part, Fault> parse_fault(const std::string& text) {
  static const std::map<std::string, Part> kParts{
      {"engines", Part::Engines}, {"files", Part::Files}, {"gfc", Part::Gfc}, {"holt", Part::Holt}};
  static const std::map<std::string, Fault> kFaults{
      {"flips", Fault::Flips},   {"flips-decoded", Fault::FlipsDecoded},
      {"hashes", Fault::Hashes}, {"shuffles", Fault::Shuffles},
      {"hangs", Fault::Hangs},   {"hangs-decoding", Fault::HangsDecoding},
      {"dies", Fault::Dies},     {"cramped", Fault::Cramped}};
  const std::size_t colon = text.find(':');
  const auto part = kParts.find(text.substr(0, colon));
  const auto fault = kFaults.find(colon == std::string::npos ? "" : text.substr(colon + 1));
  if (part == kParts.end() || fault == kFaults.end()) {
    throw UsageError("--fault '" + text + "': give PART:FAULT, such as engines:flips");
  }
  return {part->second, fault->second};
}

}  // namespace fpsynth::check
