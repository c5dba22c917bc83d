#include "synth/space.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "components/registry.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::synth {
namespace {

using components::TypeList;

template <class... Uses>
std::vector<Component> components_of(TypeList<Uses...>) {
  return {Component{static_cast<std::uint8_t>(
                        components::IndexOf<components::Families, typename Uses::Family>::value),
                    static_cast<std::uint8_t>(Uses::parameter)}...};
}

/// Position of a value in a vector; nullopt if the vector does not contain it.
template <class T>
std::optional<std::uint64_t> position(const std::vector<T>& values, const T& value) {
  const auto found = std::ranges::find(values, value);
  if (found == values.end()) return std::nullopt;
  return static_cast<std::uint64_t>(found - values.begin());
}

/// Number of pipelines of any components.
std::uint64_t product(const Space& space) {
  std::uint64_t size = space.cuts.size();
  bool overflow = __builtin_mul_overflow(size, space.last.size(), &size);
  for (unsigned stage = 1; stage < space.stages; ++stage) {
    overflow |= __builtin_mul_overflow(size, space.components.size(), &size);
  }
  if (overflow) {
    throw Error("search space: more than 2^64 pipelines; use fewer stages or components");
  }
  return size;
}

template <class T>
void check_distinct(const std::vector<T>& values, std::string_view what, auto text) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::ranges::count(values, values[i]) > 1) {
      raise("search space: {} {} is listed twice", what, text(values[i]));
    }
  }
  if (values.empty()) raise("search space: no {} given", what);
}

}  // namespace

std::vector<Component> registered_components() { return components_of(components::Registry{}); }

std::vector<Component> reducers(const std::vector<Component>& components) {
  std::vector<Component> reducers;
  std::ranges::copy_if(components, std::back_inserter(reducers),
                       [](Component component) { return family(component.family).reduces; });
  return reducers;
}

Space Space::paper() {
  Space space;
  space.components = registered_components();
  space.components.resize(components::kPaperComponents);
  space.last = reducers(space.components);
  space.cuts = {0, 1, 2, 3, 4};
  return space;
}

std::uint64_t Space::size() const {
  std::uint64_t size = 0;
  if (__builtin_mul_overflow(pipelines(), preludes.size(), &size)) {
    throw Error("search space: more than 2^64 methods; use fewer stages, components or preludes");
  }
  return size;
}

std::uint64_t Space::pipelines() const { return only.empty() ? product(*this) : only.size(); }

Pipeline Space::at(std::uint64_t id) const {
  if (!only.empty()) id = only[id % only.size()];
  Pipeline pipeline;
  pipeline.stages.resize(stages);
  pipeline.stages.back() = last[id % last.size()];
  id /= last.size();
  for (unsigned stage = stages - 1; stage-- > 0;) {
    pipeline.stages[stage] = components[id % components.size()];
    id /= components.size();
  }
  pipeline.cut = cuts[id % cuts.size()];  // the quotient counts preludes
  return pipeline;
}

Method Space::method_at(std::uint64_t id) const { return {preludes.at(id / pipelines()), at(id)}; }

std::optional<std::uint64_t> Space::id_of(const Pipeline& pipeline) const {
  if (pipeline.stages.size() != stages) return std::nullopt;
  std::optional<std::uint64_t> digit = position(cuts, pipeline.cut);
  if (!digit) return std::nullopt;
  std::uint64_t id = *digit;
  for (unsigned stage = 0; stage < stages; ++stage) {
    const std::vector<Component>& choices = stage + 1 < stages ? components : last;
    digit = position(choices, pipeline.stages[stage]);
    if (!digit) return std::nullopt;
    id = id * choices.size() + *digit;
  }
  return id_here(id);
}

std::optional<std::uint64_t> Space::id_here(std::uint64_t whole) const {
  if (only.empty()) return whole;
  const auto listed = std::ranges::lower_bound(only, whole);
  if (listed == only.end() || *listed != whole) return std::nullopt;
  return static_cast<std::uint64_t>(listed - only.begin());
}

