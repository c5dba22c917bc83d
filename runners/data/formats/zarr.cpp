// Zarr, versions 2 and 3: a directory of arrays, each a directory of chunks, which are files.
// Chunks are raw, or decoded by a module (decoders/).

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "runners/data/formats/decoders/decoder.hpp"
#include "runners/data/formats/variables.hpp"
#include "runners/data/formats/zarr_metadata.hpp"
#include "runners/modules/module.hpp"
#include "synth/common/error.hpp"
#include "synth/common/mapped_file.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

namespace fs = std::filesystem;

constexpr int kMostGroups = 64;  // in each other: more is a loop of links

DecodeChunk& decoder_named(const std::string& name) {
  return modules::entry<DecodeChunk>("decode_" + name, "fpsynth_decode_chunk");
}

/// The steps between neighbours along each axis, in values, of values that lie in an order of axes.
std::vector<std::uint64_t> strides_in_order(const std::vector<std::uint64_t>& extents,
                                            const std::vector<std::size_t>& order) {
  std::vector<std::uint64_t> strides(extents.size());
  std::uint64_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= extents[order[i]];
  }
  return strides;
}

/// Calls visit(place) for every place in a grid, the last axis fastest.
template <class Visit>
void for_each_place(const std::vector<std::uint64_t>& grid, Visit visit) {
  std::vector<std::uint64_t> place(grid.size(), 0);
  while (true) {
    visit(place);
    std::size_t axis = grid.size();
    while (axis > 0 && ++place[axis - 1] == grid[axis - 1]) place[--axis] = 0;
    if (axis == 0) return;
  }
}

Error error_at(const fs::path& path, std::string_view reason, int status = 1) {
  return Error(fmt::format("{}: {}", path.string(), reason), status);
}

/// Throws Error, which names the path, for what is no folder, such as a link that leads nowhere.
void check_folder(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return;
  throw error_at(path, error ? why_not_opened(path, error.value())
                             : fmt::format("it is no folder, as chunks need; {}", kRestore));
}

/// The entries of a folder.
std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    entries.push_back(*entry);
  }
  if (error) throw error_at(folder, why_not_opened(folder, error.value()));
  return entries;
}

/// True for a link to what cannot be found; `error` says why.
bool leads_nowhere(const fs::directory_entry& entry, std::error_code& error) {
  const bool found = fs::exists(entry.status(error));
  std::error_code ignored;
  return !found && entry.is_symlink(ignored);
}

/// The file of a chunk by its name in an array's folder; null if it, or a folder that it would be
/// in, is not there. All else in their places is an Error, which names the path: the values behind
/// a link that leads nowhere are not known, and no fill values.
std::shared_ptr<const MappedFile> chunk_file(const fs::path& array, const std::string& name) {
  fs::path path = array;
  const fs::path below = name;
  for (const fs::path& part : below.parent_path()) {
    path /= part;
    if (!is_there(path)) return nullptr;
    check_folder(path);
  }
  path /= below.filename();
  if (!is_there(path)) return nullptr;
  try {
    return map_file(path, kRestore);
  } catch (const Error& error) {
    throw error_at(path, error.what(), error.status());
  }
}

/// The bytes of the files in a folder, and in as many levels of folders in it. Links are followed;
/// one that leads nowhere is an Error.
std::uint64_t bytes_below(const fs::path& folder, std::size_t levels) {
  std::uint64_t bytes = 0;
  for (const fs::directory_entry& entry : entries_of(folder)) {
    std::error_code error;
    if (entry.is_directory(error)) {
      if (levels > 0) bytes += bytes_below(entry, levels - 1);
    } else if (leads_nowhere(entry, error)) {
      throw error_at(entry, why_not_opened(entry, error.value()));
    } else if (entry.is_regular_file(error)) {
      const std::uint64_t size = entry.file_size(error);
      if (!error) bytes += size;
    }
  }
  return bytes;
}

/// Reads the values of one array, a chunk after the other.
class ChunkReader {
 public:
  ChunkReader(const ZarrArray& array, fs::path folder, std::span<std::byte> values)
      : array_(array),
        folder_(std::move(folder)),
        values_(values),
        word_(synth::word_bytes(*array.held)) {
    std::vector<std::size_t> in_order(array.order);
    std::ranges::sort(in_order);
    to_ = strides_in_order(array.shape, in_order);
    from_ = strides_in_order(array.chunk, array.order);
    std::uint64_t bytes = word_;
    for (const std::uint64_t extent : array.chunk) {
      constexpr std::uint64_t kMost = std::uint64_t{1} << 31;  // Blosc's own limit
      if (extent > kMost / bytes) {
        throw Error(
            fmt::format("its chunks of {} have more than 2 GiB each; write it again with "
                        "smaller ones",
                        shape_text(array.chunk)));
      }
      bytes *= extent;
    }
    chunk_bytes_ = bytes;
    if (!array.decoder.empty()) {
      decode_ = &decoder_named(array.decoder);
    }
  }

