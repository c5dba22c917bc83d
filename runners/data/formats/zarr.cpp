// Zarr, versions 2 and 3: a directory of arrays, each a directory of chunks, which are files.
// Chunks are raw, or decoded by modules (decoders/).

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "runners/data/formats/variables.hpp"
#include "runners/data/formats/zarr_metadata.hpp"
#include "runners/modules/module.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {
namespace {

namespace fs = std::filesystem;

Error error_at(const fs::path& path, std::string_view reason) {
  return Error(fmt::format("{}: {}", path.string(), reason));
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

/// The device and the number of a folder, which tell it from others, however it is called.
std::pair<dev_t, ino_t> identity_of(const fs::path& folder) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) throw error_at(folder, why_not_opened(folder, errno));
  return {status.st_dev, status.st_ino};
}

std::string storage_of(const ZarrArray& array) {
  std::string text, extents = shape_text(array.chunk);
  for (const ZarrCodecs* codecs = &array.codecs; codecs;) {
    const ZarrShard* const shard = codecs->shard.get();
    if (!shard && codecs->big_endian) text = "big-endian, " + text;
    text += fmt::format("{} of {}", shard ? "shards" : "chunks", extents);
    for (const std::string& one : codecs->packed) text += ", " + one;
    codecs = shard ? &shard->codecs : nullptr;
    if (shard) {
      extents = shape_text(shard->chunk);
      text += ", ";
    }
  }
  return text;
}

class ZarrFile : public VariableFile {
 public:
  explicit ZarrFile(const fs::path& path)
      : root_(fs::is_directory(path)       ? path
              : path.parent_path().empty() ? "."
                                           : path.parent_path()) {}

  std::vector<Variable> variables() override {
    std::vector<Variable> variables;
    list("", variables);
    add_copied(variables);
    return variables;
  }

  std::optional<Variable> find(std::string_view name) override {
    const auto array = array_of(name);
    if (!array) return std::nullopt;
    return variable_of(*array, std::string(name));
  }

  std::string instead_of_variable(std::string_view name) override {
    return metadata_of(name).empty() ? "" : "this is a group, not a variable";
  }

  void read(const Variable& variable, std::span<std::byte> values) override {
    const auto array = array_of(variable.name);
    if (!array || array->shape != variable.shape || array->held != variable.held) {
      throw Error("it was changed while it was read; read it when nobody writes to it");
    }
    note_ = read_chunks(*array, *folder_of(variable.name), values);
  }

  std::string note() const override { return note_; }

 private:
  /// The path of a node in the root; nothing for what would be outside of it.
  static std::optional<fs::path> inside(std::string_view name) {
    while (name.starts_with('/')) name.remove_prefix(1);
    fs::path path = fs::path(name).lexically_normal();
    if (!path.empty() && *path.begin() == "..") return std::nullopt;
    return path;
  }

  std::optional<fs::path> folder_of(std::string_view name) const {
    const auto path = inside(name);
    if (!path) return std::nullopt;
    return path->empty() ? root_ : root_ / *path;
  }

  /// The metadata of a node by its name; empty if there is no such node below the root.
  fs::path metadata_of(std::string_view name) const {
    const auto folder = folder_of(name);
    const fs::path metadata = folder ? opened_file(*folder) : fs::path();
    return folder == metadata ? fs::path() : metadata;
  }

  /// The array of a name, by its own metadata or, where it has none, by a copy of a group around
  /// it, of which the nearest counts.
  std::optional<ZarrArray> array_of(std::string_view name) const {
    const fs::path own = metadata_of(name);
    if (!own.empty()) return zarr_array(own);
    const auto path = inside(name);
    if (!path || path->empty()) return std::nullopt;
    for (fs::path group = *path; !group.empty();) {
      group = group.parent_path();
      const fs::path metadata = metadata_of(group.string());
      if (metadata.empty()) continue;
      const ZarrCopies copies = zarr_copies(metadata);
      const auto copy = copies.find(path->lexically_relative(group.empty() ? "." : group).string());
      if (copy != copies.end()) return copy->second();
    }
    return std::nullopt;
  }

  Variable variable_of(const ZarrArray& array, std::string name) const {
    Variable variable;
    const fs::path folder = *folder_of(name);
    const ZarrCodecs* values = &array.codecs;
    while (values->shard) values = &values->shard->codecs;
    variable.type = array.type;
    if (array.refusal.empty()) variable.held = array.held;
    if (array.held) variable.refusal = array.refusal;
    variable.shape = array.shape;
    variable.attributes = array.attributes;
    variable.big_endian = values->big_endian;
    variable.storage = storage_of(array);
    variable.files = {folder.string()};
    if (is_folder_in(root_, *inside(name))) {  // or it is known from a copy alone
      chunk_file(folder, array.file_of(std::vector<std::uint64_t>(array.shape.size())));
      variable.bytes_elsewhere = bytes_below(folder, array.shape.size() + 1);
    }
    variable.name = std::move(name);
    return variable;
  }

  void list(const std::string& name, std::vector<Variable>& variables) {
    std::vector<std::string> names;
    std::pair<dev_t, ino_t> identity;
    try {
      const fs::path metadata = metadata_of(name);
      if (metadata.empty()) return;
      const auto array = zarr_array(metadata);
      if (array) return variables.push_back(variable_of(*array, name));
      identity = identity_of(metadata.parent_path());
      if (!around_.insert(identity).second) return;  // a link to a group around it
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
      add_copies(name, metadata, variables);
    } catch (const Error& error) {
      if (name.empty()) throw;
      return variables.push_back(Variable::damaged_part(name, error.what()));
    }
    std::ranges::sort(names);
    for (const std::string& inner : names) list(inner, variables);
    around_.erase(identity);
  }

  /// Notes the copies in the metadata of a group, which are not needed where there are the arrays'.
  void add_copies(const std::string& group, const fs::path& metadata,
                  std::vector<Variable>& variables) {
    try {
      for (const auto& [inner, unused] : zarr_copies(metadata)) {
        copied_.insert((fs::path(group) / inner).string());
      }
    } catch (const Error& error) {
      const std::string name = (fs::path(group) / "consolidated metadata").string();
      variables.push_back(Variable::damaged_part(name, error.what()));
    }
  }

  /// Adds the arrays that only copies of their metadata tell of.
  void add_copied(std::vector<Variable>& variables) const {
    for (const std::string& name : copied_) {
      if (std::ranges::find(variables, name, &Variable::name) != variables.end()) continue;
      try {
        const auto array = array_of(name);
        if (array) variables.push_back(variable_of(*array, name));
      } catch (const Error& error) {
        variables.push_back(Variable::damaged_part(name, error.what()));
      }
    }
  }

  fs::path root_;
  std::string note_;
  std::set<std::pair<dev_t, ino_t>> around_;  ///< the groups around what is listed
  std::set<std::string> copied_;              ///< the names of which groups have copies
};

std::unique_ptr<VariableFile> open_zarr(const fs::path& path, std::span<const std::byte>) {
  return std::make_unique<ZarrFile>(path);
}

/// The format, and which decoders of chunks are missing.
std::string version() {
  std::string text = "Zarr 2 and 3";
  for (const char* const decoder : {"zlib", "zstd", "blosc", "lz4", "bz2"}) {
    try {
      modules::loaded(fmt::format("decode_{}", decoder), "fpsynth_decode_chunk");
    } catch (const Error& error) {
      text += fmt::format(", no {} ({})", decoder, error.what());
    }
  }
  return text;
}

}  // namespace

const ReaderFunctions kZarrReader = {open_zarr, version};

}  // namespace fpsynth::data
