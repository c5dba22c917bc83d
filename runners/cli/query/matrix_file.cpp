// The sizes of all pipelines on all data sets of a study as one HDF5 file, for other programs.
//
// M results (a data set in a precision) and N pipelines, as data sets of the root group:
//
//   compressed_bytes  uint64 [M][N], chunked and deflated: the bytes of the file that `compress`
//                     writes, or 0 if the pipeline did not give the data back
//   data_set, precision, xxh3, verification       [M] texts
//   original_bytes, searched_bytes, one_chunk_in  [M] uint64; the ratio is searched / compressed
//   id, pipeline      [N] uint64, and texts; of races, the pipelines that all of them have left,
//                     with their ids in the whole space
//
// Texts are UTF-8 of a fixed length, padded with zeros. Attributes of the root group: schema
// ("fpsynth-matrix"), version (1), space, program, command, and a line that explains it. The file
// holds no times: the same results and command give the same bytes.

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "results/documents/means.hpp"
#include "runners/cli/arguments.hpp"
#include "runners/cli/query/query.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/version.hpp"

namespace fpsynth::cli {
namespace {

using results::Document;

constexpr const char* kMatrixSchema = "fpsynth-matrix";
constexpr hsize_t kChunk = 16384;  // values; 128 KiB, which deflate compresses on its own
constexpr unsigned kDeflateLevel = 6;

template <class Result>
Result checked(Result result) {
  if (result < 0)
    throw Error("the HDF5 library failed to make the matrix; is there memory for it?");
  return result;
}

/// Closes an object of the library at the end of its scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(checked(id)), close_(close) {}
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT: as the library's functions take it

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// A type for texts of at most the length of the longest of some.
class TextType : public Handle {
 public:
  explicit TextType(std::size_t length) : Handle(H5Tcopy(H5T_C_S1), H5Tclose) {
    checked(H5Tset_size(*this, std::max<std::size_t>(length, 1)));
    checked(H5Tset_strpad(*this, H5T_STR_NULLPAD));
    checked(H5Tset_cset(*this, H5T_CSET_UTF8));
  }
};

/// The file, in memory until it is complete: only whole files come into existence.
class Matrix {
 public:
  Matrix()
      : access_(H5Pcreate(H5P_FILE_ACCESS), H5Pclose),
        file_((checked(H5Pset_fapl_core(access_, std::size_t{1} << 20, false)),
               H5Fcreate("matrix", H5F_ACC_TRUNC, H5P_DEFAULT, access_)),
              H5Fclose) {}

