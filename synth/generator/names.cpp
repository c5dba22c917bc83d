#include "synth/generator/names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "synth/error.hpp"

namespace fpsynth::synth {
namespace {

constexpr std::size_t kLongestName = 40;

// Of C and C++, each between blanks.
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

// What the headers that generated code includes declare outside of all namespaces, and what CMake,
// its generators and the linker mean by a name.
constexpr std::string_view kTaken =
    " std main abi abort abs access acos all asin atan atexit atof atoi atol basename bsearch "
    "calloc ceil clean clearenv clock close cos creat ctime daylight depend difftime div double_t "
    "dup edit_cache environ errno erf exit exp fabs fclose fdim feof ferror fflush fgetc fgets "
    "file float_t floor fma fmax fmin fmod fopen fork fpsynth fputc fputs fread free frexp fseek "
    "ftell fwrite gamma getc getchar getenv getline gets gmtime help hypot index install j0 j1 jn "
    "labs ldexp ldiv lgamma link linux llabs lldiv localeconv localtime log lseek malloc math "
    "memccpy memchr memcmp memcpy memmem memmove mempcpy memset mktime modf nan nice open optarg "
    "package pause perror pipe pow printf putc putchar putenv puts qsort raise rand random read "
    "realloc remainder remove rename rewind rindex rint round scanf select setenv signal signgam "
    "sin sleep snprintf sprintf sqrt srand stderr stdin stdout strcat strchr strcmp strcpy strlen "
    "strtod strtol swab sync system tan test tgamma time timezone tmpfile trunc ungetc unix unlink "
    "unsetenv uselocale vfork wait write y0 y1 yn ";

bool listed(std::string_view list, std::string_view name) {
  return list.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

}  // namespace

void check_codec_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto good = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  const auto refuse = [&](std::string_view reason) {
    throw UsageError(fmt::format("--name '{}': {}; take a name such as mpc6", name, reason));
  };
  if (name.empty()) refuse("it is empty");
  if (name.size() > kLongestName) refuse(fmt::format("it is longer than {}", kLongestName));
  if (!letter(name.front()) || !std::ranges::all_of(name, good)) {
    refuse("it is no C identifier: letters, digits and _, a letter first");
  }
  if (name.front() == '_' || name.find("__") != std::string_view::npos) {
    refuse("names with a _ in front or two in a row belong to the compiler");
  }
  if (listed(kKeywords, name)) refuse("it is a keyword of C or C++");
  const bool type = name.ends_with("_t") || name.starts_with("str") || name.starts_with("mem");
  if (type || listed(kTaken, name)) {
    refuse("the C library, CMake or fpsynth use it, or names like it");
  }
}

}  // namespace fpsynth::synth
