#include "synth/pipeline.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "components/count_block.hpp"
#include "components/registry.hpp"
#include "components/words/word_type.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"
#include "synth/parsing.hpp"

namespace fpsynth::synth {
namespace {

using components::TypeList;

struct Row {
  FamilyTraits traits;
  std::array<std::size_t (*)(std::size_t), words::kColumns> bound;  // by column of the word size
};

/// The family's type, as generated code names it: "LnvSub".
template <class F>
constexpr std::string_view type_of() {
  // Both compilers write "[with F = fpsynth::components::LnvSub; ...]", clang without the word and
  // what follows.
  constexpr std::string_view function = __PRETTY_FUNCTION__, scope = "F = fpsynth::components::";
  constexpr std::size_t begin = function.find(scope) + scope.size();
  return function.substr(begin, function.find_first_of(";]", begin) - begin);
}

template <class F>
constexpr Row row() {
  return {{F::name, F::suffix, F::wire, F::parametric, F::reduces, F::identity, F::frame_fields,
           F::has_tables, type_of<F>(), components::Counted<F>},
          {&F::template bound<std::uint8_t>, &F::template bound<std::uint16_t>,
           &F::template bound<std::uint32_t>, &F::template bound<std::uint64_t>}};
}
template <class... Fs>
constexpr auto rows_of(TypeList<Fs...>) {
  return std::array<Row, sizeof...(Fs)>{row<Fs>()...};
}
constexpr auto kRows = rows_of(components::Families{});

template <class F, class... Fs>
constexpr std::uint64_t commuting_with(TypeList<Fs...>) {
  std::uint64_t bits = 0, bit = 1;
  ((bits |= F::template commutes_with<Fs> ? bit : 0, bit <<= 1), ...);
  return bits;
}
/// For each family, a bit for every family that it commutes with.
template <class... Fs>
constexpr auto commuting_of(TypeList<Fs...> all) {
  static_assert(sizeof...(Fs) <= 64);
  return std::array<std::uint64_t, sizeof...(Fs)>{commuting_with<Fs>(all)...};
}
constexpr auto kCommuting = commuting_of(components::Families{});

/// The digits between the name and the suffix of a family that has an n; empty if `name` is not of
/// that form.
std::string digits_of(const std::string& name, const FamilyTraits& traits) {
  const std::string suffix = upper(traits.suffix);
  if (!traits.parametric || name.size() <= traits.name.size() + suffix.size() ||
      !name.starts_with(traits.name) || !name.ends_with(suffix)) {
    return {};
  }
  const std::string digits =
      name.substr(traits.name.size(), name.size() - traits.name.size() - suffix.size());
  const bool all = std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c); });
  return all ? digits : std::string();
}

/// Advice for a word that is not a component.
std::string advice(std::string_view word) {
  for (const Row& row : kRows) {
    const std::string digits = digits_of(upper(word), row.traits);
    if (digits.empty()) continue;
    const bool none = digits.find_first_not_of('0') == digits.npos;
    if (none || (digits[0] != '0' && (digits.size() > 2 || std::stoi(digits) > 64))) {
      return fmt::format("the n of {}n{} is 1 to 64", row.traits.name, row.traits.suffix);
    }
  }
  return fmt::format("did you mean {}?", nearest_component(word));
}

}  // namespace

void check_chunk_words(std::size_t words) {
  if (std::ranges::count(kChunkLengths, words) > 0) return;
  raise("chunks of {} words; give {}", words, fmt::join(kChunkLengths, ", "));
}

std::size_t family_count() { return kRows.size(); }

const FamilyTraits& family(std::size_t index) { return kRows.at(index).traits; }

bool commute(std::size_t family, std::size_t other) {
  return (kCommuting[family] >> other & 1) || (kCommuting[other] >> family & 1);
}

std::optional<std::uint8_t> family_of_wire(std::uint8_t wire) {
  for (std::size_t index = 0; index < kRows.size(); ++index) {
    if (kRows[index].traits.wire == wire) return static_cast<std::uint8_t>(index);
  }
  return std::nullopt;
}

