#include "runners/cli/codec/original.hpp"

#include <fmt/core.h>

#include <limits>
#include <utility>

#include "runners/data/file_type.hpp"
#include "runners/data/formats/variables.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

using synth::Precision;
using synth::ValueType;

/// The bytes with each whole word reversed.
std::vector<std::byte> swapped(std::span<const std::byte> bytes, Precision precision) {
  std::vector<std::byte> result(bytes.begin(), bytes.end());
  const std::size_t tail = data::view_of(bytes, precision).tail;
  data::swap_words(std::span(result).first(result.size() - tail), precision);
  return result;
}

data::Input words_of(const std::string& name, std::span<const std::byte> bytes, ValueType type,
                     bool big_endian) {
  if (!big_endian) return data::Input::borrowed(name, bytes, type);
  return {name, swapped(bytes, type.precision), type};
}

Original of_raw(codec::Input file, const TypeOption& option) {
  const data::Reading reading = option.reading();
  // The beginning of a file with an offset is no value.
  const ValueType type =
      reading.offset > 0 ? data::held_type(file.name(), {}, reading.type) : type_of(file, option);
  if (reading.offset > 0 && reading.offset >= file.bytes().size()) {
    raise("{}: --offset {}: the file has only {}", file.name(), reading.offset,
          counted(file.bytes().size(), "byte"));
  }
  const std::span<const std::byte> head = file.bytes().first(reading.offset);
  const std::span<const std::byte> bytes = file.bytes().subspan(reading.offset);
  data::Input words = words_of(file.name(), bytes, type, reading.big_endian);
  std::optional<codec::Description> description;
  if (!reading.shape.empty() || reading.big_endian || !head.empty() || !type.is_of_precision()) {
    description = codec::Description{.kind = type.kind,
                                     .big_endian = reading.big_endian,
                                     .shape = {words.view().words},
                                     .head = {head.begin(), head.end()}};
    if (!reading.shape.empty()) {
      description->shape = reading.shape;
      codec::check_shape(reading.shape, bytes.size(), synth::word_bytes(type), file.name(),
                         "--shape");
      words = words.shaped(description->shape);
    }
  }
  return {std::move(file), nullptr, std::move(words), std::move(description)};
}

Original of_npy(codec::Input file, const data::Reading& reading) {
  data::refuse_raw({file.name(), {}}, reading, "a NumPy array (.npy)");
  data::NpyHeader header;
  const std::span<const std::byte> values = located("cannot read " + file.name(), [&] {
    header = data::parse_npy_header(file.bytes());
    return data::npy_values(file.bytes(), header);
  });
  data::refuse_type({file.name(), {}}, reading, *header.held);
  const auto head = file.bytes().first(header.data);
  data::Variable variable;
  variable.shape = header.shape;
  variable.fortran_order = header.fortran_order;
  data::Input words = words_of(file.name(), values, *header.held, header.big_endian)
                          .shaped(variable.stored_shape());
  return {std::move(file), nullptr, std::move(words),
          codec::Description{.kind = header.held->kind,
                             .origin = codec::Origin::Npy,
                             .big_endian = header.big_endian,
                             .fortran_order = header.fortran_order,
                             .shape = header.shape,
                             .head = {head.begin(), head.end()}}};
}

Original of_variable(const data::Place& place, codec::Input file, const data::Reading& reading,
                     const data::Format& format, const std::string& path) {
  data::refuse_raw(place, reading, format.name);
  auto [variable, values] =
      while_unchanged(file, [&] { return data::read_variable(place, file.bytes(), format.kind); });
  data::refuse_type(place, reading, *variable.held);
  data::Input words =
      data::Input::borrowed(path, values.bytes, *variable.held).shaped(variable.stored_shape());
  return {std::move(file), std::move(values.owner), std::move(words),
          codec::Description{.kind = variable.held->kind,
                             .origin = codec::Origin::Variable,
                             .big_endian = variable.big_endian,
                             .fortran_order = variable.fortran_order,
                             .shape = variable.shape,
                             .name = variable.name}};
}

}  // namespace

