#include "runners/data/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "components/words/word_type.hpp"

namespace fpsynth::data {
namespace {

template <typename Word>
Statistics count(std::span<const std::byte> bytes) {
  Statistics statistics;
  statistics.bytes = bytes.size();
  statistics.values = bytes.size() / sizeof(Word);
  statistics.tail = bytes.size() % sizeof(Word);
  if (statistics.values == 0) return statistics;

  std::vector<Word> words(statistics.values);
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(Word));
  std::sort(words.begin(), words.end());

  // H = -sum(c/n log2(c/n)) = log2(n) - sum(c log2(c)) / n; values seen once add nothing.
  double repeated = 0;
  for (auto run = words.begin(); run != words.end();) {
    const auto end = std::find_if(run, words.end(), [&](Word word) { return word != *run; });
    const auto copies = static_cast<double>(end - run);
    if (copies > 1) repeated += copies * std::log2(copies);
    ++statistics.unique;
    run = end;
  }
  const auto values = static_cast<double>(statistics.values);
  const auto unique = static_cast<double>(statistics.unique);
  statistics.unique_percent = 100 * unique / values;
  if (statistics.unique > 1) {
    statistics.entropy_bits = std::max(0.0, std::log2(values) - repeated / values);
    statistics.randomness_percent = 100 * statistics.entropy_bits / std::log2(unique);
  }
  return statistics;
}

}  // namespace

Statistics statistics_of(std::span<const std::byte> bytes, synth::Precision precision) {
  return words::with_word(synth::word_bytes(precision), [&]<class W>() { return count<W>(bytes); });
}

}  // namespace fpsynth::data
