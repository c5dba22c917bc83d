// The later rounds of a race: its entrants on more chunks.

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "runners/search/race/rounds.hpp"
#include "synth/common/error.hpp"
#include "synth/stage_list.hpp"

namespace fpsynth::search {
namespace {

/// Entrants of a unit of later rounds: the memory of a plan is some 100 bytes for each.
constexpr std::size_t kPiece = 32'768;

}  // namespace

bool Rounds::later_round() {
  round_.entered = kept_.size();
  const std::size_t more = round_.chunks - kept_.chunks();
  added_.resize(kept_.size() * more);
  // A unit is a piece of the entrants behind one prelude.
  std::uint64_t unit = 0;
  for (std::size_t begin = 0; begin < kept_.size(); ++unit) {
    std::size_t end = begin;
    while (end < kept_.size() && end - begin < kPiece &&
           kept_.who(end).prelude == kept_.who(begin).prelude) {
      ++end;
    }
    if (unit >= units_done_ && is_own(unit)) {
      if (options_.stopped() || !measure_piece(begin, end)) return false;
      report(double(end) / double(kept_.size()));
      save(false);
    }
    units_done_ = std::max(units_done_, unit + 1);
    begin = end;
  }
  end_later_round();
  return true;
}

bool Rounds::measure_piece(std::size_t begin, std::size_t end) {
  synth::Space space = division_.space();
  for (std::size_t i = begin; i < end; ++i) space.only.push_back(kept_.who(i).id);
  const synth::Plan plan(space);
  const std::unique_ptr<Engine> engine = options_.make_engine(plan, word_bytes_, Mode::Count);
  const auto added = chunks(kept_.who(begin).prelude, kept_.chunks(), round_.chunks);
  const std::size_t leaves = plan.leaves().size();
  const std::size_t at_once = std::max<std::size_t>(1, kMostSizes / leaves);
  std::vector<std::uint32_t> sizes;
  for (std::size_t first = 0; first < added.size(); first += at_once) {
    const std::size_t count = std::min(at_once, added.size() - first);
    sizes.resize(count * leaves);
    const auto some = std::span(added).subspan(first, count);
    if (!engine->measure(some, sizes, [this] { return options_.stopped(); })) return false;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t leaf = plan.leaf_of_id()[i - begin];
      const auto frame = static_cast<std::uint32_t>(
          synth::frame_bytes(space.at(i - begin), word_bytes_, space.chunk_words));
      for (std::size_t chunk = 0; chunk < count; ++chunk) {
        added_[i * added.size() + first + chunk] = sizes[chunk * leaves + leaf] + frame;
      }
    }
  }
  done_bytes_ += double(end - begin) * double(added.size() * space.chunk_words * word_bytes_);
  return true;
}

void Rounds::end_later_round() {
  const std::size_t more = round_.chunks - kept_.chunks();
  const auto* raw = reinterpret_cast<const std::uint8_t*>(added_.data());
  const auto all = exchanged(fmt::format("round {}", race_.rounds.size() + 1),
                             {raw, raw + added_.size() * sizeof added_[0]});
  // A process gives 0 where it did not measure; no size is 0.
  for (std::size_t process = 0; process < all.size(); ++process) {
    if (all[process].size() != added_.size() * sizeof added_[0]) {
      throw Error(
          "a process of this race has other survivors: it is of another version, or of "
          "other data");
    }
    for (std::size_t i = 0; i < added_.size(); ++i) {
      std::uint32_t size = 0;
      std::memcpy(&size, all[process].data() + i * sizeof size, sizeof size);
      if (size) added_[i] = size;
    }
  }
  round_.chunk_evaluations = added_.size();
  kept_.extend(added_, more);
  added_.clear();
  lost_ += kept_.drop(test(), overheads_);
}

}  // namespace fpsynth::search
