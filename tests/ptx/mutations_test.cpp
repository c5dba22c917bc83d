// Tests whether a missing barrier is found. Each barrier of a block or a warp in the kernels' PTX
// is left out in turn. Some work that runs it must then end with a fault or differ from the CPU's
// bytes.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "components/preludes/lag.hpp"
#include "runners/baselines/gfc/device_host.hpp"
#include "runners/baselines/holt/device_host.hpp"
#include "runners/codec/device_codec.hpp"
#include "runners/codec/gpu/codec_on.hpp"
#include "runners/codec/gpu/files.hpp"
#include "runners/codec/gpu/preludes/word_launcher.hpp"
#include "runners/search/gpu/cuda_engine.hpp"
#include "runners/search/gpu/device_engine.hpp"
#include "tests/runners/baselines/values.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/ptx_device.hpp"

namespace fpsynth::ptx {

/// Links the objects with the kernels' PTX into this program.
extern const std::array<void (*)(), 5> kWithPtx;
const std::array<void (*)(), 5> kWithPtx = {reinterpret_cast<void (*)()>(&search::cuda_engine),
                                            reinterpret_cast<void (*)()>(&codec::cuda_codec),
                                            reinterpret_cast<void (*)()>(&codec::decompress_cuda),
                                            reinterpret_cast<void (*)()>(&baselines::gfc_on),
                                            reinterpret_cast<void (*)()>(&baselines::holt_on)};

namespace {

using Options = PtxDevice::Options;
/// Runs kernels on a device and throws if their results differ from the CPU's.
using Work = std::function<void(const Options&)>;

void expect_same(bool same) {
  if (!same) throw std::runtime_error("not the CPU's");
}

/// The place of a barrier in the source: the innermost two places outside of the barrier functions.
std::string place_of(const Barrier& barrier) {
  const Kernel& kernel = kernel_of(barrier.kernel);
  std::string text;
  int places = 0;
  for (std::uint32_t at = kernel.code[barrier.pc].place; at != 0 && places < 2;
       at = kernel.places[at].caller) {
    const Place& place = kernel.places[at];
    const std::string& file = (*kernel.files)[place.file];
    if (file == "cuda.cuh" || file.ends_with("intrinsics.hpp")) continue;
    text += (places++ ? " < " : "") + file + ":" + std::to_string(place.line);
  }
  return text;
}

/// Work in which barriers are left out, one at a time or several together.
class Mutations {
 public:
  explicit Mutations(std::vector<Work> works) : works_(std::move(works)), whole_(works_.size()) {
    for (std::size_t i = 0; i < works_.size(); ++i) {
      Options options;
      options.statistics = &whole_[i];
      works_[i](options);
      for (const auto& [name, runs] : whole_[i].kernels) {
        const Kernel& kernel = kernel_of(name);
        for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
          const Kind kind = kernel.code[pc].kind;
          if (kind == Kind::Barrier || kind == Kind::WarpBarrier) all_.insert({name, pc});
        }
      }
    }
  }

  /// True if the result of some work that runs the last of these barriers changes without them.
  bool found(const std::set<Barrier>& dropped, const Barrier& last) const {
    for (std::size_t i = 0; i < works_.size(); ++i) {
      if (!whole_[i].barriers.contains(last)) continue;
      Statistics own;
      Options options;
      options.statistics = &own;
      options.checks.dropped = dropped;
      options.checks.most_instructions = 20 * whole_[i].instructions;
      try {
        works_[i](options);
      } catch (const std::exception&) {  // a Fault, or an error of host code about the results
        return true;
      }
    }
    return false;
  }
  bool is_run(const Barrier& barrier) const {
    return std::any_of(whole_.begin(), whole_.end(), [&](const Statistics& statistics) {
      return statistics.barriers.contains(barrier);
    });
  }
  const std::set<Barrier>& all() const { return all_; }

