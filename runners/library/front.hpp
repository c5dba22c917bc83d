#pragma once
// Parts that the functions of C++ and of C share.

#include <fpsynth.h>

#include <cstddef>
#include <fpsynth/codec.hpp>
#include <string_view>
#include <vector>

#include "runners/codec/codec.hpp"
#include "synth/common/value_type.hpp"

namespace fpsynth::library {

/// In place of a method.
inline constexpr std::string_view kAuto = "auto";

/// The type of values, and the bytes that describe them in front of their container: as the program
/// does it, none of floats without a shape.
struct Described {
  synth::ValueType type;
  std::vector<std::byte> front;
  std::size_t word_bytes() const { return synth::word_bytes(type); }
};
/// Throws UsageError for an unknown type and for a shape of other values.
Described described(const Values& values);

/// All words with a method that is not "auto". Throws as fpsynth::compress() does.
codec::Section named_section(const Values& values, std::string_view method,
                             const CompressOptions& options);
/// Those of "auto". Each library has its own: fpsynth's throws what search::choose() throws, that
/// of fpsynth-codec alone UsageError.
std::vector<codec::Section> best_sections(const Values& values, const CompressOptions& options);

/// The most bytes of a container: of "auto", as many as with ZE, which it never exceeds. Reads
/// no values. Throws as fpsynth::compress() does, and Error if no memory is that large.
std::size_t bound(const Values& values, std::string_view method, const CompressOptions& options);

// Of C alone.

/// Throws UsageError for NULL.
void not_null(const void* pointer, const char* name);
/// Throws UsageError for NULL, but for no shape and no data.
Values values_of(const fpsynth_values* from, bool with_data = true);
CompressOptions options_of(const fpsynth_options* from);
/// Keeps the message of the exception that is being handled for fpsynth_error(); returns its
/// status.
int caught() noexcept;
template <class Call>
int status_of(Call call) noexcept {
  try {
    call();
    return 0;
  } catch (...) {
    return caught();
  }
}

}  // namespace fpsynth::library