  /// Returns what is to be said of chunks that have no file.
  std::string read() {
    std::vector<std::uint64_t> grid;
    for (std::size_t i = 0; i < array_.shape.size(); ++i) {
      grid.push_back((array_.shape[i] - 1) / array_.chunk[i] + 1);
    }
    for_each_place(grid, [&](const auto& place) { read_chunk(place); });
    if (absent_ == 0) return "";
    const auto chunks =
        std::accumulate(grid.begin(), grid.end(), std::uint64_t{1}, std::multiplies());
    return fmt::format("{} of {} {} not there and {} as the fill value {}", absent_,
                       counted(chunks, "chunk"), by_count(absent_, "is", "are"),
                       by_count(absent_, "counts", "count"), fill_text());
  }

 private:
  void read_chunk(const std::vector<std::uint64_t>& place) {
    const std::string name = array_.file_of(place);
    const auto file = chunk_file(folder_, name);
    try {
      if (!file) return copy(place, filled());
      while_unchanged(*file, [&] { copy(place, decoded(file->bytes())); });
    } catch (const Error& error) {
      throw Error(fmt::format("its chunk {}: {}", (folder_ / name).string(), error.what()),
                  error.status());
    }
  }

  std::string fill_text() const {
    const std::uint64_t bits = *array_.fill;
    const bool single = word_ == sizeof(float);
    switch (array_.held->kind) {
      case synth::ValueKind::Float:
        return single ? fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                      : fmt::format("{}", std::bit_cast<double>(bits));
      case synth::ValueKind::Signed:
        return std::to_string(single ? static_cast<std::int32_t>(bits)
                                     : static_cast<std::int64_t>(bits));
      case synth::ValueKind::Unsigned:
        break;
    }
    return std::to_string(bits);
  }

  /// The values of a chunk that has no file. They are made once.
  std::span<const std::byte> filled() {
    if (!array_.fill) {
      throw Error(
          "it is not there, and the metadata gives no fill value (null) that it would have; "
          "restore it from a copy, or write the array again with a fill value");
    }
    ++absent_;
    if (fill_.empty()) {
      fill_.resize(chunk_bytes_);
      for (std::size_t at = 0; at < chunk_bytes_; at += word_) {
        std::memcpy(fill_.data() + at, &*array_.fill, word_);
      }
    }
    return fill_;
  }

  std::span<const std::byte> decoded(std::span<const std::byte> bytes) {
    std::size_t size = bytes.size();
    if (decode_) {
      chunk_.resize(chunk_bytes_);
      size = decode_(bytes, chunk_);
    }
    if (size != chunk_bytes_) {
      throw Error(fmt::format("it is damaged: it has {}, and a chunk of {} has {}; {}",
                              counted(size, "byte"), shape_text(array_.chunk), chunk_bytes_,
                              kRestore));
    }
    if (!array_.big_endian) return decode_ ? chunk_ : bytes;
    if (!decode_) chunk_.assign(bytes.begin(), bytes.end());
    swap_words(chunk_, array_.held->precision);
    return chunk_;
  }

  /// Copies the values of a chunk that lie within the array.
  void copy(const std::vector<std::uint64_t>& place, std::span<const std::byte> chunk) {
    const std::size_t rank = array_.shape.size();
    if (rank == 0) return void(std::ranges::copy(chunk, values_.begin()));
    std::vector<std::uint64_t> inside(rank), rows;
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::uint64_t first = place[i] * array_.chunk[i];
      inside[i] = std::min(array_.chunk[i], array_.shape[i] - first);
      begin += first * to_[i];
    }
    const std::uint64_t row = inside.back();
    rows.assign(inside.begin(), inside.end() - 1);
    for_each_place(rows, [&](const std::vector<std::uint64_t>& at) {
      std::uint64_t to = begin, from = 0;
      for (std::size_t i = 0; i + 1 < rank; ++i) {
        to += at[i] * to_[i];
        from += at[i] * from_[i];
      }
      if (from_.back() == 1) {
        std::memcpy(values_.data() + to * word_, chunk.data() + from * word_, row * word_);
        return;
      }
      for (std::uint64_t i = 0; i < row; ++i) {
        std::memcpy(values_.data() + (to + i) * word_,
                    chunk.data() + (from + i * from_.back()) * word_, word_);
      }
    });
  }

  const ZarrArray& array_;
  const fs::path folder_;
  const std::span<std::byte> values_;
  const std::size_t word_;
  std::vector<std::uint64_t> to_, from_;
  std::size_t chunk_bytes_ = 0;
  std::uint64_t absent_ = 0;  ///< chunks that have no file
  DecodeChunk* decode_ = nullptr;
  std::vector<std::byte> chunk_, fill_;
};