std::optional<std::uint64_t> Space::id_of(const Method& method) const {
  const auto prelude = position(preludes, method.prelude);
  const auto id = id_of(method.pipeline);
  if (!prelude || !id) return std::nullopt;
  return *prelude * pipelines() + *id;
}

Method Space::method_named(std::string_view text) const {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return parse_method(text);
  const std::optional<std::uint64_t> id = whole_number(text);
  if (!id || *id >= size()) {
    raise<UsageError>("there is no pipeline {}: the ids of the space are 0..{}", text, size() - 1);
  }
  return method_at(*id);
}

Space Space::without_preludes() const {
  Space space = *this;
  space.preludes = {Prelude{}};
  return space;
}

Space Space::whole() const {
  Space space = *this;
  space.only.clear();
  return space;
}

Space Space::for_words(std::size_t word_bytes) const {
  Space space = *this;
  if (word_bytes == 1 && only.empty()) space.cuts = {0};
  return space;
}

Space Space::shorter() const {
  Space space = whole();
  --space.stages;
  for (unsigned& cut : space.cuts) cut = std::min(cut, space.stages);
  space.cuts.erase(std::unique(space.cuts.begin(), space.cuts.end()), space.cuts.end());
  return space;
}

Pipeline Space::padded(Pipeline pipeline) const {
  const auto identity = std::ranges::find_if(
      components, [](Component component) { return family(component.family).identity; });
  if (pipeline.stages.size() >= stages || identity == components.end()) return pipeline;
  const auto missing = static_cast<unsigned>(stages - pipeline.stages.size());
  pipeline.stages.insert(pipeline.stages.begin(), missing, *identity);
  if (pipeline.cut > 0) {
    pipeline.cut += missing;
  } else {
    while (pipeline.cut < missing && !id_of(pipeline)) ++pipeline.cut;
  }
  return pipeline;
}

void Space::validate() const {
  if (stages < 1 || stages > kMaxStages) {
    raise("search space: {} stages; give 1 to {}", stages, kMaxStages);
  }
  check_chunk_words(chunk_words);
  if (chunk_words > kLongestSearched) {
    raise("search space: chunks of {} words; searches take up to {}", chunk_words,
          kLongestSearched);
  }
  auto name = [](Component component) { return to_string(component); };
  if (stages > 1) check_distinct(components, "component", name);
  check_distinct(last, "last component", name);
  check_distinct(cuts, "cut", [](unsigned cut) { return fmt::to_string(cut); });
  for (const Component component : last) {
    if (!family(component.family).reduces) {
      raise("search space: {} cannot be a last component; use {}", to_string(component),
            reducer_names());
    }
  }
  if (!std::ranges::is_sorted(cuts) || cuts.back() > stages) {
    raise("search space: cuts {} must be ascending and at most {}, the number of stages",
          fmt::join(cuts, " "), stages);
  }
  if (std::ranges::adjacent_find(only, std::greater_equal()) != only.end()) {
    throw Error("search space: its list of pipelines must be ascending by id, each once");
  }
  if (!only.empty() && only.back() >= product(*this)) {
    raise("search space: its list has pipeline {} of {}", only.back(), product(*this));
  }
  check_distinct(preludes, "prelude",
                 [](const Prelude& prelude) { return fmt::format("'{}'", to_string(prelude)); });
  if (!preludes.front().empty()) {
    raise("search space: the first prelude is '{}'; it must be the empty one",
          to_string(preludes.front()));
  }
}

std::string Space::describe() const {
  std::string text = fmt::format("{} stages, {} components, {} last, cuts {}", stages,
                                 components.size(), last.size(), fmt::join(cuts, " "));
  if (chunk_words != kChunkWords) text += fmt::format(", chunks of {} words", chunk_words);
  text += fmt::format(": {} pipelines", product(*this));
  if (!only.empty()) text += fmt::format("; {} of them", only.size());
  for (std::size_t i = 1; i < preludes.size(); ++i) {
    text += i == 1 ? ", alone and behind " : ", ";
    text += to_string(preludes[i]);
  }
  return text;
}

}  // namespace fpsynth::synth
