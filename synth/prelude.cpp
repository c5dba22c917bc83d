#include "synth/prelude.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <stdexcept>

#include "components/preludes/registry.hpp"
#include "synth/common/words.hpp"
#include "synth/parsing.hpp"

namespace fpsynth::synth {
namespace {

template <class... Steps>
constexpr auto traits_of(components::TypeList<Steps...>) {
  return std::array<PreludeTraits, sizeof...(Steps)>{PreludeTraits{
      Steps::wire,
      Steps::name,
      Steps::suffix,
      Steps::type,
      Steps::shape,
      Steps::parametric,
      {Steps::template range<std::uint8_t>, Steps::template range<std::uint16_t>,
       Steps::template range<std::uint32_t>, Steps::template range<std::uint64_t>}}...};
}
constexpr auto kTraits = traits_of(preludes::Steps{});

std::string name_of(const PreludeTraits& traits) {
  return fmt::format("{}{}", traits.name, traits.suffix);
}

std::string nearest_step(std::string_view typed) {
  std::vector<std::string> names;
  for (const PreludeTraits& traits : kTraits) names.push_back(name_of(traits));
  return *std::ranges::min_element(
      names, {}, [&](const std::string& name) { return edit_distance(upper(typed), upper(name)); });
}

/// The wider of a step's ranges, because the word size is not known while parsing.
preludes::ParameterRange widest(const PreludeTraits& traits) {
  const preludes::ParameterRange eight = traits.range(8), four = traits.range(4);
  return {std::min(eight.least, four.least), std::max(eight.most, four.most), eight.powers_of_two};
}

/// The numbers of a range, for messages.
std::string range_text(const preludes::ParameterRange& range) {
  return fmt::format("{}{} to {}", range.powers_of_two ? "a power of two from " : "", range.least,
                     range.most);
}

bool has_divisors(const PreludeTraits& traits) { return traits.shape == preludes::Shape::Selected; }
std::string divisors_text() {
  return fmt::format(
      "1 to {} divisors, first ascending whole numbers up to 2^53, then ascending "
      "numbers with a point or an exponent, as in RAT:512:10:32768:57.3",
      preludes::kMostDivisors);
}
/// A divisor's number in preludes::Divisors; 0, which none has, for another text.
std::uint64_t divisor_of(std::string_view text) {
  if (const std::optional<std::uint64_t> whole = whole_number(text)) {
    return *whole <= preludes::Divisors::kWhole ? *whole : 0;
  }
  double real = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), real);
  const auto bits = std::bit_cast<std::uint64_t>(real);
  const bool read = error == std::errc() && at == text.data() + text.size();
  return read && bits > preludes::Divisors::kWhole ? bits : 0;
}

/// The part of a step's text in front of its parameter.
std::string_view before_colon(std::string_view text) { return text.substr(0, text.find(':')); }

/// The traits of the step that a text names, whatever its parameter; kTraits.end() if there is
/// none.
auto find_step(std::string_view text) {
  const std::string name = upper(before_colon(text));
  return std::ranges::find_if(
      kTraits, [&](const PreludeTraits& traits) { return upper(name_of(traits)) == name; });
}

/// `whole` is shown in errors.
PreludeStep parse_step(std::string_view whole, const Word& word) {
  const auto fail = [&](const std::string& reason) {
    fail_at(whole, word.column, word.text.size(), reason);
  };
  const auto found = find_step(word.text);
  if (found == kTraits.end()) {
    if (parse_component(word.text)) {
      fail(fmt::format("'{}' is a component of pipelines, which stand behind the '/' of a prelude",
                       word.text));
    }
    fail(fmt::format("unknown step '{}' of a prelude; did you mean {}?", word.text,
                     nearest_step(before_colon(word.text))));
  }
  const std::size_t colon = before_colon(word.text).size();
  PreludeStep step{found->wire, 0, {}};
  if (!found->parametric) {
    if (colon != word.text.size()) fail(fmt::format("{} takes no number", name_of(*found)));
    return step;
  }
  std::string_view numbers = word.text.substr(std::min(colon + 1, word.text.size()));
  const preludes::ParameterRange range = widest(*found);
  const std::string_view first = has_divisors(*found) ? before_colon(numbers) : numbers;
  const std::optional<std::uint64_t> parameter = whole_number(first);
  if (!parameter || !range.has(*parameter)) {
    fail(fmt::format("{} needs {}{}, as in {}:{}", name_of(*found),
                     range.powers_of_two ? "" : "a number from ", range_text(range),
                     name_of(*found), std::max<std::uint64_t>(range.least, 2)));
  }
  step.parameter = *parameter;
  if (!has_divisors(*found)) return step;
  while (before_colon(numbers).size() < numbers.size()) {
    numbers.remove_prefix(before_colon(numbers).size() + 1);
    if (step.divisors.count == preludes::kMostDivisors) {
      step.divisors = {};
      break;
    }
    step.divisors.add(divisor_of(before_colon(numbers)));
  }
  if (!step.divisors.suit()) {
    fail(fmt::format("{} needs {} behind its block", name_of(*found), divisors_text()));
  }
  return step;
}

/// Parses text[0..end).
Prelude parse_prelude_before(std::string_view text, std::size_t end) {
  Prelude prelude;
  const std::vector<Word> words = split(text.substr(0, end), 0, "");
  if (words.size() == 1 && upper(words.front().text) == "NONE") return prelude;
  for (const Word& word : words) {
    if (prelude.steps.size() == preludes::kMostSteps) {
      fail_at(text, word.column, word.text.size(),
              fmt::format("more than {} steps of a prelude", preludes::kMostSteps));
    }
    prelude.steps.push_back(parse_step(text, word));
  }
  return prelude;
}