 private:
  std::vector<Work> works_;
  std::vector<Statistics> whole_;
  std::set<Barrier> all_;
};

/// Counts of the barriers of one place in the source, which inlining multiplies.
struct Count {
  int all = 0, unreached = 0, alone = 0, together = 0, missed = 0;
};

/// Leaves out every barrier alone. Then leaves out those that were not found together with others
/// that were not found: some barriers only follow another one, and nothing between them needs both.
/// Prints the counts. For every place in the source, a missing barrier must be found in at least
/// one kernel. The exceptions are the barriers before and after a collective, which do not depend
/// on what its caller does there (team.hpp).
void expect_missing_barriers_to_be_found(std::vector<Work> works) {
  const Mutations mutations(std::move(works));
  std::map<std::string, Count> counts;
  const auto count_of = [&](const Barrier& barrier) -> Count& { return counts[place_of(barrier)]; };
  std::vector<Barrier> survivors;
  for (const Barrier& barrier : mutations.all()) {
    Count& count = count_of(barrier);
    ++count.all;
    if (!mutations.is_run(barrier)) {
      ++count.unreached;
    } else if (mutations.found({barrier}, barrier)) {
      ++count.alone;
    } else {
      survivors.push_back(barrier);
    }
  }
  std::set<Barrier> missing;
  for (const Barrier& barrier : survivors) {
    missing.insert(barrier);
    const bool found = mutations.found(missing, barrier);
    if (found) missing.erase(barrier);
    ++(found ? count_of(barrier).together : count_of(barrier).missed);
  }

  Count sum;
  const auto print = [](const std::string& what, const Count& count) {
    std::cout << what << ": " << count.alone << " of " << count.all << " found, " << count.together
              << " more beside others, " << count.missed << " not, " << count.unreached
              << " never run\n";
  };
  for (const auto& [place, count] : counts) {
    print(place, count);
    const bool of_collective = place.starts_with("block.hpp:") || place.starts_with("block_lanes");
    EXPECT_TRUE(of_collective || count.alone > 0) << place;
    sum.all += count.all, sum.unreached += count.unreached, sum.alone += count.alone;
    sum.together += count.together, sum.missed += count.missed;
  }
  print("missing barriers", sum);
  EXPECT_GT(sum.alone, 0);
}

/// Searches of several chunks in two stages, with blocks that grow, and of parts whose path keeps
/// whole chunks.
std::vector<Work> walks(synth::Precision precision, const char* verification) {
  const auto work = [=](const synth::Plan& plan, const data::Input& input, std::size_t shared_bytes,
                        std::size_t of_multiprocessor = 0) -> Work {
    search::SearchOptions on_cpu;
    on_cpu.verification = search::Verification::parse(verification);
    const auto expected = search::search(input, plan, on_cpu);
    return [=, &plan](Options device) {
      device.shared_per_block = shared_bytes;
      device.shared_per_multiprocessor = of_multiprocessor;
      search::SearchOptions options = on_cpu;
      options.engine = search::engine_on<PtxDevice>({device});
      const auto document = search::search(input, plan, options);
      expect_same(document.payload_bytes == expected.payload_bytes &&
                  document.failed == expected.failed);
    };
  };
  const auto plan_of = [](unsigned stages, std::initializer_list<const char*> components) {
    synth::Space space = synth::Space::paper();
    space.stages = stages;
    space.cuts.clear();
    for (unsigned cut = 0; cut <= stages; ++cut) space.cuts.push_back(cut);
    space.components.clear();
    for (const char* name : components) space.components.push_back(*synth::parse_component(name));
    return synth::Plan(space);
  };
  static const synth::Plan growing = plan_of(3, {"RLE", "ZE", "LNV1s"});
  static const synth::Plan keeping = plan_of(3, {"LNV1s", "DIM2", "BIT", "ZE"});
  static const synth::Plan wide = plan_of(2, {"LNV9s", "LNV17x", "LNV64s", "DIM64", "ZE", "RLE"});
  // RLE and ZE expand random words, and pairs of bytes most. The lengths are not multiples of any
  // block size, because adjacent data must not overlap.
  const auto block = [=](testing::Content content, std::size_t words) {
    return search::input_of(testing::make_block(content, synth::word_bytes(precision), words),
                            precision);
  };
  const auto mixed = search::several_chunks(precision);
  constexpr std::size_t kRoomy = 200 << 10, kCramped = 58 << 10;
  std::vector<Work> works{work(search::small_plan(), mixed, kRoomy), work(wide, mixed, kRoomy)};
  for (const testing::Content content : {testing::Content::Random, testing::Content::Pairs}) {
    works.push_back(work(growing, block(content, 1024 + 77), kCramped));
    works.push_back(work(growing, block(content, 1024 + 333), kRoomy));
  }
  works.push_back(work(wide, block(testing::Content::Sparse, 1024 + 541), kCramped));
  // Counted, whole chunks have a path of their own; verified, three thread blocks only fit if the
  // blocks of the first depths are in global memory.
  const std::size_t for_three = (std::size_t{100} << 10) / 8 * synth::word_bytes(precision);
  works.push_back(work(keeping, block(testing::Content::Smooth, 1024), kRoomy,
                       std::string_view(verification) == "none" ? 0 : for_three));
  return works;
}

TEST(PTX_Mutations, EXHAUSTIVE_WalkOfDoublesCounted) {
  FPSYNTH_NEEDS_PTX();
  expect_missing_barriers_to_be_found(walks(synth::Precision::Double, "none"));
}
TEST(PTX_Mutations, EXHAUSTIVE_WalkOfDoublesVerified) {
  FPSYNTH_NEEDS_PTX();
  expect_missing_barriers_to_be_found(walks(synth::Precision::Double, "all"));
}
TEST(PTX_Mutations, EXHAUSTIVE_WalkOfSinglesCounted) {
  FPSYNTH_NEEDS_PTX();
  expect_missing_barriers_to_be_found(walks(synth::Precision::Single, "none"));
}
TEST(PTX_Mutations, EXHAUSTIVE_WalkOfSinglesVerified) {
  FPSYNTH_NEEDS_PTX();
  expect_missing_barriers_to_be_found(walks(synth::Precision::Single, "all"));
}

/// Round trips of a few pipelines that have every family on words and on bytes.
std::vector<Work> codecs(std::size_t word) {
  std::vector<Work> works;
  const auto add = [&](const char* text, const codec::Bytes& original, std::size_t chunk_words,
                       std::size_t shared_bytes) {
    const auto pipeline = synth::parse_pipeline(text);
    works.push_back([=](Options options) {
      options.shared_per_block = shared_bytes;
      const auto codec = codec::device_codec(PtxDevice(options), pipeline, word, chunk_words);
      const std::size_t room = codec->bound(original.size());
      auto values = codec->buffer(original.size()), file = codec->buffer(room);
      values->write(original);
      codec->encode(values->data(), original.size(), file->data(), room, nullptr);
      const std::size_t bytes = codec->finish_encode();
      expect_same(codec::decompress(file->read(bytes)) == original);
      const auto header = codec->header(file->data(), bytes, nullptr);
      values->write(codec::Bytes(original.size()));
      codec->decode(file->data(), bytes, header, values->data(), nullptr);
      codec->finish_decode();
      expect_same(values->read(original.size()) == original);
    });
  };
  const codec::Bytes some = codec::signal(2100 * word + 3, word);
  for (const char* text : {"LNV1s BIT RLE | DIM5 LNV3x ZE", "LNV2s RLE | BIT INV RLE",
                           "DIM64 LNV64s LNV63x BIT ZE", "ZE LNV9s | LNV2s DIM3 BIT LNV17x ZE"}) {
    for (const std::size_t shared_kib : {200, 36}) {
      add(text, some, synth::kChunkWords, shared_kib << 10);
    }
  }
  for (const std::size_t words : {1, 77, 333, 541, 1000}) {
    add("LNV1s ZE | RLE ZE RLE", codec::signal(words * word, word), synth::kChunkWords, 200 << 10);
    add("| RLE ZE DIM3 ZE", codec::noise(words * word), synth::kChunkWords, 36 << 10);
  }
  // Chunks with more words than an iteration of any loop handles and more bytes than the hash
  // buffers.
  for (const char* text : {"RLE ZE | RLE ZE", "LNV1s RLE | LNV9s ZE RLE"}) {
    add(text, codec::signal(20'000 * word, word), 17'000, 200 << 10);
  }
  add("ZE", codec::Bytes(300'000), synth::kChunkWords, 200 << 10);
  return works;
}

TEST(PTX_Mutations, EXHAUSTIVE_CodecOfDoubles) {
  FPSYNTH_NEEDS_PTX();
  expect_missing_barriers_to_be_found(codecs(8));
}
TEST(PTX_Mutations, EXHAUSTIVE_CodecOfSingles) {
  FPSYNTH_NEEDS_PTX();
  expect_missing_barriers_to_be_found(codecs(4));
}

/// Both ways of a lagged step whose lag is not longer than a thread block: the others have no
/// barriers. Thread blocks have several tiles each.
template <class W>
Work lagged(std::uint64_t lag, std::size_t count) {
  std::vector<W> words(count);
  std::mt19937_64 random(lag);
  for (W& word : words) word = static_cast<W>(random());
  return [=](Options options) {
    options.resident_blocks = 2;
    PtxDevice device(options);
    auto stream = device.make_stream();
    const std::size_t bytes = count * sizeof(W);
    auto in = device.allocate<std::byte>(bytes), out = device.allocate<std::byte>(bytes);
    device.to_device(stream, in.data(), reinterpret_cast<const std::byte*>(words.data()), bytes);
    codec::WordLauncher<PtxDevice, W> launcher(device);
    using Step = preludes::LagSub;
    auto memory = device.allocate<W>(launcher.template workspace<Step>(count, lag));
    launcher.template forward<Step>(stream, in.data(), out.data(), count, lag);
    launcher.template backward<Step>(stream, out.data(), count, lag, memory.data());
    std::vector<W> back(count);
    device.to_host(stream, reinterpret_cast<std::byte*>(back.data()), out.data(), bytes);
    expect_same(back == words);
  };
}

TEST(PTX_Mutations, Preludes) {
  FPSYNTH_NEEDS_PTX();
  std::vector<Work> works;
  for (const std::uint64_t lag : {1, 5, 100, 256}) {
    works.push_back(lagged<std::uint64_t>(lag, 30'000));
    works.push_back(lagged<std::uint32_t>(lag, 30'000));
  }
  expect_missing_barriers_to_be_found(std::move(works));
}

TEST(PTX_Mutations, Gfc) {
  FPSYNTH_NEEDS_PTX();
  const auto work = [](std::size_t count, unsigned chunks) -> Work {
    const auto doubles = baselines::bytes_of(baselines::mixed(count));
    const auto file = baselines::encode_gfc(doubles, chunks, 2);
    return [=](const Options& options) {
      baselines::GfcOn<PtxDevice> gfc(options);
      expect_same(gfc.encode(doubles, chunks, 2) == file);
      expect_same(gfc.decode(file, "x.gfc") == doubles);
    };
  };
  expect_missing_barriers_to_be_found({work(1500, 3), work(32 * 1200, 1100)});
}

TEST(PTX_Mutations, Holt) {
  FPSYNTH_NEEDS_PTX();
  const auto work = [](std::size_t count, synth::Precision precision, std::uint32_t run) -> Work {
    const auto input = baselines::bytes_of(baselines::mixed(count));
    const baselines::HoltParameters parameters{0.5, 0.25, run};
    const auto file = baselines::encode_holt(input, precision, parameters);
    return [=](const Options& options) {
      baselines::HoltOn<PtxDevice> holt(options);
      expect_same(holt.encode(input, precision, parameters) == file);
      expect_same(holt.decode(file, "x.holt") == input);
    };
  };
  expect_missing_barriers_to_be_found({work(1900, synth::Precision::Single, 115),
                                       work(1900, synth::Precision::Double, 115),
                                       work(20000, synth::Precision::Single, 10)});
}

}  // namespace
}  // namespace fpsynth::ptx