  void attribute(const char* name, const std::string& text) {
    const TextType type(text.size());
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle made(H5Acreate2(file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    checked(H5Awrite(made, type, text.empty() ? "" : text.data()));
  }

  void attribute(const char* name, std::uint64_t number) {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle made(H5Acreate2(file_, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT),
                      H5Aclose);
    checked(H5Awrite(made, H5T_NATIVE_UINT64, &number));
  }

  void put(const char* name, const std::vector<std::string>& texts) {
    std::size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    std::vector<char> padded(longest * texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::ranges::copy(texts[i], padded.begin() + static_cast<std::ptrdiff_t>(i * longest));
    }
    const TextType type(longest);
    const Handle made = create(name, type, {texts.size()});
    checked(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()));
  }

  void put(const char* name, const std::vector<std::uint64_t>& numbers) {
    const Handle made = create(name, H5T_STD_U64LE, {numbers.size()});
    checked(H5Dwrite(made, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
  }

  /// Rows of equal lengths, one at a time.
  template <class RowOf>
  void put_rows(const char* name, std::size_t rows, std::size_t columns, RowOf row_of) {
    const Handle made = create(name, H5T_STD_U64LE, {rows, columns});
    const Handle space(H5Dget_space(made), H5Sclose);
    const hsize_t count[] = {1, columns};
    const Handle memory(H5Screate_simple(2, count, nullptr), H5Sclose);
    for (std::size_t row = 0; row < rows; ++row) {
      const hsize_t start[] = {row, 0};
      checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr));
      const std::vector<std::uint64_t> values = row_of(row);
      checked(H5Dwrite(made, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT, values.data()));
    }
  }

  std::vector<std::byte> bytes() const {
    checked(H5Fflush(file_, H5F_SCOPE_GLOBAL));
    const auto size = checked(H5Fget_file_image(file_, nullptr, 0));
    std::vector<std::byte> image(static_cast<std::size_t>(size));
    checked(H5Fget_file_image(file_, image.data(), image.size()));
    return image;
  }

 private:
  /// A data set of non-empty extents in chunks of one row, deflated.
  Handle create(const char* name, hid_t type, const std::vector<std::size_t>& extents) {
    const std::vector<hsize_t> whole(extents.begin(), extents.end());
    std::vector<hsize_t> chunk(extents.size(), 1);
    chunk.back() = std::min(kChunk, whole.back());
    const auto rank = static_cast<int>(extents.size());
    const Handle space(H5Screate_simple(rank, whole.data(), nullptr), H5Sclose);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    checked(H5Pset_chunk(properties, rank, chunk.data()));
    checked(H5Pset_shuffle(properties));
    checked(H5Pset_deflate(properties, kDeflateLevel));
    checked(H5Pset_obj_track_times(properties, false));
    return {H5Dcreate2(file_, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose};
  }

  Handle access_, file_;
};

/// True if a file is a matrix. The errors that the library finds in another one are not printed.
bool is_matrix(const std::filesystem::path& path) {
  bool equal = false;
  H5E_BEGIN_TRY {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t schema = file < 0 ? -1 : H5Aopen(file, "schema", H5P_DEFAULT);
    if (schema >= 0) {
      const std::string expected = kMatrixSchema;
      const hid_t type = H5Aget_type(schema);
      std::string held(expected.size(), ' ');
      equal = H5Tget_class(type) == H5T_STRING && H5Tget_size(type) == expected.size() &&
              H5Tis_variable_str(type) == 0 && H5Aread(schema, type, held.data()) >= 0 &&
              held == expected;
      H5Tclose(type);
      H5Aclose(schema);
    }
    if (file >= 0) H5Fclose(file);
  }
  H5E_END_TRY
  return equal;
}

void put_results(Matrix& matrix, const std::vector<const Document*>& documents) {
  const auto of_each = [&](auto get) {
    std::vector<std::decay_t<decltype(get(*documents.front()))>> values;
    for (const Document* document : documents) values.push_back(get(*document));
    return values;
  };
  matrix.put("data_set", of_each([](const Document& one) { return one.data.name; }));
  matrix.put("precision", of_each([](const Document& one) {
               return std::string(synth::to_string(one.data.precision));
             }));
  matrix.put("xxh3", of_each([](const Document& one) { return one.data.xxh3; }));
  matrix.put("verification", of_each([](const Document& one) { return one.run.verification; }));
  matrix.put("original_bytes", of_each([](const Document& one) { return one.data.bytes; }));
  matrix.put("searched_bytes", of_each([](const Document& one) { return one.sampled_bytes; }));
  matrix.put("one_chunk_in", of_each([](const Document& one) { return one.run.sample; }));
}

}  // namespace

std::uint64_t fpsynth_write_matrix(const std::filesystem::path& path, const results::Runs& runs,
                                   const std::string& command) {
  check_out(path, kMatrixSchema, is_matrix);
  const std::vector<const Document*> documents = runs.searched();
  if (documents.empty()) throw Error("nothing was searched yet; continue with --resume");
  const results::Means means(documents);
  if (means.costs().empty()) {
    throw Error(
        "the races of these data sets left no pipeline in common, so that there is no matrix; name "
        "one of them with --dataset");
  }
  const synth::Space& space = means.space();
  std::vector<std::uint64_t> ids(space.size());
  std::vector<std::string> pipelines;
  pipelines.reserve(ids.size());
  for (std::uint64_t id = 0; id < ids.size(); ++id) {
    ids[id] = results::whole_id(space, id);
    pipelines.push_back(to_string(space.at(id)));
  }
  Matrix matrix;
  matrix.attribute("schema", kMatrixSchema);
  matrix.attribute("version", std::uint64_t{1});
  matrix.attribute("space", space.describe());
  matrix.attribute("program", fmt::format("fpsynth {} ({})", synth::kVersion, synth::kCommit));
  matrix.attribute("command", command);
  matrix.attribute("about",
                   "compressed_bytes[result][pipeline]: bytes of the file that the pipeline "
                   "compresses searched_bytes of the data set to; 0: it did not decode to them");
  put_results(matrix, documents);
  matrix.put("id", ids);
  matrix.put("pipeline", pipelines);
  matrix.put_rows("compressed_bytes", documents.size(), ids.size(), [&](std::size_t row) {
    std::vector<std::uint64_t> sizes;
    sizes.reserve(ids.size());
    const results::Document& document = *documents[row];
    for (std::uint64_t id = 0; id < ids.size(); ++id) {
      const std::uint64_t its = means.id_in(document, id);
      const bool failed = std::ranges::binary_search(document.failed, its);
      sizes.push_back(failed ? 0 : document.compressed_bytes(its));
    }
    return sizes;
  });
  AtomicFile file(path);
  file.write(matrix.bytes());
  file.commit();
  return ids.size();
}

}  // namespace fpsynth::cli