class ZarrFile : public VariableFile {
 public:
  explicit ZarrFile(const fs::path& path)
      : root_(fs::is_directory(path)       ? path
              : path.parent_path().empty() ? "."
                                           : path.parent_path()) {}

  std::vector<Variable> variables() override {
    std::vector<Variable> variables;
    list("", variables, 0);
    return variables;
  }

  std::optional<Variable> find(std::string_view name) override {
    const auto metadata = metadata_of(name);
    const auto array = metadata.empty() ? std::nullopt : zarr_array(metadata);
    if (!array) return std::nullopt;
    return variable_of(*array, std::string(name), metadata.parent_path());
  }

  std::string instead_of_variable(std::string_view name) override {
    return metadata_of(name).empty() ? "" : "this is a group, not a variable";
  }

  void read(const Variable& variable, std::span<std::byte> values) override {
    const auto metadata = metadata_of(variable.name);
    const auto array = zarr_array(metadata);
    if (!array || array->shape != variable.shape || array->held != variable.held) {
      throw Error("it was changed while it was read; read it when nobody writes to it");
    }
    note_ = ChunkReader(*array, metadata.parent_path(), values).read();
  }

  std::string note() const override { return note_; }

 private:
  /// The metadata of a node by its name; empty if there is no such node below the root.
  fs::path metadata_of(std::string_view name) const {
    while (name.starts_with('/')) name.remove_prefix(1);
    const fs::path inside = fs::path(name).lexically_normal();
    if (inside.is_absolute() || (!inside.empty() && *inside.begin() == "..")) return {};
    const fs::path folder = inside.empty() ? root_ : root_ / inside;
    const fs::path metadata = opened_file(folder);
    return metadata == folder ? fs::path() : metadata;
  }

  static Variable variable_of(const ZarrArray& array, std::string name, const fs::path& folder) {
    Variable variable;
    variable.name = std::move(name);
    variable.type = array.type;
    if (array.refusal.empty()) variable.held = array.held;
    if (array.held) variable.refusal = array.refusal;
    variable.shape = array.shape;
    variable.attributes = array.attributes;
    variable.big_endian = array.big_endian;
    variable.storage =
        fmt::format("{}chunks of {}{}", array.big_endian ? "big-endian, " : "",
                    shape_text(array.chunk), array.decoder.empty() ? "" : ", " + array.decoder);
    variable.files = {folder.string()};
    chunk_file(folder, array.file_of(std::vector<std::uint64_t>(array.shape.size())));
    variable.bytes_elsewhere = bytes_below(folder, array.shape.size() + 1);
    return variable;
  }

  void list(const std::string& name, std::vector<Variable>& variables, int depth) const {
    if (depth > kMostGroups) return;
    std::vector<std::string> names;
    try {
      const fs::path metadata = metadata_of(name);
      if (metadata.empty()) return;
      const auto array = zarr_array(metadata);
      if (array) return variables.push_back(variable_of(*array, name, metadata.parent_path()));
      for (const auto& entry : entries_of(metadata.parent_path())) {
        const std::string inner = (fs::path(name) / entry.path().filename()).string();
        std::error_code error;
        if (entry.is_directory(error)) {
          names.push_back(inner);
        } else if (leads_nowhere(entry, error) &&
                   !entry.path().filename().string().starts_with('.')) {
          variables.push_back(Variable::damaged_part(inner, why_not_opened(entry, error.value())));
        }
      }
    } catch (const Error& error) {
      if (name.empty()) throw;
      return variables.push_back(Variable::damaged_part(name, error.what()));
    }
    std::ranges::sort(names);
    for (const std::string& inner : names) list(inner, variables, depth + 1);
  }

  fs::path root_;
  std::string note_;
};

std::unique_ptr<VariableFile> open_zarr(const fs::path& path, std::span<const std::byte>) {
  return std::make_unique<ZarrFile>(path);
}

/// The format, and which decoders of chunks are missing.
std::string version() {
  std::string text = "Zarr 2 and 3";
  for (const char* const decoder : {"zlib", "zstd", "blosc"}) {
    try {
      decoder_named(decoder);
    } catch (const Error& error) {
      text += fmt::format(", no {} ({})", decoder, error.what());
    }
  }
  return text;
}

}  // namespace

const ReaderFunctions kZarrReader = {open_zarr, version};

}  // namespace fpsynth::data
