#include "runners/search/structure/columns.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "components/preludes/registry.hpp"
#include "components/words/word_type.hpp"
#include "runners/search/structure/structure.hpp"
#include "runners/search/structure/words.hpp"

namespace fpsynth::search {
namespace {

/// The most columns of a table, and the fewest words of each.
constexpr std::uint64_t kMostColumns = 128, kFewestRows = 64;
/// Rows that are looked at for each length of rows.
constexpr std::size_t kMostRows = 512;
/// Words of a table that are looked at, in rows that follow one another, the fewest of a column,
/// whose side data would seem to cost too much in fewer, and preludes that are estimated for them
/// and for each column.
constexpr std::uint64_t kMostSeen = std::uint64_t{1} << 14, kFewestSeen = 4096, kRowsAtOnce = 128;
constexpr std::size_t kPreludes = 16;
/// The share of the bits that longer rows must seem to save over shorter ones.
constexpr double kLonger = 0.05;
/// Estimates are rough: columns may seem to take this share of the bits. What they do take is
/// measured.
constexpr double kMostShare = 1.04;
/// Neighbours that seem to make at most this share of bits more together are a group.
constexpr double kLike = 0.002;

/// The estimated bits of some words behind the best prelude of those that are soon found: columns
/// differ in these, too.
double bits_of(const data::Input& input, std::vector<std::byte> bytes) {
  const StructureOptions options{.candidates = kPreludes, .slow_steps = false};
  const Structure found = find_structure(input.with_words(std::move(bytes)).shaped({}), options);
  const double best = found.candidates.empty() ? found.bits : found.candidates.front().bits;
  return std::min(found.bits, best) * double(found.words);
}

/// The estimated bits of a word in rows of `count` words, each column by itself, without preludes.
template <class W>
double bits_in_columns(const Words<W>& words, std::size_t count) {
  const std::size_t rows = words.size() / count;
  std::vector<W> column;
  double bits = 0;
  for (std::size_t at = 0; at < count; ++at) {
    Estimate<W> estimate;
    for (const Window& window : windows_of(0, rows, kFewestRows, kMostRows)) {
      column.resize(window.words);
      for (std::size_t i = 0; i < window.words; ++i) {
        column[i] = words[(window.begin + i) * count + at];
      }
      estimate.add(column);
    }
    bits += estimate.bits() / double(count);
  }
  return bits;
}

}  // namespace

Columns find_columns(const data::Input& input) {
  const std::size_t word = synth::word_bytes(input.native());
  const std::uint64_t words = input.view().words;
  const std::vector<std::uint64_t>& shape = input.shape();
  const auto suits = [&](std::uint64_t count) {
    return count >= 2 && count <= kMostColumns && words / count >= kFewestRows;
  };
  // Numbers of columns, and whether rows stand one behind the other.
  std::set<std::pair<std::uint64_t, bool>> tables;
  const auto rows_of = [&]<class W>(const Words<W>& all) {
    std::vector<double> bits = {HUGE_VAL, HUGE_VAL};
    while (suits(bits.size())) bits.push_back(bits_in_columns(all, bits.size()));
    // The shortest rows; those that several of them make may seem a little better.
    const double most = (1 + kLonger) * std::ranges::min(bits);
    const auto shortest = std::ranges::find_if(bits, [&](double one) { return one <= most; });
    tables.emplace(shortest - bits.begin(), true);
  };
  words::with_word(word, [&]<class W>() { rows_of(Words<W>(input.bytes())); });
  if (shape.size() > 1) {
    tables.emplace(shape.back(), true);
    tables.emplace(shape.front(), false);
  }
  std::erase_if(tables, [&](const auto& table) { return !suits(table.first); });
  Columns best;
  double least = kMostShare;
  for (const auto& [count, in_rows] : tables) {
    const preludes::Dim::Columns columns(words, count);
    Columns found;
    if (in_rows) found.turn.steps = {{preludes::Dim::wire, count, {}}};
    const std::vector<Window> windows =
        windows_of(0, columns.rows, std::min(columns.rows, kRowsAtOnce),
                   std::max(kMostSeen / count, kFewestSeen));
    std::vector<std::byte> all, before;
    const auto append = [&](std::vector<std::byte>& to, std::uint64_t at, std::uint64_t some) {
      const auto from = input.bytes().subspan(at * word, some * word);
      to.insert(to.end(), from.begin(), from.end());
    };
    double apart = 0, of_before = 0;
    for (std::uint64_t column = 0; column < count; ++column) {
      std::vector<std::byte> one;
      for (const Window& rows : windows) {
        for (std::size_t row = rows.begin; in_rows && row < rows.begin + rows.words; ++row) {
          append(one, row * count + column, 1);
        }
        if (in_rows && column == 0) append(all, rows.begin * count, rows.words * count);
        if (!in_rows) append(one, columns.begin(column) + rows.begin, rows.words);
      }
      if (!in_rows) all.insert(all.end(), one.begin(), one.end());
      const double alone = bits_of(input, one);
      before.insert(before.end(), one.begin(), one.end());
      if (column > 0 && bits_of(input, std::move(before)) <= (1 + kLike) * (of_before + alone)) {
        found.lengths.back() += columns.words_of(column);
      } else {
        found.lengths.push_back(columns.words_of(column));
      }
      apart += of_before = alone;
      before = std::move(one);
    }
    const double share = apart / bits_of(input, std::move(all));
    if (share >= least || found.lengths.size() < 2) continue;
    least = share;
    best = std::move(found);
  }
  return best;
}

}  // namespace fpsynth::search
