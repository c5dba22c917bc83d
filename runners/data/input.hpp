#pragma once
// The bytes of a data set: a raw file mapped into memory, a variable of a file, or what an FPC file
// or a synthetic set decodes to. Immutable; copies share the bytes.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/documents/data_set.hpp"
#include "runners/data/reading.hpp"
#include "synth/common/mapped_file.hpp"
#include "synth/common/value_type.hpp"

namespace fpsynth::data {

struct Variable;  // runners/data/formats/variables.hpp

using synth::Precision;
using synth::ValueType;

/// Bytes as words of one precision: `words` whole ones, then `tail` bytes (fewer than a word).
struct View {
  std::span<const std::byte> bytes;
  std::size_t words = 0;
  std::size_t tail = 0;
};
View view_of(std::span<const std::byte> bytes, Precision precision);

/// Singles of doubles, each rounded to nearest, ties to even; too big becomes infinite, too small
/// denormal or zero, signs are kept. A NaN keeps its sign and the top 22 bits of its payload and
/// becomes quiet, as x86 and ARM hardware does. It is computed on the bits, so that all machines
/// agree. A tail of fewer than 8 bytes is kept verbatim at the end.
std::vector<std::byte> to_single(std::span<const std::byte> doubles);

/// The chunks of an HDF5 file's variable.
struct Hdf5Storage {
  std::vector<std::uint64_t> chunk;  ///< extents; empty if the file has none
  std::uint64_t fill = 0;            ///< bits of the value that pads chunks at the edges
};

class Input {
 public:
  /// Takes over bytes in memory. `path` is empty if they come from no file.
  Input(std::string name, std::vector<std::byte> bytes, ValueType type = {},
        std::filesystem::path path = {});
  /// A view of the caller's bytes, which must outlive all copies of it and not change.
  static Input borrowed(std::string name, std::span<const std::byte> bytes, ValueType type);

  /// The data set's name; data_set_name() of its file unless another was given.
  const std::string& name() const { return name_; }
  /// FILE or FILE:VARIABLE, as it was opened; empty if the bytes come from no file.
  const std::filesystem::path& path() const { return path_; }
  /// The extents of the values, slowest first, as the file or the data set's description gives
  /// them; empty if neither does. Only the strides can be relied on if --count took a part.
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  /// The chunks in which the file stores the values, and what another would pad them with.
  const Hdf5Storage& hdf5_storage() const { return hdf5_storage_; }
  /// The data set whose values these are in HDF5 chunks, each padded to its full extents; null if
  /// they are in their own order. in_hdf5_chunks() makes such inputs.
  const results::DataSet* in_chunks_of() const { return in_chunks_of_.get(); }
  /// The cut of the words into chunks.
  results::Cutting cutting(std::size_t chunk_words) const;
  /// The user's words on the file when it was opened.
  const Reading& reading() const { return reading_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  ValueType type() const { return type_; }
  /// The precision that the bytes are in.
  Precision native() const { return type_.precision; }
  View view() const { return view_of(bytes_, native()); }
  /// True if the bytes are those of a mapped file, so that only what is used of them is read.
  bool mapped() const { return file_ != nullptr; }
  /// The same data in a precision: itself, or converted by to_single(). Throws Error for doubles
  /// of native singles, and for another size of integers.
  Input in(Precision precision) const;
  /// The same data under another name.
  Input named(std::string name) const;
  /// The same data with extents, slowest first.
  Input shaped(std::vector<std::uint64_t> shape) const;
  /// Other words in the same order, such as these behind a prelude; without a file.
  Input with_words(std::vector<std::byte> bytes) const;
  /// Throws Error if the bytes are those of a mapped file that another program has written to or
  /// truncated since it was opened. Must be called before the output made from them is finished.
  void check_unchanged() const;
  /// MappedFile::version() of the file that the bytes come from; empty if they come from none.
  const std::string& version() const { return version_; }

 private:
  friend Input open_place(const Place&, const Reading&);
  friend Input in_hdf5_chunks(const Input&, results::Hdf5Chunks);
  Input() = default;
  void own(std::vector<std::byte> bytes);

  std::string name_, version_;
  std::filesystem::path path_;
  std::shared_ptr<const void> owner_;       ///< a vector, if it is in memory and not borrowed
  std::shared_ptr<const MappedFile> file_;  ///< the file, if the bytes are mapped
  std::span<const std::byte> bytes_;
  ValueType type_;
  Reading reading_;
  std::vector<std::uint64_t> shape_;
  Hdf5Storage hdf5_storage_;
  std::shared_ptr<const results::DataSet> in_chunks_of_;
};

/// The bytes of input.in(precision), and of them begin..end-1, of which only these are converted.
/// `begin` is a multiple of a word. Throws Error as in() does.
std::size_t size_in(const Input& input, Precision precision);
std::vector<std::byte> bytes_in(const Input& input, Precision precision, std::size_t begin,
                                std::size_t end);

/// Opens a data set, FILE or FILE:VARIABLE. Of .npy, HDF5, netCDF, FITS, Zarr and safetensors
/// files, which are known by their first bytes, it reads the variable, or the only one that has
/// floating-point values, or where there is none integers.
/// `*.fpc` is decoded. Every other file is raw words, little-endian unless `reading` says
/// otherwise, and is mapped; their type is that of `reading`, else what the ending says.
/// check_unchanged() detects that another program writes to the file. Throws Error naming the path
/// for what is missing, unreadable, no regular file, empty or damaged, for a reading that
/// contradicts the file, and for a variable that is missing, not named though there are several, or
/// of another type. Also throws what held_type() throws.
Input open_input(const std::filesystem::path& path, const Reading& reading);
Input open_input(const std::filesystem::path& path, std::optional<ValueType> type = std::nullopt);

/// The same of a file and a variable that are known apart, whatever characters their names have. An
/// empty name: the file's only one. Throws what open_input() throws.
Input open_place(const Place& place, const Reading& reading);

/// The variables of a file of a readable format, or the one of a name alone; nothing for other
/// files. Throws Error naming the file if it cannot be read.
std::optional<std::vector<Variable>> variables_of(const std::filesystem::path& file,
                                                  const std::string& variable = {});

}  // namespace fpsynth::data
