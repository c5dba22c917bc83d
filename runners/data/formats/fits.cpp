// FITS through cfitsio, which is given the bytes of the file: images, called by the name of their
// HDU or its number (0 is the primary one), and columns of binary tables, called HDU/COLUMN.

#include <fitsio.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runners/data/formats/variables.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

void check(int status) {
  if (status == 0) return;
  std::array<char, FLEN_STATUS> text{};
  fits_get_errstatus(status, text.data());
  fits_clear_errmsg();
  raise("cfitsio: {}", text.data());
}

/// The types of BITPIX, and of a column's type code.
constexpr TypeName kImageTypes[] = {{FLOAT_IMG, "float32"}, {DOUBLE_IMG, "float64"},
                                    {BYTE_IMG, "uint8"},    {SHORT_IMG, "int16"},
                                    {LONG_IMG, "int32"},    {LONGLONG_IMG, "int64"}};
constexpr TypeName kColumnTypes[] = {
    {TFLOAT, "float32"},     {TDOUBLE, "float64"},       {TBIT, "bits"},
    {TBYTE, "uint8"},        {TLOGICAL, "bool"},         {TSTRING, "string"},
    {TSHORT, "int16"},       {TLONG, "int32"},           {TLONGLONG, "int64"},
    {TCOMPLEX, "complex64"}, {TDBLCOMPLEX, "complex128"}};

class FitsFile : public VariableFile {
 public:
  explicit FitsFile(std::span<const std::byte> bytes)
      : bytes_(bytes), memory_(const_cast<std::byte*>(bytes.data())), size_(bytes.size()) {
    // cfitsio reads whole records, also where the file ends within one.
    constexpr std::size_t kRecord = 2880;
    if (const std::size_t excess = size_ % kRecord) {
      size_ += kRecord - excess;
      whole_records_.assign(bytes.begin(), bytes.end());
      whole_records_.resize(size_);
      memory_ = whole_records_.data();
    }
    int status = 0;
    // READONLY: the memory is neither changed nor freed. The name is only for messages.
    fits_open_memfile(&file_, "file", READONLY, &memory_, &size_, 0, nullptr, &status);
    check(status);
  }
  ~FitsFile() override {
    int status = 0;
    fits_close_file(file_, &status);
    fits_clear_errmsg();
  }

  std::vector<Variable> variables() override {
    int status = 0, count = 0, cut_off = -1;  // the HDU, from 0, whose header is
    fits_get_num_hdus(file_, &count, &status);
    check(status);
    std::vector<Variable> variables;
    sources_.clear();
    for (int hdu = 1; hdu <= count; ++hdu) {
      int type = 0;
      LONGLONG data = 0;
      fits_movabs_hdu(file_, hdu, &type, &status);
      fits_get_hduaddrll(file_, nullptr, &data, nullptr, &status);
      check(status);
      if (static_cast<std::size_t>(data) > bytes_.size()) {  // the last one
        cut_off = hdu - 1;
        break;
      }
      if (type == IMAGE_HDU) add_image(variables, hdu);
      if (type == BINARY_TBL) add_columns(variables, hdu);
    }
    name(variables);
    if (cut_off < 0 && count > 0 && header_follows()) cut_off = count;
    if (cut_off >= 0) {
      variables.push_back(Variable::damaged_part(
          std::to_string(cut_off),
          "the file is cut off in the header of this HDU, or it is damaged"));
    }
    return variables;
  }