Original open_original(const std::string& path, const TypeOption& option) {
  const bool standard = path == "-";
  const data::Place place = standard ? data::Place{path, {}} : data::place_of(path);
  codec::Input file = codec::Input::open(data::opened_file(place.file).string());
  const auto format = data::format_of(place, option.reading(), file.bytes());
  const data::FileKind kind = format ? format->kind : data::FileKind::Other;
  if (kind == data::FileKind::Other && place.variable.empty()) {
    return of_raw(std::move(file), option);
  }
  if (!option.shape.empty()) {
    raise<UsageError>("--shape is of raw words, and {} is {}, which has shapes; leave it out",
                      file.name(), format ? format->name : "no raw file");
  }
  if (kind == data::FileKind::Npy && place.variable.empty()) {
    return of_npy(std::move(file), option.reading());
  }
  if (standard) {
    raise<UsageError>("{} is {}, which is read from files alone; name a file", file.name(),
                      format->name);
  }
  if (kind == data::FileKind::Other) data::open_place(place, {});  // which says that it has none
  return of_variable(place, std::move(file), option.reading(), *format, path);
}

void add_any_size(Command command, bool& any_size) {
  command.add_flag("--any-size", any_size, "Decode also what is larger than this machine's memory");
}

std::uint64_t decode_parts(std::span<const std::byte> file, const std::string& name, int threads,
                           bool any_size, const DecodePart& decode) {
  constexpr std::uint64_t kMostPacked = 1024;
  std::uint64_t bytes = 0;
  for (const codec::SectionView& part : codec::sections_of(file, name)) {
    codec::CodecOptions options;
    options.threads = threads;
    options.limit_is = "this machine's memory; give --any-size to decode it all the same";
    const bool held = codec::has_prelude(part.container);
    if (any_size ||
        (!held && codec::original_header(part.container, part.name).original_bytes / kMostPacked <=
                      part.container.size())) {
      options.limit = std::numeric_limits<std::uint64_t>::max();
    }
    bytes += decode(part, options);
  }
  return bytes;
}

RestoringSink::RestoringSink(codec::Sink& target, std::span<const std::byte> file,
                             const std::string& name, Form form)
    : target_(target), container_(file) {
  if (!codec::is_described(file)) {
    if (form == Form::Npy) {
      raise(
          "{}: it does not say the type and the shape of its values; restore raw words, without "
          "--as, and compress them with --shape",
          name);
    }
    return;
  }
  const codec::DescribedFile described(file, name);
  const codec::Description& description = described.description();
  container_ = described.inner();
  if (description.big_endian) swap_ = described.type().precision;
  if (form == Form::Raw) return;
  head_ = description.head;
  const bool whole = description.origin != codec::Origin::Variable && form == Form::Original;
  if (whole || description.origin == codec::Origin::Npy) return;
  if (const std::size_t tail = described.tail_bytes(); tail > 0) {
    raise("{}: {} {} its last value, which no .npy file holds; leave out --as", name,
          counted(tail, "byte"), by_count(tail, "follows", "follow"));
  }
  // NumPy takes no words of bfloat16 for big-endian.
  const ValueType type = described.type();
  if (type.kind == synth::ValueKind::Brain) swap_.reset();
  const std::string header =
      data::npy_header(type, swap_.has_value(), description.fortran_order, description.shape);
  const auto bytes = std::as_bytes(std::span(header));
  head_.assign(bytes.begin(), bytes.end());
}

void RestoringSink::write(std::span<const std::byte> bytes) {
  finish();
  swap_ ? target_.write(swapped(bytes, *swap_)) : target_.write(bytes);
}

void RestoringSink::finish() {
  if (!begun_) target_.write(head_);
  begun_ = true;
}

}  // namespace fpsynth::cli
