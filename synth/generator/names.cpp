#include "synth/generator/project.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "synth/common/raise.hpp"
#include "synth/generator/texts.hpp"

namespace fpsynth::synth {
namespace {

constexpr std::size_t kLongestName = 40;

// The keywords of C and C++, each between blanks.
constexpr std::string_view kKeywords =
    " alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor "
    "bool break case catch char char8_t char16_t char32_t class compl concept const consteval "
    "constexpr constinit const_cast continue co_await co_return co_yield decltype default delete "
    "do double dynamic_cast else enum explicit export extern false float for friend goto if inline "
    "int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
    "protected public reflexpr register reinterpret_cast requires restrict return short signed "
    "sizeof static static_assert static_cast struct switch synchronized template this "
    "thread_local throw true try typedef typeid typename typeof union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq ";

// Prefixes of macros and types of the headers that generated code includes.
constexpr std::string_view kTakenPrefixes[] = {
    "str",   "mem", "wcs",  "wmem",   "XXH",      "PRI",    "SCN", "cuda", "omp_",
    "make_", "H5",  "hdf5", "posix_", "pthread_", "sched_", "si_", "st_"};

// Global names of these headers, names of headers and libraries in the compiler's folders, and
// names that have a meaning for CMake, its generators and the linker, or are in the folder in which
// a project is built.
constexpr std::string_view kTaken = "synth/generator/taken_names.txt";

bool listed(std::string_view list, std::string_view name) {
  return list.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

bool taken(std::string_view name) {
  static const std::string names = [] {
    std::string text = fmt::format(" {}", source_text(kTaken));
    std::ranges::replace(text, '\n', ' ');
    return text;
  }();
  return name.ends_with("_t") || listed(names, name) ||
         std::ranges::any_of(kTakenPrefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

void check_codec_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto good = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  const auto refuse = [&](std::string_view reason) {
    raise<UsageError>("--name '{}': {}; choose a name such as mpc6", name, reason);
  };
  if (name.empty()) refuse("it is empty");
  if (name.size() > kLongestName) {
    refuse(fmt::format("it is longer than {} characters", kLongestName));
  }
  if (!letter(name.front()) || !std::ranges::all_of(name, good)) {
    refuse("it is not a C identifier, which has letters, digits and _, and a letter first");
  }
  if (name.front() == '_' || name.find("__") != std::string_view::npos) {
    refuse("names that begin with _ or contain __ are reserved for the compiler");
  }
  if (listed(kKeywords, name)) refuse("it is a keyword of C or C++");
  if (std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; })) {
    refuse("names without lower-case letters are for macros");
  }
  if (name.back() == '_') refuse("it ends with _, and function names would then contain __");
  if (taken(name)) refuse("libraries, compilers, CMake or fpsynth use it or similar names");
}

}  // namespace fpsynth::synth
