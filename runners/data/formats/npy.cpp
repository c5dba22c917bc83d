// NumPy's .npy, versions 1 to 3: magic, version, the length of the header, the header (a literal of
// Python: a dictionary of descr, fortran_order and shape), the values.

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "runners/data/formats/variables.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

using namespace std::string_view_literals;

/// Reads the literals of a header, from left to right.
class Literals {
 public:
  explicit Literals(std::string_view text) : rest_(text) {}

  /// True if the next character but blanks is `c`, which is then skipped.
  bool skip(char c) {
    blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char c) {
    if (!skip(c)) fail(fmt::format("'{}'", c));
  }
  bool at_end() {
    blanks();
    return rest_.empty();
  }
  bool next_is(std::string_view characters) {
    blanks();
    return !rest_.empty() && characters.find(rest_.front()) != characters.npos;
  }

  std::string string() {
    if (!next_is("'\"")) fail("a string");
    const char quote = rest_.front();
    const std::size_t end = rest_.find(quote, 1);
    if (end == rest_.npos) fail("the end of a string");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    for (const auto& [word, value] : {std::pair("True"sv, true), std::pair("False"sv, false)}) {
      blanks();
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    fail("True or False");
  }
  /// A tuple of whole numbers. Python 2 wrote 3L.
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> numbers;
    need('(');
    while (!skip(')')) {
      numbers.push_back(number());
      if (!skip(',')) {
        need(')');
        break;
      }
    }
    return numbers;
  }

  [[noreturn]] void fail(std::string_view expected) const {
    raise("its header is damaged: expected {} before the last {}", expected,
          counted(rest_.size(), "byte"));
  }

 private:
  void blanks() {
    const std::size_t blanks = std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size());
    rest_.remove_prefix(blanks);
  }
  std::uint64_t number() {
    blanks();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail("a whole number of 64 bits");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);
    return value;
  }

  std::string_view rest_;
};

}  // namespace

void set_npy_type(NpyHeader& header, const std::string& descr) {
  if (descr.empty()) throw Error("its header is damaged: the descr is empty");
  const bool ordered = "<>=|"sv.find(descr.front()) != std::string_view::npos;
  const std::string code = ordered ? descr.substr(1) : descr;

  using Kind = std::pair<char, std::string_view>;
  constexpr Kind kKinds[] = {{'f', "float"},   {'i', "int"},      {'u', "uint"},
                             {'c', "complex"}, {'b', "bool"},     {'O', "object"},
                             {'S', "string"},  {'a', "string"},   {'U', "unicode"},
                             {'V', "void"},    {'M', "datetime"}, {'m', "timedelta"}};
  const Kind* const kind =
      std::ranges::find(kKinds, code.empty() ? '\0' : code.front(), &Kind::first);
  std::uint32_t bytes = 0;
  const char* const begin = code.data() + std::min<std::size_t>(1, code.size());
  const bool sized =
      std::from_chars(begin, code.data() + code.size(), bytes).ptr == code.data() + code.size();
  header.type =
      kind == std::end(kKinds) ? fmt::format("of the type '{}'", descr) : std::string(kind->second);
  constexpr std::string_view kNumbers = "fiuc";
  if (kind != std::end(kKinds) && kNumbers.find(kind->first) != kNumbers.npos && sized) {
    header.type += std::to_string(std::uint64_t{8} * bytes);
  }
  // NumPy has no bfloat16: ml_dtypes writes words without a type, and Zarr the name.
  if (code == "V2" || descr == "bfloat16") header.type = "bfloat16";
  header.held = synth::type_called(header.type, &synth::NamedType::name);
  header.big_endian =
      descr.front() == '>' && header.held != std::nullopt && synth::word_bytes(*header.held) > 1;
}

