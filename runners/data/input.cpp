#include "runners/data/input.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "runners/data/file_type.hpp"
#include "runners/data/formats/variables.hpp"
#include "runners/data/fpc/fpc.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

static_assert(std::endian::native == std::endian::little, "data files are little endian");

std::uint32_t single_bits(std::uint64_t bits) {
  constexpr std::uint64_t kInfinity = 0x7ff0'0000'0000'0000;
  if ((bits & ~(std::uint64_t{1} << 63)) > kInfinity) {
    const auto sign = static_cast<std::uint32_t>(bits >> 63) << 31;
    return sign | 0x7fc0'0000u | (static_cast<std::uint32_t>(bits >> 29) & 0x003f'ffffu);
  }
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
}

/// The number of whole values and the bytes of `count` of them, or of all and the tail.
std::size_t bytes_of(const Place& place, std::size_t bytes, Precision held,
                     const Reading& reading) {
  if (reading.count == 0) return bytes;
  const std::size_t word = synth::word_bytes(held);
  if (reading.count > bytes / word) {
    raise("{}: --count {}: there {} only {}", to_string(place), reading.count,
          by_count(bytes / word, "is", "are"), counted(bytes / word, "value"));
  }
  return reading.count * word;
}

/// The bytes behind the offset of a raw file.
std::span<const std::byte> raw_words(const Place& place, std::span<const std::byte> bytes,
                                     Precision held, const Reading& reading) {
  if (reading.offset >= bytes.size()) {
    raise("{}: --offset {}: the file has only {}", to_string(place), reading.offset,
          counted(bytes.size(), "byte"));
  }
  const auto words = bytes.subspan(reading.offset);
  return words.first(bytes_of(place, words.size(), held, reading));
}

}  // namespace

View view_of(std::span<const std::byte> bytes, Precision precision) {
  const std::size_t word = synth::word_bytes(precision);
  return {bytes, bytes.size() / word, bytes.size() % word};
}

std::vector<std::byte> to_single(std::span<const std::byte> doubles) {
  const std::size_t words = doubles.size() / 8;
  const std::size_t tail = doubles.size() % 8;
  std::vector<std::byte> singles(4 * words + tail);
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, doubles.data() + 8 * i, sizeof bits);
    const std::uint32_t single = single_bits(bits);
    std::memcpy(singles.data() + 4 * i, &single, sizeof single);
  }
  std::copy_n(doubles.end() - static_cast<std::ptrdiff_t>(tail), tail, singles.data() + 4 * words);
  return singles;
}

Input::Input(std::string name, std::vector<std::byte> bytes, ValueType type,
             std::filesystem::path path)
    : name_(std::move(name)), path_(std::move(path)), type_(type) {
  own(std::move(bytes));
}

void Input::own(std::vector<std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  bytes_ = *owner;
  owner_ = std::move(owner);
}

Input Input::borrowed(std::string name, std::span<const std::byte> bytes, ValueType type) {
  Input input;
  input.name_ = std::move(name);
  input.bytes_ = bytes;
  input.type_ = type;
  return input;
}

namespace {

/// Throws Error if an input cannot be taken in a precision.
void refuse_other(const Input& input, Precision precision) {
  if (precision == input.native()) return;
  const std::string name = input.path().empty() ? input.name() : input.path().string();
  if (input.native() == Precision::Double && input.type().is_float() &&
      precision == Precision::Single) {
    return;
  }
  if (!input.type().is_float() || input.native() != Precision::Single) {
    raise("{} holds {} values, which are not converted to {}; leave out --precision, or make it {}",
          name, synth::to_string(input.type()), synth::to_string(precision),
          synth::to_string(input.native()));
  }
  raise("{} holds native single-precision values, not doubles; use single precision", name);
}

}  // namespace

Input Input::in(Precision precision) const {
  if (precision == native()) return *this;
  refuse_other(*this, precision);
  return while_unchanged(*this, [&] {
    Input input(name_, to_single(bytes_), precision, path_);
    input.reading_ = reading_;
    input.shape_ = shape_;
    input.hdf5_storage_ = hdf5_storage_;
    input.hdf5_storage_.fill = single_bits(hdf5_storage_.fill);
    return input;
  });
}

results::Cutting Input::cutting(std::size_t chunk_words) const {
  if (in_chunks_of_) return in_chunks_of_->cutting(chunk_words);
  return {1, view().words, chunk_words};
}

std::size_t size_in(const Input& input, Precision precision) {
  if (precision == input.native()) return input.bytes().size();
  refuse_other(input, precision);
  return input.bytes().size() - 4 * input.view().words;
}

