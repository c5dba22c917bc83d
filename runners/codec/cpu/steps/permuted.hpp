#pragma once
// Steps that give words other places: rows become columns.
//
// Lower bound of the time: every word is read and written once, as a copy does. Forward, from one
// place to another, meets it but for what vectors need; in place, words are first copied apart, so
// that both are done twice. Tiles have runs of 512 bytes on both sides: shorter ones would fetch
// cache lines in parts, longer tiles would leave the first cache.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "runners/codec/cpu/huge_pages.hpp"
#include "runners/codec/cpu/steps/step_driver.hpp"

namespace fpsynth::codec {

/// Lines of words at any alignment, each `pitch` words behind the one before, and the first
/// `longer` one word more. All of it is inlined: levels share the type.
template <class Byte>
struct WordLines {
  Byte* words;
  std::size_t pitch, longer;

  FPSYNTH_INLINE std::size_t at(std::size_t line) const {
    return line * pitch + (line < longer ? line : longer);
  }
  template <class W>
  FPSYNTH_INLINE Byte* from(std::size_t line, std::size_t word) const {
    return words + (at(line) + word) * sizeof(W);
  }
  /// The lines from `line` on, from `word` on.
  template <class W>
  FPSYNTH_INLINE WordLines behind(std::size_t line, std::size_t word) const {
    return {from<W>(line, word), pitch, longer > line ? longer - line : 0};
  }
  /// True if words are beside each other in lines of `length` words.
  FPSYNTH_INLINE bool no_gaps(std::size_t length) const { return pitch == length && longer == 0; }
};

/// Rows of words become columns: word r of line c of `out` is word c of line r of `in`, for r <
/// rows and c < columns. Level: as for WordParts.
template <class Level, class W>
struct Transposition : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;

  WordLines<const std::byte> in;
  WordLines<std::byte> out;
  std::size_t rows, columns;

  Transposition(const WordLines<const std::byte>& from, const WordLines<std::byte>& to,
                std::size_t row_count, std::size_t column_count)
      : in(from), out(to), rows(row_count), columns(column_count) {}

  /// The part with these rows and columns.
  Transposition part(std::size_t row, std::size_t row_count, std::size_t column,
                     std::size_t column_count) const {
    return {in.behind<W>(row, column), out.behind<W>(column, row), row_count, column_count};
  }

  void run() const {
    if (rows == 0 || columns == 0) return;
    if (run_few(std::make_index_sequence<kGroup>())) return;
    for (std::size_t c = 0; c < columns; c += kTile) {
      for (std::size_t r = 0; r < rows; r += kTile) {
        part(r, least(kTile, rows - r), c, least(kTile, columns - c)).run_tile();
      }
    }
  }

  /// A tile has as many rows and columns at most: its memory is on the stack.
  static constexpr std::size_t kTile = sizeof(W) < 4 ? 128 : 512 / sizeof(W);

 private:
  static constexpr std::size_t kGroup = 8;
  /// Not a power of two: the words of a column would compete for the same places of a cache.
  static constexpr std::size_t kTilePitch = kTile + kGroup;
  /// Words of a column that are mapped together if there are few columns, and the other way round.
  static constexpr std::size_t kRun = 64;

  static constexpr std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

  /// By way of memory of its own, in which the rows are beside each other.
  void run_tile() const {
    W words[kTile * kTilePitch];
    for (std::size_t r = 0; r < rows; ++r) {
      std::memcpy(words + r * kTilePitch, in.from<W>(r, 0), columns * sizeof(W));
    }
    for (std::size_t c = 0; c < columns; c += kGroup) {
      std::size_t r = 0;
      if (columns - c >= kGroup) {
        for (; rows - r >= kGroup; r += kGroup) square(words, r, kGroup, c, kGroup);
      }
      for (; r < rows; r += kGroup) {
        square(words, r, least(kGroup, rows - r), c, least(kGroup, columns - c));
      }
    }
  }
  /// Stores some of kGroup words of kGroup columns each, all of which are in a tile's memory.
  FPSYNTH_INLINE void square(const W* words, std::size_t r, std::size_t row_count, std::size_t c,
                             std::size_t column_count) const {
    W turned[kGroup][kGroup];
    for (std::size_t j = 0; j < kGroup; ++j) {
      for (std::size_t i = 0; i < kGroup; ++i) turned[i][j] = words[(r + j) * kTilePitch + c + i];
    }
    for (std::size_t i = 0; i < column_count; ++i) {
      std::byte* const to = out.from<W>(c + i, r);
      if (row_count == kGroup) {
        std::memcpy(to, turned[i], sizeof turned[i]);
      } else {
        for (std::size_t j = 0; j < row_count; ++j) Parts::store(to, j, turned[i][j]);
      }
    }
  }