NpyHeader parse_npy_header(std::span<const std::byte> bytes) {
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(file[i]); };
  if (file.size() < 10 || !file.starts_with("\x93NUMPY"sv)) throw Error("its header is cut off");
  const unsigned version = at(6);
  if (version < 1 || version > 3) {
    raise("it has version {}.{} of the .npy format; 1, 2 and 3 are known", version, at(7));
  }
  const std::size_t before = version == 1 ? 10 : 12;
  if (file.size() < before) throw Error("its header is cut off");
  std::size_t length = at(8) | at(9) << 8;
  if (version > 1) length |= std::size_t{at(10)} << 16 | std::size_t{at(11)} << 24;
  if (length > file.size() - before) throw Error("its header is cut off");

  NpyHeader header;
  header.data = before + length;
  Literals literals(file.substr(before, length));
  bool descr = false, order = false, shape = false;
  literals.need('{');
  while (!literals.skip('}')) {
    const std::string key = literals.string();
    literals.need(':');
    if (key == "descr" && !descr) {
      descr = true;
      if (literals.next_is("[")) {  // a list of fields, which is of no further interest
        header.type = "structured";
        return header;
      }
      set_npy_type(header, literals.string());
    } else if (key == "fortran_order" && !order) {
      order = true;
      header.fortran_order = literals.boolean();
    } else if (key == "shape" && !shape) {
      shape = true;
      header.shape = literals.tuple();
    } else {
      throw Error("its header is damaged: it has a key that is unknown, or a second time");
    }
    if (!literals.skip(',')) {
      literals.need('}');
      break;
    }
  }
  if (!literals.at_end() || !descr || !order || !shape) {
    throw Error("its header is damaged: it has no descr, fortran_order or shape, or more");
  }
  return header;
}

std::span<const std::byte> npy_values(std::span<const std::byte> file, const NpyHeader& header) {
  if (!header.held) throw Error(type_refusal(header.type));
  const std::uint64_t expected = header.values() * synth::word_bytes(*header.held);
  const auto values = file.subspan(header.data);
  if (values.size() < expected) {
    raise("it is cut off: its shape {} makes {} bytes, and {} follow its header",
          shape_text(header.shape), expected, values.size());
  }
  if (values.size() > expected) {
    raise("{} follow its array, which has {}; save one array to a file",
          counted(values.size() - expected, "byte"), expected);
  }
  return values;
}

std::string npy_header(ValueType type, bool big_endian, bool fortran_order,
                       const std::vector<std::uint64_t>& shape) {
  const std::size_t bytes = synth::word_bytes(type);
  const std::string descr = fmt::format(
      "{}{}{}",
      bytes == 1   ? '|'
      : big_endian ? '>'
                   : '<',
      type.kind == synth::ValueKind::Brain ? 'V' : synth::named(type).code.front(), bytes);
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}", descr,
                                 fortran_order ? "True" : "False", fmt::join(shape, ", "),
                                 shape.size() == 1 ? "," : "");
  // Values begin at a multiple of 64 bytes; magic, version and length are 10 bytes of these.
  constexpr std::size_t kBefore = 10, kAligned = 64;
  text.append(kAligned - 1 - (kBefore + text.size()) % kAligned, ' ');
  text += '\n';
  const auto length = static_cast<unsigned>(text.size());
  std::string front("\x93NUMPY\x01\0"sv);
  front += static_cast<char>(length & 0xff);
  front += static_cast<char>(length >> 8);
  return front + text;
}

namespace {

class NpyFile : public VariableFile {
 public:
  explicit NpyFile(std::span<const std::byte> bytes)
      : bytes_(bytes), header_(parse_npy_header(bytes)) {}

  std::vector<Variable> variables() override {
    Variable variable = header_;
    std::vector<std::string_view> remarks;
    if (header_.big_endian) remarks.push_back("big-endian");
    if (header_.type == "bfloat16") remarks.push_back("V2, as ml_dtypes writes bfloat16");
    if (header_.fortran_order && header_.shape.size() > 1) {
      remarks.push_back("Fortran order: the first index counts fastest");
    }
    variable.storage = joined(remarks, ", ");
    return {variable};
  }

  void read(const Variable&, std::span<std::byte> values) override {
    std::ranges::copy(npy_values(bytes_, header_), values.begin());
    swap_words(values, header_.held->precision);
  }

  std::span<const std::byte> in_file(const Variable&) override {
    return header_.big_endian ? std::span<const std::byte>() : npy_values(bytes_, header_);
  }

 private:
  std::span<const std::byte> bytes_;
  NpyHeader header_;
};

std::unique_ptr<VariableFile> open_npy(const std::filesystem::path&,
                                       std::span<const std::byte> bytes) {
  return std::make_unique<NpyFile>(bytes);
}

}  // namespace

const ReaderFunctions kNpyReader = {open_npy, nullptr};

}  // namespace fpsynth::data