/// Throws if a step stands in the text of a pipeline: it needs a '/'.
void refuse_steps(std::string_view text) {
  for (const Word& word : split(text, 0, "|")) {
    if (find_step(word.text) == kTraits.end()) continue;
    fail_at(text, word.column, word.text.size(),
            fmt::format("'{}' is a step of a prelude, behind which a '/' and a pipeline stand, as "
                        "in 'ORD LAGs:2401 / LNV1s ZE'",
                        word.text));
  }
}

constexpr std::string_view kNone = "none", kFound = "auto";

}  // namespace

std::span<const PreludeTraits> prelude_kinds() { return kTraits; }

const PreludeTraits* find_prelude_kind(std::size_t kind) {
  const auto found = std::ranges::find(kTraits, kind, &PreludeTraits::wire);
  return found == kTraits.end() ? nullptr : &*found;
}

const PreludeTraits& prelude_traits(std::size_t kind) {
  const PreludeTraits* const found = find_prelude_kind(kind);
  if (!found) throw std::out_of_range(fmt::format("no step of preludes has the number {}", kind));
  return *found;
}

std::string to_string(const PreludeStep& step) {
  const PreludeTraits& traits = prelude_traits(step.kind);
  std::string text = name_of(traits);
  if (traits.parametric) text += fmt::format(":{}", step.parameter);
  for (std::size_t i = 0; i < step.divisors.count; ++i) {
    const std::uint64_t divisor = step.divisors.of[i];
    text += divisor <= preludes::Divisors::kWhole
                ? fmt::format(":{}", divisor)
                : fmt::format(":{:#}", std::bit_cast<double>(divisor));
  }
  return text;
}

std::string to_string(const Prelude& prelude) {
  std::string text;
  for (const PreludeStep& step : prelude.steps) {
    if (!text.empty()) text += ' ';
    text += to_string(step);
  }
  return text;
}

std::string to_string(const Method& method) {
  const std::string pipeline = to_string(method.pipeline);
  return method.prelude.empty() ? pipeline
                                : fmt::format("{} / {}", to_string(method.prelude), pipeline);
}

Prelude parse_prelude(std::string_view text) {
  if (const std::size_t slash = text.find('/'); slash != text.npos) {
    fail_at(text, slash, 1, "only a prelude is wanted here, without '/' and a pipeline");
  }
  return parse_prelude_before(text, text.size());
}

Method parse_method(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) {
    refuse_steps(text);
    return {{}, parse_pipeline(text)};
  }
  if (const std::size_t second = text.find('/', slash + 1); second != text.npos) {
    fail_at(text, second, 1, "second '/': it stands between the prelude and the pipeline only");
  }
  Method method;
  method.prelude = parse_prelude_before(text, slash);
  method.pipeline = parse_pipeline(text, slash + 1);
  return method;
}

std::string defect(const Prelude& prelude, std::size_t word_bytes) {
  if (prelude.steps.size() > preludes::kMostSteps) {
    return fmt::format("{} steps in a prelude; it has at most {}", prelude.steps.size(),
                       preludes::kMostSteps);
  }
  for (const PreludeStep& step : prelude.steps) {
    const PreludeTraits* const kind = find_prelude_kind(step.kind);
    if (!kind) {
      return fmt::format("unknown step {} of a prelude", step.kind);
    }
    const PreludeTraits& traits = *kind;
    if (!traits.suits(word_bytes)) {
      return fmt::format("{} on {}-byte words; it is for floats and integers of 4 and 8 bytes",
                         name_of(traits), word_bytes);
    }
    const preludes::ParameterRange range = traits.range(word_bytes);
    if (!range.has(step.parameter)) {
      return fmt::format("parameter {} of {}; {}", step.parameter, name_of(traits),
                         traits.parametric ? fmt::format("on {}-byte words it is {}", word_bytes,
                                                         range_text(range))
                                           : "it takes none");
    }
    if (has_divisors(traits) ? !step.divisors.suit() : step.divisors.count > 0) {
      return fmt::format("{}: {}", to_string(step),
                         has_divisors(traits) ? "it needs " + divisors_text()
                                              : name_of(traits) + " has no divisors");
    }
  }
  return {};
}

void check(const Prelude& prelude, std::size_t word_bytes) {
  if (const std::string what = defect(prelude, word_bytes); !what.empty()) throw Error(what);
}

PreludeRequest PreludeRequest::parse(std::string_view text) {
  if (upper(text) == upper(kNone)) return {};
  if (upper(text) == upper(kFound)) return {Kind::Found, {}};
  PreludeRequest request{Kind::Named, {}};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const Prelude prelude = parse_prelude(part);
    if (prelude.empty()) {
      throw UsageError(
          fmt::format("preludes '{}': '{}' is none; give auto, none, or preludes such as "
                      "\"LAGx:18200, DICT LAGs:2401\" (pipelines alone are always tried)",
                      text, part));
    }
    if (std::ranges::find(request.named, prelude) != request.named.end()) {
      throw UsageError(
          fmt::format("preludes '{}': '{}' is listed twice; remove one", text, to_string(prelude)));
    }
    request.named.push_back(prelude);
    begin = end + 1;
  }
  return request;
}

void PreludeRequest::check(std::size_t word_bytes) const {
  for (const Prelude& prelude : named) {
    const std::string what = defect(prelude, word_bytes);
    if (!what.empty()) throw UsageError(fmt::format("preludes '{}': {}", text(), what));
  }
}

std::string PreludeRequest::text() const {
  if (kind == Kind::None) return std::string(kNone);
  if (kind == Kind::Found) return std::string(kFound);
  std::string list;
  for (const Prelude& prelude : named) {
    if (!list.empty()) list += ", ";
    list += to_string(prelude);
  }
  return list;
}

}  // namespace fpsynth::synth
