#include "runners/data/formats/variables.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "results/documents/cutting.hpp"
#include "runners/data/formats/reading_process.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

constexpr std::size_t kMostListed = 20;

/// libhdf5 (also behind libnetcdf) and cfitsio are built without support of threads.
std::mutex libraries_mutex;

/// Returns work(), and adds the name of the file, or of its variable, to its Errors.
template <class Work>
auto naming(const Place& place, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    const std::string message = fmt::format("cannot read {}: {}", to_string(place), error.what());
    throw Error(printable(message), error.status());
  }
}

const Reader& reader_of(FileKind kind) {
  const auto reader = std::ranges::find(readers(), kind, &Reader::kind);
  if (reader == readers().end()) throw Error("no reader for its format");  // a bug
  return *reader;
}

std::unique_ptr<VariableFile> opened(const std::filesystem::path& file,
                                     std::span<const std::byte> bytes, FileKind kind) {
  return reader_of(kind).functions().open(file, bytes);
}

/// Says what the user should know of a variable, which may be read many times.
void say_once(const Place& place, const std::string& note) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::string text = printable(fmt::format("{}: {}", to_string(place), note));
  const std::lock_guard lock(mutex);
  if (said.insert(text).second) print_error("note: {}\n", text);
}

std::string described(const Variable& variable) {
  return fmt::format("{} ({}, {}{}{})", variable.name, variable.type, shape_text(variable.shape),
                     variable.refusal.empty() ? "" : ": ", variable.refusal);
}

std::string described(const std::vector<Variable>& variables) {
  std::vector<std::string> texts;
  for (const Variable& variable : variables) {
    if (texts.size() == kMostListed) break;
    texts.push_back(described(variable));
  }
  std::string text = joined(texts, ", ");
  if (variables.size() > kMostListed) {
    text +=
        fmt::format(" and {} more, which fpsynth data info lists", variables.size() - kMostListed);
  }
  return text;
}

/// The variable of a place's name, or the only one with floating-point values, or with integers
/// where there are none: beside the values of interest, integers mostly count or index them.
Variable chosen(VariableFile& file, const Place& place, FileKind kind) {
  if (!place.variable.empty()) {
    if (auto found = file.find(place.variable)) return *found;
    const std::vector<Variable> all = file.variables();
    if (all.size() == 1 && all.front().name.empty()) {
      throw Error("it holds one array, which has no name; leave out the colon and what follows");
    }
    std::vector<std::string> names;
    for (const Variable& variable : all) names.push_back(variable.name);
    const std::string instead = file.instead_of_variable(place.variable);
    raise("{}; the file has {}{}", instead.empty() ? "there is no such variable" : instead,
          all.empty() ? "none" : described(all),
          instead.empty() ? suggestion(place.variable, names) : "");
  }
  const std::vector<Variable> all = file.variables();
  std::vector<Variable> readable;
  std::ranges::copy_if(all, std::back_inserter(readable),
                       [](const Variable& variable) { return variable.held.has_value(); });
  const auto damaged = std::ranges::find(all, true, &Variable::damaged);
  if (damaged != all.end() && all.size() > 1) {  // it may be the one that is meant
    raise("a part of it is damaged ({}: {}); name a variable: {}", damaged->name, damaged->refusal,
          described(all));
  }
  if (readable.size() == 1) return readable.front();
  const auto is_float = [](const Variable& variable) { return variable.held->is_float(); };
  if (std::ranges::count_if(readable, is_float) == 1) {
    return *std::ranges::find_if(readable, is_float);
  }
  if (all.size() == 1) return all.front();  // which is refused with its reason
  if (readable.empty()) {
    raise("it has no variable that can be read ({}); it has {}", kReadTypes,
          all.empty() ? "none" : described(all));
  }
  raise("it has {} variables with values; name one, as in {}: {}{}", readable.size(),
        shell_word(to_string({place.file, readable.front().name})), described(readable),
        kind == FileKind::Hdf5 ? "; fpsynth repack makes all of the file smaller" : "");
}

/// Throws Error for a variable that cannot be read, or that is larger than its files can hold.
void check_readable(const Variable& variable, std::size_t file_bytes) {
  if (!variable.held) {
    throw Error(variable.refusal.empty() ? type_refusal(variable.type) : variable.refusal);
  }
  const std::uint64_t values = variable.values();
  if (values == 0) throw Error("it has no values; a data set has at least one");
  // Deflate packs equal values 1032 times, Zstandard and bzip2 some ten thousand; and chunks may
  // be missing that have the fill value.
  constexpr std::uint64_t kMostPacked = 1 << 20, kSmall = 1 << 20;
  const std::uint64_t bytes = values * synth::word_bytes(*variable.held);
  const std::uint64_t held_in = file_bytes + variable.bytes_elsewhere;
  if (bytes > kSmall && bytes / kMostPacked > held_in) {
    const bool one = variable.bytes_elsewhere == 0;
    raise(
        "its shape {} makes {} bytes, of which {} of {} {} next to nothing; the file is damaged, "
        "or was never filled",
        shape_text(variable.shape), bytes, one ? "a file" : "files", counted(held_in, "byte"),
        one ? "holds" : "hold");
  }
}

}  // namespace

