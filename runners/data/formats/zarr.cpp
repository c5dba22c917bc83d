// Zarr, versions 2 and 3: a directory of arrays, each a directory of chunks, which are files.
// Chunks are raw, or decoded by a module (decoders/).

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <memory>
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

  void read() {
    std::vector<std::uint64_t> grid;
    for (std::size_t i = 0; i < array_.shape.size(); ++i) {
      grid.push_back((array_.shape[i] - 1) / array_.chunk[i] + 1);
    }
    for_each_place(grid, [&](const auto& place) { read_chunk(place); });
  }

 private:
  void read_chunk(const std::vector<std::uint64_t>& place) {
    const std::string name = array_.file_of(place);
    try {
      if (!fs::exists(folder_ / name)) return copy(place, filled());
      const auto file = map_file(folder_ / name);
      while_unchanged(*file, [&] { copy(place, decoded(file->bytes())); });
    } catch (const Error& error) {
      throw Error(fmt::format("its chunk {}: {}", name, error.what()), error.status());
    } catch (const fs::filesystem_error& error) {
      throw Error(error.what());
    }
  }

  /// The values of a chunk that has no file. They are made once.
  std::span<const std::byte> filled() {
    if (fill_.empty()) {
      fill_.resize(chunk_bytes_);
      for (std::size_t at = 0; at < chunk_bytes_; at += word_) {
        std::memcpy(fill_.data() + at, &array_.fill, word_);
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
      throw Error(fmt::format("it is damaged: it has {}, and a chunk of {} has {}",
                              counted(size, "byte"), shape_text(array_.chunk), chunk_bytes_));
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
  DecodeChunk* decode_ = nullptr;
  std::vector<std::byte> chunk_, fill_;
};

class ZarrFile : public VariableFile {
 public:
  explicit ZarrFile(const fs::path& path)
      : root_(fs::is_directory(path) ? path : path.parent_path()) {}

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
    ChunkReader(*array, metadata.parent_path(), values).read();
  }

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
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) variable.bytes_elsewhere += entry.file_size();
    }
    return variable;
  }

  void list(const std::string& name, std::vector<Variable>& variables, int depth) const {
    const fs::path metadata = metadata_of(name);
    if (metadata.empty() || depth > kMostGroups) return;
    std::optional<ZarrArray> array;
    try {
      array = zarr_array(metadata);
      if (array) variables.push_back(variable_of(*array, name, metadata.parent_path()));
    } catch (const Error& error) {
      if (name.empty()) throw;
      variables.push_back(Variable::damaged_part(name, error.what()));
      return;
    }
    if (array) return;
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(metadata.parent_path())) {
      if (entry.is_directory()) names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    for (const std::string& inner : names) {
      list(name.empty() ? inner : name + "/" + inner, variables, depth + 1);
    }
  }

  fs::path root_;
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
