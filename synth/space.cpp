#include "synth/space.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "components/registry.hpp"

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

template <class T>
void check_distinct(const std::vector<T>& values, std::string_view what, auto text) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::ranges::count(values, values[i]) > 1) {
      throw Error(fmt::format("search space: {} {} is listed twice", what, text(values[i])));
    }
  }
  if (values.empty()) throw Error(fmt::format("search space: no {} given", what));
}

}  // namespace

std::vector<Component> registered_components() { return components_of(components::Registry{}); }

Space Space::paper() {
  Space space;
  space.components = registered_components();
  space.components.resize(components::kPaperComponents);
  std::ranges::copy_if(space.components, std::back_inserter(space.last),
                       [](Component c) { return family(c.family).reduces; });
  space.cuts = {0, 1, 2, 3, 4};
  return space;
}

std::uint64_t Space::size() const {
  std::uint64_t size = cuts.size();
  bool overflow = __builtin_mul_overflow(size, last.size(), &size);
  for (unsigned stage = 1; stage < stages; ++stage) {
    overflow |= __builtin_mul_overflow(size, components.size(), &size);
  }
  if (overflow) {
    throw Error("search space: more than 2^64 pipelines; use fewer stages or components");
  }
  return size;
}

Pipeline Space::at(std::uint64_t id) const {
  Pipeline pipeline;
  pipeline.stages.resize(stages);
  pipeline.stages.back() = last[id % last.size()];
  id /= last.size();
  for (unsigned stage = stages - 1; stage-- > 0;) {
    pipeline.stages[stage] = components[id % components.size()];
    id /= components.size();
  }
  pipeline.cut = cuts.at(id);
  return pipeline;
}

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
  return id;
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
    throw Error(fmt::format("search space: {} stages; give 1 to {}", stages, kMaxStages));
  }
  check_chunk_words(chunk_words);
  auto name = [](Component component) { return to_string(component); };
  if (stages > 1) check_distinct(components, "component", name);
  check_distinct(last, "last component", name);
  check_distinct(cuts, "cut", [](unsigned cut) { return fmt::to_string(cut); });
  for (const Component component : last) {
    if (!family(component.family).reduces) {
      throw Error(fmt::format("search space: {} cannot be a last component; use {}",
                              to_string(component), reducer_names()));
    }
  }
  if (!std::ranges::is_sorted(cuts) || cuts.back() > stages) {
    throw Error(
        fmt::format("search space: cuts {} must be ascending and at most {}, the number of stages",
                    fmt::join(cuts, " "), stages));
  }
}

std::string Space::describe() const {
  std::string text = fmt::format("{} stages, {} components, {} last, cuts {}", stages,
                                 components.size(), last.size(), fmt::join(cuts, " "));
  if (chunk_words != kChunkWords) text += fmt::format(", chunks of {} words", chunk_words);
  return text + fmt::format(": {} pipelines", size());
}

}  // namespace fpsynth::synth