  std::string instead_of_variable(std::string_view name) override {
    const std::vector<Variable> all = variables();
    std::vector<std::string> called;
    bool table = false;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const Source& source = sources_[i];
      if (name == source.full_name()) called.push_back(all[i].name);
      table = table || (source.column != 0 && name == source.hdu_name);
    }
    if (!called.empty()) {
      return fmt::format("what has this name is called by its number: {}", fmt::join(called, ", "));
    }
    return table ? "this is a table, not a column of one" : "";
  }

  void read(const Variable& variable, std::span<std::byte> values) override {
    const std::vector<Variable> all = variables();
    const auto found = std::ranges::find(all, variable.name, &Variable::name);
    const Source source = sources_.at(static_cast<std::size_t>(found - all.begin()));
    int status = 0;
    fits_movabs_hdu(file_, source.hdu, nullptr, &status);
    check(status);
    check_whole();
    const auto count = static_cast<LONGLONG>(variable.values());
    const std::size_t word = synth::word_bytes(*variable.held);
    const int type = variable.held->is_float() ? (word == 8 ? TDOUBLE : TFLOAT)
                     : word == 8               ? TLONGLONG
                     : word == 4               ? TINT
                     : word == 2               ? TSHORT
                                               : TBYTE;
    // Without scaling, and without a value for blanks, the words come as they are stored.
    if (source.column > 0) {
      fits_set_tscale(file_, source.column, 1, 0, &status);
      fits_read_col(file_, type, source.column, 1, 1, count, nullptr, values.data(), nullptr,
                    &status);
    } else {
      fits_set_bscale(file_, 1, 0, &status);
      fits_read_img(file_, type, 1, count, nullptr, values.data(), nullptr, &status);
    }
    check(status);
    if (variable.held->is_float() || variable.held->kind == stored_kind(word)) return;
    for (std::size_t at = word - 1; at < values.size(); at += word) values[at] ^= std::byte{0x80};
  }

 private:
  /// The place of a variable: its HDU, counted from 1, and its column; 0 for an image.
  struct Source {
    int hdu = 0, column = 0;
    std::string hdu_name, column_name;
    std::string full_name() const { return column == 0 ? hdu_name : hdu_name + "/" + column_name; }
  };

  /// The value of a keyword of this HDU as text, nothing if there is none.
  std::optional<std::string> keyword(const std::string& key) {
    std::array<char, FLEN_VALUE> value{};
    int status = 0;  // numbers come as they are written
    fits_read_key(file_, TSTRING, key.c_str(), value.data(), nullptr, &status);
    if (status == 0) return value.data();
    fits_clear_errmsg();
    return std::nullopt;
  }

  /// FITS has no signed bytes, and no larger integers without a sign.
  static synth::ValueKind stored_kind(std::size_t word) {
    return word == 1 ? synth::ValueKind::Unsigned : synth::ValueKind::Signed;
  }

  /// Sets the type from that of the stored words. By FITS's convention, integers with a zero
  /// (BZERO) of 2^15, 2^31 or 2^63, and bytes with one of -2^7, are of the other kind, with the
  /// highest bit flipped. Other zeros and scales are not applied.
  void set_type(Variable& variable, std::string type, const std::string& scale,
                const std::string& zero) {
    const auto number = [&](const std::string& key, double otherwise) {
      const std::optional<std::string> text = keyword(key);
      if (!text) return otherwise;
      const char* const end = text->data() + text->size();
      double value = 0;
      const bool whole = std::from_chars(text->data(), end, value).ptr == end;
      return whole ? value : std::nan("");
    };
    variable.type = std::move(type);
    variable.held = synth::type_called(variable.type, &synth::NamedType::name);
    if (!variable.held || variable.held->is_float() || number(scale, 1) != 1) return;
    const std::size_t word = synth::word_bytes(*variable.held);
    const double flipping = std::ldexp(word == 1 ? -1.0 : 1.0, static_cast<int>(8 * word - 1));
    if (number(zero, 0) != flipping) return;
    variable.held->kind = word == 1 ? synth::ValueKind::Signed : synth::ValueKind::Unsigned;
    variable.type = synth::to_string(*variable.held);
  }

  /// True if the beginning of another header stands behind the last HDU that cfitsio knows, the
  /// current one: it takes such a file for complete.
  bool header_follows() {
    LONGLONG end = 0;
    int status = 0;
    fits_get_hduaddrll(file_, nullptr, nullptr, &end, &status);
    check(status);
    if (end < 0 || static_cast<std::size_t>(end) >= bytes_.size()) return false;
    const std::string_view file(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    constexpr std::string_view kBeginning = "XTENSION";
    return kBeginning.starts_with(file.substr(static_cast<std::size_t>(end), kBeginning.size()));
  }

  /// Throws Error if the file ends before this HDU's data do: cfitsio would read zeros.
  void check_whole() {
    const auto number = [&](const std::string& key) {
      LONGLONG value = 0;
      int status = 0;
      fits_read_key(file_, TLONGLONG, key.c_str(), &value, nullptr, &status);
      if (status != 0) fits_clear_errmsg();
      return static_cast<double>(value);
    };
    LONGLONG begin = 0;
    int status = 0;
    fits_get_hduaddrll(file_, nullptr, &begin, nullptr, &status);
    check(status);
    double values = 1;
    for (int i = 1; i <= static_cast<int>(number("NAXIS")); ++i) {
      values *= number("NAXIS" + std::to_string(i));
    }
    const double bytes = (values + number("PCOUNT")) * std::abs(number("BITPIX")) / 8;
    if (static_cast<double>(begin) + bytes > static_cast<double>(bytes_.size())) {
      raise("it is cut off: {:.0f} bytes of data begin at {}, and the file has {}", bytes, begin,
            bytes_.size());
    }
  }

  void add_keywords(Variable& variable, const std::array<std::string, 4>& keys) {
    add_attributes(variable, keys, [this](const std::string& key) { return keyword(key); });
  }

  void add_image(std::vector<Variable>& variables, int hdu) {
    int status = 0, bitpix = 0, rank = 0;
    std::array<LONGLONG, 999> extents{};  // the most that FITS allows
    fits_get_img_type(file_, &bitpix, &status);
    fits_get_img_dim(file_, &rank, &status);
    fits_get_img_sizell(file_, static_cast<int>(extents.size()), extents.data(), &status);
    check(status);
    if (rank == 0) return;  // a header alone
    Variable variable;
    set_type(variable, type_name(bitpix, kImageTypes), "BSCALE", "BZERO");
    for (int i = rank; i-- > 0;) {  // the first one counts fastest
      variable.shape.push_back(static_cast<std::uint64_t>(extents[static_cast<std::size_t>(i)]));
    }
    const bool compressed = fits_is_compressed_image(file_, &status) != 0;
    if (compressed) {
      variable.storage = keyword("ZCMPTYPE").value_or("compressed") + " tiles";
      int column = 0;
      std::array<char, 8> scales{"ZSCALE"};
      const bool scaled = fits_get_colnum(file_, CASEINSEN, scales.data(), &column, &status) == 0 ||
                          keyword("ZSCALE");
      status = 0;
      fits_clear_errmsg();
      if (variable.held && scaled) {
        variable.held.reset();
        variable.refusal =
            "its tiles hold rounded integers (ZSCALE), not the floating-point values; unpack it "
            "with funpack if these will do";
      }
    }
    add_keywords(variable, {"BUNIT", "BSCALE", "BZERO", "BLANK"});
    variables.push_back(std::move(variable));
    sources_.push_back({hdu, 0, keyword("EXTNAME").value_or(""), {}});
  }

  void add_columns(std::vector<Variable>& variables, int hdu) {
    int status = 0, columns = 0;
    LONGLONG rows = 0;
    fits_get_num_cols(file_, &columns, &status);
    fits_get_num_rowsll(file_, &rows, &status);
    check(status);
    const std::string hdu_name = keyword("EXTNAME").value_or("");
    for (int column = 1; column <= columns; ++column) {
      int code = 0, rank = 0;
      LONGLONG repeat = 0, width = 0;
      std::array<LONGLONG, 999> extents{};
      fits_get_coltypell(file_, column, &code, &repeat, &width, &status);
      fits_read_tdimll(file_, column, static_cast<int>(extents.size()), &rank, extents.data(),
                       &status);
      check(status);
      Variable variable;
      const std::string number = std::to_string(column);
      set_type(variable, code < 0 ? "of variable length" : type_name(code, kColumnTypes),
               "TSCAL" + number, "TZERO" + number);
      variable.shape = {static_cast<std::uint64_t>(rows)};
      const bool list = rank > 1 || repeat != 1;
      for (int i = list && code != TSTRING ? rank : 0; i-- > 0;) {
        variable.shape.push_back(static_cast<std::uint64_t>(extents[static_cast<std::size_t>(i)]));
      }
      add_keywords(variable,
                   {"TUNIT" + number, "TSCAL" + number, "TZERO" + number, "TNULL" + number});
      variables.push_back(std::move(variable));
      sources_.push_back({hdu, column, hdu_name, keyword("TTYPE" + number).value_or("")});
    }
  }

  /// Names by which variables differ: of HDUs and columns where there are any, numbers otherwise.
  void name(std::vector<Variable>& variables) const {
    const auto hdus_named = [&](const std::string& name) {
      std::vector<int> hdus;
      for (const Source& source : sources_) {
        if (source.hdu_name == name) hdus.push_back(source.hdu);
      }
      std::ranges::sort(hdus);
      return std::unique(hdus.begin(), hdus.end()) - hdus.begin();
    };
    const auto is_number = [](const std::string& text) {
      return text.find_first_not_of("0123456789") == text.npos;
    };
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const Source& source = sources_[i];
      const auto twins = std::ranges::count_if(sources_, [&](const Source& other) {
        return other.hdu == source.hdu && other.column_name == source.column_name;
      });
      const std::string hdu = std::to_string(source.hdu - 1);
      const std::string column = std::to_string(source.column);
      const bool column_number = is_number(source.column_name) || twins > 1;
      const std::string end =
          source.column == 0 ? "" : "/" + (column_number ? column : source.column_name);
      const bool number = is_number(source.hdu_name) || hdus_named(source.hdu_name) > 1;
      variables[i].name = (number ? hdu : source.hdu_name) + end;
      variables[i].alias = hdu + end;
    }
    // A name with a slash may be that of another one's column.
    std::vector<std::size_t> ambiguous;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const std::string& text = variables[i].name;
      const auto same = std::ranges::count_if(variables, [&](const Variable& other) {
        return other.name == text || (other.alias == text && &other != &variables[i]);
      });
      if (same > 1) ambiguous.push_back(i);
    }
    for (const std::size_t i : ambiguous) variables[i].name = variables[i].alias;
  }

  std::span<const std::byte> bytes_;  ///< the file
  std::vector<std::byte> whole_records_;
  void* memory_;      ///< the file, or its copy in whole records
  std::size_t size_;  ///< of that
  fitsfile* file_ = nullptr;
  std::vector<Source> sources_;  ///< of the variables that were listed last
};

std::unique_ptr<VariableFile> open(const std::filesystem::path&, std::span<const std::byte> bytes) {
  return std::make_unique<FitsFile>(bytes);
}

std::string version() {
  float version = 0;
  fits_get_version(&version);
  return fmt::format("cfitsio {:.4g}", version);
}

}  // namespace

const ReaderFunctions fpsynth_reader = {open, version};

}  // namespace fpsynth::data
