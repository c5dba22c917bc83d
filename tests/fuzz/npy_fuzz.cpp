// Headers of .npy files, and the split of FILE:VARIABLE: any bytes give a header that says what the
// file can hold, or an Error; any text is split into parts that make it up again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "runners/data/formats/variables.hpp"
#include "runners/data/reading.hpp"
#include "synth/common/error.hpp"

namespace {

void read(std::span<const std::byte> file) {
  using namespace fpsynth::data;
  const auto header = parse_npy_header(file);
  if (header.data > file.size()) std::abort();
  try {
    const auto [variable, values] = read_variable({"fuzz.npy", {}}, file, FileKind::Npy);
    if (values.bytes.empty() || values.bytes.size() != file.size() - header.data) std::abort();
    if (!values.owner && values.bytes.data() != file.data() + header.data) std::abort();
  } catch (const fpsynth::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read(std::as_bytes(std::span(data, size)));
  } catch (const fpsynth::Error&) {
  }
  // "." exists, but is no file: "/dev/null" is one, which may stand before a colon.
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.find('\0') == text.npos) {
    for (const std::string& path : {text, "/dev/null:" + text}) {
      const auto place = fpsynth::data::place_of(path);
      const std::string again = fpsynth::data::to_string(place);
      if (again != path && again + ":" != path) std::abort();
      if (fpsynth::data::data_set_name(place).size() > 200 && !place.variable.empty()) std::abort();
    }
  }
  return 0;
}