std::size_t worst_case(Component component, std::size_t word_bytes, std::size_t words) {
  return kRows.at(component.family).bound[words::column(word_bytes)](words);
}

std::string to_string(Component component) {
  const FamilyTraits& traits = family(component.family);
  return traits.parametric ? fmt::format("{}{}{}", traits.name, component.parameter, traits.suffix)
                           : std::string(traits.name);
}

std::optional<Component> parse_component(std::string_view text) {
  const std::string name = upper(text);
  for (std::size_t index = 0; index < kRows.size(); ++index) {
    const FamilyTraits& traits = kRows[index].traits;
    if (!traits.parametric) {
      if (name == traits.name) return Component{static_cast<std::uint8_t>(index), 0};
      continue;
    }
    const std::string digits = digits_of(name, traits);
    if (digits.empty() || digits.size() > 2 || digits[0] == '0') continue;
    const int n = std::stoi(digits);
    if (n <= 64) return Component{static_cast<std::uint8_t>(index), static_cast<std::uint8_t>(n)};
  }
  return std::nullopt;
}

std::string reducer_names() {
  std::string names;
  std::size_t left = std::size_t(
      std::ranges::count(kRows, true, [](const Row& row) { return row.traits.reduces; }));
  for (const Row& row : kRows) {
    if (!row.traits.reduces) continue;
    names += row.traits.name;
    names += row.traits.suffix;
    if (--left > 0) names += left == 1 ? " or " : ", ";
  }
  return names;
}

std::string nearest_component(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t index = 0; index < kRows.size(); ++index) {
    const bool parametric = kRows[index].traits.parametric;
    for (unsigned n = parametric ? 1 : 0; n <= (parametric ? 64 : 0); ++n) {
      names.push_back(
          to_string(Component{static_cast<std::uint8_t>(index), static_cast<std::uint8_t>(n)}));
    }
  }
  return *std::ranges::min_element(
      names, {}, [&](const std::string& name) { return edit_distance(upper(text), upper(name)); });
}

std::string to_string(const Pipeline& pipeline) {
  std::string text;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    if (i == pipeline.cut) text += text.empty() ? "|" : " |";
    if (!text.empty()) text += ' ';
    text += to_string(pipeline.stages[i]);
  }
  return text;
}

Pipeline without_identities(const Pipeline& pipeline) {
  Pipeline plain;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    if (family(pipeline.stages[i].family).identity) continue;
    plain.stages.push_back(pipeline.stages[i]);
    plain.cut += i < pipeline.cut;
  }
  return plain;
}

Pipeline parse_pipeline(std::string_view text, std::size_t begin) {
  Pipeline pipeline;
  std::optional<unsigned> cut;
  const std::vector<Word> words = split(text, begin, "|");
  for (const Word& word : words) {
    if (word.text == "|") {
      if (cut) fail_at(text, word.column, 1, "second cut: a pipeline has at most one '|'");
      cut = static_cast<unsigned>(pipeline.stages.size());
      continue;
    }
    const std::optional<Component> component = parse_component(word.text);
    if (!component) {
      fail_at(text, word.column, word.text.size(),
              fmt::format("unknown component '{}'; {}", word.text, advice(word.text)));
    }
    if (pipeline.stages.size() == kMaxStages) {
      fail_at(text, word.column, word.text.size(), fmt::format("more than {} stages", kMaxStages));
    }
    pipeline.stages.push_back(*component);
  }
  if (pipeline.stages.empty()) {
    fail_at(text, begin, text.size() - begin,
            "empty pipeline: name 1 to 8 components, such as 'LNV6s BIT LNV1s ZE'");
  }
  pipeline.cut = cut.value_or(static_cast<unsigned>(pipeline.stages.size()));
  if (!family(pipeline.stages.back().family).reduces) {
    const auto last = std::ranges::find_if(words.rbegin(), words.rend(),
                                           [](const Word& word) { return word.text != "|"; });
    fail_at(text, last->column, last->text.size(),
            fmt::format("the last stage must be {}, not {}: only these make the data smaller",
                        reducer_names(), to_string(pipeline.stages.back())));
  }
  return pipeline;
}

}  // namespace fpsynth::synth