  /// For up to kGroup columns that are whole rows, or rows that are whole columns: one side is then
  /// without gaps. Returns false for others.
  template <std::size_t... Is>
  bool run_few(std::index_sequence<Is...>) const {
    return ((columns == Is + 1 && in.no_gaps(columns) && (few_columns<Is + 1>(), true)) || ...) ||
           ((rows == Is + 1 && out.no_gaps(rows) && (few_rows<Is + 1>(), true)) || ...);
  }
  template <std::size_t Columns>
  void few_columns() const {
    std::size_t r = 0;
    for (; rows - r >= kRun; r += kRun) {
      W words[kRun * Columns], turned[Columns][kRun];
      std::memcpy(words, in.words + r * Columns * sizeof(W), sizeof words);
      for (std::size_t c = 0; c < Columns; ++c) {
        for (std::size_t j = 0; j < kRun; ++j) turned[c][j] = words[j * Columns + c];
        std::memcpy(out.from<W>(c, r), turned[c], sizeof turned[c]);
      }
    }
    for (; r < rows; ++r) {
      for (std::size_t c = 0; c < Columns; ++c) {
        Parts::store(out.words, out.at(c) + r, Parts::load(in.words, r * Columns + c));
      }
    }
  }
  template <std::size_t Rows>
  void few_rows() const {
    std::size_t c = 0;
    for (; columns - c >= kRun; c += kRun) {
      W words[kRun], turned[kRun * Rows];
      for (std::size_t r = 0; r < Rows; ++r) {
        std::memcpy(words, in.from<W>(r, c), sizeof words);
        for (std::size_t j = 0; j < kRun; ++j) turned[j * Rows + r] = words[j];
      }
      std::memcpy(out.words + c * Rows * sizeof(W), turned, sizeof turned);
    }
    for (; c < columns; ++c) {
      for (std::size_t r = 0; r < Rows; ++r) {
        Parts::store(out.words, c * Rows + r, Parts::load(in.words, in.at(r) + c));
      }
    }
  }
};

template <class Level, class W, class Step>
requires(Step::shape == preludes::Shape::Permuted) class ShapeDriver<Level, W, Step>
    : WordParts<Level, W> {
  using Parts = WordParts<Level, W>;
  using Turn = Transposition<Level, W>;

 public:
  static Status forward(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t parameter,
                        int threads, SideData<W>&) {
    if (in == out) return in_place(out, n, parameter, threads, to_columns);
    if (parameter >= n) {
      copy(in, out, n, threads);
    } else {
      to_columns(in, out, n, parameter, threads);
    }
    return Status::Ok;
  }
  static Status backward(std::byte* words, std::size_t n, std::uint64_t parameter, int threads,
                         const SideData<W>&) {
    return in_place(words, n, parameter, threads, to_rows);
  }

 private:
  static void copy(const std::byte* in, std::byte* out, std::size_t n, int threads) {
    Parts::each_part(n, threads, [=](std::size_t begin, std::size_t end) {
      std::memcpy(out + begin * sizeof(W), in + begin * sizeof(W), (end - begin) * sizeof(W));
    });
  }
  template <class Way>
  static Status in_place(std::byte* words, std::size_t n, std::uint64_t parameter, int threads,
                         Way way) {
    if (parameter >= n) return Status::Ok;
    const std::unique_ptr<W[]> apart(new (std::nothrow) W[n]);
    if (!apart) return Status::NoMemory;
    wish_huge_pages<Level>(apart.get(), n * sizeof(W));
    auto* const before = reinterpret_cast<std::byte*>(apart.get());
    copy(words, before, n, threads);
    way(before, words, n, parameter, threads);
    return Status::Ok;
  }

  using Columns = typename Step::Columns;

  static void to_columns(const std::byte* in, std::byte* out, std::size_t n,
                         std::uint64_t parameter, int threads) {
    const Columns of(n, parameter);
    if (of.rows >= of.count) {
      run({{in, of.count, 0}, {out, of.rows, of.longer}, of.rows, of.count}, threads);
      for (std::size_t c = 0; c < of.longer; ++c) {
        Parts::store(out, of.begin(c) + of.rows, Parts::load(in, of.rows * of.count + c));
      }
      return;
    }
    const std::size_t longer = of.longer * sizeof(W), behind = of.begin(of.longer) * sizeof(W);
    run({{in, of.count, 0}, {out, of.rows + 1, 0}, of.rows + 1, of.longer}, threads);
    run({{in + longer, of.count, 0}, {out + behind, of.rows, 0}, of.rows, of.count - of.longer},
        threads);
  }
  static void to_rows(const std::byte* in, std::byte* out, std::size_t n, std::uint64_t parameter,
                      int threads) {
    const Columns of(n, parameter);
    if (of.rows >= of.count) {
      run({{in, of.rows, of.longer}, {out, of.count, 0}, of.count, of.rows}, threads);
      for (std::size_t c = 0; c < of.longer; ++c) {
        Parts::store(out, of.rows * of.count + c, Parts::load(in, of.begin(c) + of.rows));
      }
      return;
    }
    const std::size_t longer = of.longer * sizeof(W), behind = of.begin(of.longer) * sizeof(W);
    run({{in, of.rows + 1, 0}, {out, of.count, 0}, of.longer, of.rows + 1}, threads);
    run({{in + behind, of.rows, 0}, {out + longer, of.count, 0}, of.count - of.longer, of.rows},
        threads);
  }
  /// Divides the longer side among the threads.
  static void run(const Turn& turn, int threads) {
    if (turn.rows == 0 || turn.columns == 0) return;
    const std::size_t parts = Parts::parts_of(turn.rows * turn.columns, threads);
    const bool by_rows = turn.rows > turn.columns;
    Parts::in_parts(by_rows ? turn.rows : turn.columns, Turn::kTile, parts,
                    [&](std::size_t, std::size_t begin, std::size_t end) {
                      const Turn part = by_rows ? turn.part(begin, end - begin, 0, turn.columns)
                                                : turn.part(0, turn.rows, begin, end - begin);
                      part.run();
                    });
  }
};

}  // namespace fpsynth::codec