std::vector<std::byte> bytes_in(const Input& input, Precision precision, std::size_t begin,
                                std::size_t end) {
  const std::span<const std::byte> bytes = input.bytes();
  if (precision == input.native()) {
    return {bytes.begin() + std::ptrdiff_t(begin), bytes.begin() + std::ptrdiff_t(end)};
  }
  refuse_other(input, precision);
  // Half of the doubles' bytes, then their tail.
  const std::size_t singles = 4 * input.view().words;
  const std::size_t first = std::min(begin, singles), last = std::min(end, singles);
  return while_unchanged(input, [&] {
    std::vector<std::byte> converted = to_single(bytes.subspan(2 * first, 2 * (last - first)));
    converted.insert(converted.end(),
                     bytes.begin() + std::ptrdiff_t(singles + std::max(begin, singles)),
                     bytes.begin() + std::ptrdiff_t(singles + std::max(end, singles)));
    return converted;
  });
}

void Input::check_unchanged() const {
  if (file_) file_->check_unchanged();
}

Input Input::named(std::string name) const {
  Input renamed = *this;
  renamed.name_ = std::move(name);
  return renamed;
}

Input Input::with_words(std::vector<std::byte> bytes) const {
  Input other(name_, std::move(bytes), type_);
  other.in_chunks_of_ = in_chunks_of_;
  return other;
}

Input Input::shaped(std::vector<std::uint64_t> shape) const {
  Input shaped = *this;
  shaped.shape_ = std::move(shape);
  return shaped;
}

Input open_place(const Place& place, const Reading& reading) {
  const std::filesystem::path& path = place.file;
  auto file = map_named(opened_file(path));
  Input input;
  input.name_ = data_set_name(place);
  input.version_ = file->version();
  input.path_ = to_string(place);
  input.reading_ = reading;
  const auto format = format_of(place, reading, file->bytes());
  if (format && format->kind != FileKind::Other) {
    refuse_raw(place, reading, format->name);
    auto [variable, values] =
        while_unchanged(*file, [&] { return read_variable(place, file->bytes(), format->kind); });
    input.type_ = *variable.held;
    input.shape_ = variable.stored_shape();
    input.hdf5_storage_ = {variable.hdf5_chunk, variable.hdf5_fill};
    refuse_type(place, reading, input.type_);
    if (place.variable.empty() && !variable.name.empty()) {
      input.path_ = to_string({place.file, variable.name});
    }
    input.bytes_ =
        values.bytes.first(bytes_of(place, values.bytes.size(), input.native(), reading));
    if (!values.owner) {
      input.file_ = std::move(file);
    } else if (input.bytes_.size() == values.bytes.size()) {
      input.owner_ = std::move(values.owner);
    } else {  // frees the others
      input.own({input.bytes_.begin(), input.bytes_.end()});
    }
    return input;
  }
  if (!place.variable.empty()) {
    raise(
        "{}: {} is no .npy, HDF5, netCDF, FITS, Zarr or safetensors file and has no variables; "
        "leave out the colon and what follows",
        to_string(place), path.string());
  }
  if (reading.offset == 0) {
    input.type_ = held_type(path.string(), file->bytes(), reading.type);
  } else {
    input.type_ = held_type(path.string(), {}, reading.type);  // the file's beginning is no value
  }
  if (is_fpc_name(path)) {
    refuse_raw(place, reading, "an FPC file");
    if (input.type_ != Precision::Double) {
      raise("{} is an FPC file, which holds doubles; do not declare it {}", path.string(),
            synth::to_string(input.type_));
    }
    std::vector<std::byte> doubles =
        while_unchanged(*file, [&] { return decode_fpc(file->bytes(), path.string()); });
    if (doubles.empty()) {
      raise("{} holds no values; a data set has at least one", path.string());
    }
    doubles.resize(bytes_of(place, doubles.size(), Precision::Double, reading));
    doubles.shrink_to_fit();
    input.own(std::move(doubles));
    return input;
  }
  input.bytes_ = raw_words(place, file->bytes(), input.native(), reading);
  input.shape_ = reading.shape;
  if (!reading.shape.empty() && results::product_of(reading.shape) != input.view().words) {
    raise("{}: --shape {}: it holds {}", to_string(place), results::extents_text(reading.shape),
          counted(input.view().words, "value"));
  }
  if (reading.big_endian) {
    input.own(while_unchanged(*file, [&] {
      std::vector<std::byte> words(input.bytes_.begin(), input.bytes_.end());
      const View view = view_of(words, input.native());
      swap_words(std::span(words).first(words.size() - view.tail), input.native());
      return words;
    }));
  } else {
    input.file_ = std::move(file);
  }
  return input;
}

Input open_input(const std::filesystem::path& path, const Reading& reading) {
  return open_place(place_of(path), reading);
}

Input open_input(const std::filesystem::path& path, std::optional<ValueType> type) {
  return open_input(path, Reading{.type = type});
}

std::optional<std::vector<Variable>> variables_of(const std::filesystem::path& path,
                                                  const std::string& variable) {
  const auto file = map_named(opened_file(path));
  const auto format = format_of({path, {}}, {}, file->bytes());
  if (!format || format->kind == FileKind::Other) return std::nullopt;
  return while_unchanged(*file, [&] {
    return list_variables({path, variable}, file->bytes(), format->kind);
  });
}

}  // namespace fpsynth::data
