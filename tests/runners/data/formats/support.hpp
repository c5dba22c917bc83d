#pragma once
// The common parts of the tests of file formats: values whose every bit counts, and the inputs of
// open_input().

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "runners/data/formats/variables.hpp"
#include "runners/data/input.hpp"
#include "tests/support/exact_memory.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::data {

/// Values of any bits: signalling NaNs with payloads, infinities, denormals, minus zero.
template <class Float>
std::vector<Float> odd_values(std::size_t count) {
  using Word = std::conditional_t<sizeof(Float) == 8, std::uint64_t, std::uint32_t>;
  constexpr bool kDouble = sizeof(Float) == 8;
  const Word special[] = {
      static_cast<Word>(kDouble ? 0x7ff0'0000'0000'0001 : 0x7f80'0001),  // a signalling NaN
      static_cast<Word>(kDouble ? 0xfff8'dead'beef'0042 : 0xffc0'beef),
      static_cast<Word>(kDouble ? 0x7ff0'0000'0000'0000 : 0x7f80'0000), Word{1},
      static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1))};
  std::vector<Float> values(count);
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < count; ++i) {
    const Word word = i < std::size(special) ? special[i] : static_cast<Word>(random());
    std::memcpy(&values[i], &word, sizeof word);
  }
  return values;
}

template <class Float>
std::string text_of_values(const std::vector<Float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Float)};
}

/// The same with the bytes of each value reversed.
template <class Float>
std::string big_endian(const std::vector<Float>& values) {
  std::string text = text_of_values(values);
  for (std::size_t at = 0; at < text.size(); at += sizeof(Float)) {
    std::reverse(text.begin() + static_cast<std::ptrdiff_t>(at),
                 text.begin() + static_cast<std::ptrdiff_t>(at + sizeof(Float)));
  }
  return text;
}

/// The words of a type: of 1 and 2 bytes all that there are, of more odd values.
inline std::string words_of(ValueType type) {
  const auto all = []<class Word>(Word) {
    std::vector<Word> words(std::size_t{1} << 8 * sizeof(Word));
    std::iota(words.begin(), words.end(), Word{0});
    return text_of_values(words);
  };
  switch (type.precision) {
    case Precision::Double:
      return text_of_values(odd_values<double>(60));
    case Precision::Single:
      return text_of_values(odd_values<float>(60));
    case Precision::Half:
      return all(std::uint16_t{});
    case Precision::Byte:
      return all(std::uint8_t{});
  }
  return {};
}

/// The same words, big-endian.
inline std::string big_endian(std::string words, ValueType type) {
  swap_words(std::as_writable_bytes(std::span(words)), type.precision);
  return words;
}

inline std::string text_of_input(const Input& input) {
  return {reinterpret_cast<const char*>(input.bytes().data()), input.bytes().size()};
}

/// The bytes of FILE or FILE:VARIABLE.
inline std::string opened(const std::filesystem::path& path) {
  return text_of_input(open_input(path));
}

inline std::string error_of(const std::filesystem::path& path) {
  return tests::message_of([&] { open_input(path); });
}

/// The variable of a name in a file's list. Fails the test if there is none.
inline Variable listed(const std::filesystem::path& file, const std::string& name) {
  const auto variables = variables_of(file);
  if (variables) {
    for (const Variable& variable : *variables) {
      if (variable.name == name) return variable;
    }
  }
  ADD_FAILURE() << file << " has no variable " << name;
  return {};
}

/// Opens every beginning of a file and files with changed bytes: each must give values or an Error.
/// Returns how many were values.
inline int opened_when_damaged(const std::filesystem::path& file, const std::string& variable,
                               std::size_t step) {
  const std::string bytes = tests::read_bytes(file);
  const std::filesystem::path damaged = file.string() + ".damaged";
  int opened = 0;
  const auto attempt = [&](const std::string& text) {
    tests::write_bytes(damaged, text);
    try {
      open_input(damaged.string() + (variable.empty() ? "" : ":" + variable));
      ++opened;
    } catch (const Error&) {
    }
    const tests::ExactMemory exact(text);
    const auto format = format_of(exact.bytes());
    // libhdf5 reads the file itself, and has just done so.
    if (!format || format->kind == FileKind::Other || format->kind == FileKind::Hdf5) return;
    try {
      read_variable({damaged, variable}, exact.bytes(), format->kind);
    } catch (const Error&) {
    }
  };
  for (std::size_t size = 1; size < bytes.size(); size += step) attempt(bytes.substr(0, size));
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    std::string text = bytes;
    text[at] = static_cast<char>(~text[at]);
    attempt(text);
  }
  return opened;
}

}  // namespace fpsynth::data