Variable Variable::damaged_part(std::string name, std::string reason) {
  Variable variable;
  variable.name = std::move(name);
  variable.type = "damaged";
  variable.refusal = std::move(reason);
  variable.damaged = true;
  variable.shape = {0};
  return variable;
}

std::uint64_t Variable::values() const { return results::product_of(shape); }

std::vector<std::uint64_t> Variable::stored_shape() const {
  if (!fortran_order) return shape;
  return {shape.rbegin(), shape.rend()};
}

std::optional<Variable> VariableFile::find(std::string_view name) {
  for (Variable& variable : variables()) {
    if (name == variable.name || (!variable.alias.empty() && name == variable.alias)) {
      return std::move(variable);
    }
  }
  return std::nullopt;
}

std::vector<Variable> list_here(const Place& place, std::span<const std::byte> bytes,
                                FileKind kind) {
  const std::lock_guard lock(libraries_mutex);
  const auto file = opened(place.file, bytes, kind);
  if (place.variable.empty()) return file->variables();
  std::vector<Variable> variables;
  if (auto found = file->find(place.variable)) variables.push_back(std::move(*found));
  return variables;
}

std::pair<Variable, Values> read_here(const Place& place, std::span<const std::byte> bytes,
                                      FileKind kind,
                                      const std::function<Memory(std::size_t)>& allocate) {
  const std::lock_guard lock(libraries_mutex);
  const auto file = opened(place.file, bytes, kind);
  std::pair<Variable, Values> result(chosen(*file, place, kind), {});
  auto& [variable, values] = result;
  try {
    check_readable(variable, bytes.size());
    values.bytes = file->in_file(variable);
    if (values.bytes.empty()) {
      const Memory memory = allocate(variable.values() * synth::word_bytes(*variable.held));
      file->read(variable, memory.bytes);
      variable.note = file->note();
      values = {memory.bytes, memory.owner};
    }
  } catch (const Error& error) {
    if (variable.name.empty() || !place.variable.empty()) throw;
    throw Error(fmt::format("{}: {}", variable.name, error.what()), error.status());  // not named
  }
  return result;
}

std::vector<Variable> list_variables(const Place& place, std::span<const std::byte> bytes,
                                     FileKind kind) {
  return naming(place, [&] {
    const Reader& reader = reader_of(kind);
    return is_read_apart(reader) ? list_apart(place, reader) : list_here(place, bytes, kind);
  });
}

std::pair<Variable, Values> read_variable(const Place& place, std::span<const std::byte> bytes,
                                          FileKind kind) {
  auto result = naming(place, [&] {
    const Reader& reader = reader_of(kind);
    if (is_read_apart(reader)) return read_apart(place, reader);
    return read_here(place, bytes, kind, [](std::size_t size) -> Memory {
      const auto memory = std::make_shared<std::vector<std::byte>>(size);
      return {*memory, memory};
    });
  });
  const Variable& variable = result.first;
  if (!variable.note.empty()) say_once({place.file, variable.name}, variable.note);
  return result;
}

void refuse_raw(const Place& place, const Reading& reading, std::string_view what) {
  const char* const said = reading.big_endian       ? "--endian"
                           : reading.offset != 0    ? "--offset"
                           : !reading.shape.empty() ? "--shape"
                                                    : nullptr;
  if (!said) return;
  raise("{} is {}, whose bytes have an order and places of their own; leave out {}",
        to_string(place), what, said);
}

void refuse_type(const Place& place, const Reading& reading, ValueType held) {
  if (reading.type.value_or(held) == held) return;
  raise("{} holds {} values; leave out --type", to_string(place), synth::to_string(held));
}

std::string type_name(int code, std::span<const TypeName> names) {
  const auto found = std::ranges::find(names, code, &TypeName::first);
  return found == names.end() ? fmt::format("of the type {}", code) : found->second;
}

std::string type_refusal(std::string_view type) {
  const std::string refusal = fmt::format("its values are {}; only {} are read", type, kReadTypes);
  const char* const words = type == "complex32"                               ? "f2"
                            : type == "complex64"                             ? "f4"
                            : type == "complex128"                            ? "f8"
                            : type == "float96"                               ? "u4"
                            : type == "complex256" || type == "float128"      ? "u8"
                            : type.starts_with("date") || type == "timedelta" ? "i8"
                                                                              : nullptr;
  if (!words) return refusal + ", as which for example NumPy's astype writes them";
  return fmt::format(
      "{}. NumPy's view('{}') writes the same bits as such values, and loses nothing", refusal,
      words);
}

std::string number_text(double number, bool single) {
  return single ? fmt::format("{}", static_cast<float>(number)) : fmt::format("{}", number);
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return results::extents_text(shape);
}

}  // namespace fpsynth::data
