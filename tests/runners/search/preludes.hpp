#pragma once
// Data that a prelude suits, requests for preludes, interrupted searches, and a small space
// and data for races.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "results/documents/document_file.hpp"
#include "runners/search/preludes.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/files.hpp"

namespace fpsynth::search {

inline constexpr std::size_t kPeriod = 700;

/// Random decimals of two digits that repeat with a period, a few words changed, and a tail.
template <class Float>
std::vector<std::byte> periodic_bytes(std::size_t words) {
  std::mt19937_64 random(7);
  std::vector<Float> values(words);
  for (std::size_t i = 0; i < words; ++i) {
    values[i] = i < kPeriod || random() % 50 == 0 ? Float(int(random() % 200'000) - 100'000) / 100
                                                  : values[i - kPeriod];
  }
  std::vector<std::byte> bytes(words * sizeof(Float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  bytes.insert(bytes.end(), {std::byte{1}, std::byte{2}, std::byte{3}});
  return bytes;
}

inline data::Input periodic(synth::Precision precision, std::size_t words = 4500) {
  return input_of(precision == synth::Precision::Double ? periodic_bytes<double>(words)
                                                        : periodic_bytes<float>(words),
                  precision);
}

inline PreludeOptions named(std::string_view list, std::uint64_t finalists = 4) {
  PreludeOptions preludes;
  preludes.request = synth::PreludeRequest::parse(list);
  preludes.finalists = finalists;
  return preludes;
}

/// A search that is stopped before the first candidate or at so many chunks; its document is
/// written, read and continued.
struct Interrupted {
  results::Document state, end;
  std::size_t tried_again = 0;
};
inline Interrupted interrupted(const data::Input& input, const PreludeOptions& preludes,
                               const SearchOptions& wanted, bool at_first_candidate,
                               std::uint64_t at_chunks) {
  std::atomic<bool> stop = false;
  SearchOptions options = wanted;
  options.stop = &stop;
  options.progress = [&](const Progress& progress) {
    if (progress.chunks_done >= at_chunks) stop = true;
  };
  PreludeOptions watched = preludes;
  watched.trying = [&](std::size_t, std::size_t) { stop = stop || at_first_candidate; };
  const tests::TemporaryFolder folder;
  const auto path = folder / "test.double.json";
  results::write_document(path, search_with_preludes(input, small_plan(), watched, options));
  Interrupted result;
  result.state = results::read_document(path);
  watched.trying = [&](std::size_t, std::size_t) { ++result.tried_again; };
  result.end = search_with_preludes(input, small_plan(), watched, wanted, &result.state);
  return result;
}

/// Three stages of some components: with tails of few leaves, races have several waves.
inline synth::Space space_of_race() {
  synth::Space space = synth::Space::paper();
  space.stages = 3;
  space.cuts = {0, 1, 2, 3};
  space.components.clear();
  for (const char* name : {"NUL", "INV", "BIT", "DIM2", "LNV1s", "LNV2x", "ZE"}) {
    space.components.push_back(*synth::parse_component(name));
  }
  return space;
}

/// 69 chunks that differ, the last one short, and a tail.
inline data::Input many_chunks(synth::Precision precision) { return periodic(precision, 70'000); }

}  // namespace fpsynth::search
