// HDF5 files as they are stored (stored_datasets.hpp), but for their comparison.

#include <algorithm>
#include <map>

#include "components/words/word_type.hpp"
#include "runners/data/formats/hdf5.hpp"
#include "runners/data/formats/stored_datasets.hpp"

namespace fpsynth::data {

namespace {

using hdf5::extents_of;
using hdf5::fail;
using hdf5::Id;

std::vector<hsize_t> sizes(const Extents& extents) { return {extents.begin(), extents.end()}; }

/// The size of the elements that words of the codec are made of; 0 for other types.
std::size_t word_bytes_of(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t bytes = H5Tget_size(type);
  if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || !words::is_word_size(bytes)) return 0;
  const H5T_order_t order = H5Tget_order(type);
  return order == H5T_ORDER_LE || order == H5T_ORDER_BE || bytes == 1 ? bytes : 0;
}

StoredDataset description_of(hid_t dataset) {
  StoredDataset stored;
  const Id type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
  const Id properties(H5Dget_create_plist(dataset), H5Pclose);
  if (!type || !space || !properties) fail("its description cannot be read");
  stored.type = hdf5::type_name(type);
  stored.big_endian = H5Tget_order(type) == H5T_ORDER_BE;
  stored.word_bytes = word_bytes_of(type);
  const std::vector<hsize_t> extents = extents_of(dataset);
  stored.extents.assign(extents.begin(), extents.end());
  if (H5Sget_simple_extent_type(space) == H5S_NULL) stored.extents = {0};
  const std::vector<hsize_t> chunk = hdf5::chunk_of(properties);
  stored.chunk.assign(chunk.begin(), chunk.end());
  stored.elsewhere =
      H5Pget_layout(properties) == H5D_VIRTUAL || H5Pget_external_count(properties) > 0;
  for (const hdf5::Filter& filter : hdf5::filters_of(properties)) {
    stored.filters += (stored.filters.empty() ? "" : ", ") + filter.name;
    if (!filter.installed) stored.refusal = filter.refusal();
  }
  stored.stored_bytes = H5Dget_storage_size(dataset);
  return stored;
}

class StoredHdf5 : public StoredFile {
 public:
  explicit StoredHdf5(const std::filesystem::path& path)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
    if (!file_) fail("it is damaged, or being written");
  }

  std::vector<StoredDataset> datasets() override {
    std::vector<StoredDataset> list;
    std::map<haddr_t, std::size_t> known;
    for (const std::string& name : hdf5::hard_links(file_, H5_ITER_INC)) {
      const Id object(H5Oopen(file_, name.c_str(), H5P_DEFAULT), H5Oclose);
      H5O_info_t info;
      if (!object || H5Oget_info(object, &info) < 0) fail("/" + name + " cannot be opened");
      if (info.type != H5O_TYPE_DATASET) continue;
      const auto [at, is_new] = known.try_emplace(info.addr, list.size());
      if (is_new) list.push_back(description_of(object));
      list[at->second].names.push_back("/" + name);
    }
    return list;
  }

  void read(const StoredDataset& stored, const Extents& origin, const Extents& extents,
            std::span<std::byte> values) override {
    const Id dataset(H5Dopen2(file_, stored.name().c_str(), H5P_DEFAULT), H5Dclose);
    const Id type(dataset ? H5Dget_type(dataset) : -1, H5Tclose);
    const Id space(dataset ? H5Dget_space(dataset) : -1, H5Sclose);
    if (!type || !space) fail("it cannot be opened");
    std::vector<hsize_t> count = sizes(extents);
    const std::vector<hsize_t> start = sizes(origin), from(count.size());
    const Id memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                    H5Sclose);
    for (std::size_t i = 0; i < count.size(); ++i) {
      count[i] = std::min<hsize_t>(count[i], stored.extents[i] - origin[i]);
    }
    if (count != sizes(extents)) {
      const Id properties(H5Dget_create_plist(dataset), H5Pclose);
      const std::vector<std::byte> zeros(H5Tget_size(type));
      hdf5::fill_with(hdf5::own_fill(properties, type).value_or(zeros), values);
    }
    // The type in memory is that of the file, so that the library converts nothing.
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) <
            0 ||
        H5Sselect_hyperslab(memory, H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr) <
            0 ||
        H5Dread(dataset, type, memory, space, H5P_DEFAULT, values.data()) < 0) {
      fail("its values cannot be read");
    }
  }

 private:
  hdf5::Quiet quiet_;
  Id file_;
};

std::unique_ptr<StoredFile> open(const std::filesystem::path& path) {
  return std::make_unique<StoredHdf5>(path);
}

/// Writes to a file in memory.
std::uint64_t deflated_bytes(std::span<const std::byte> values, std::size_t word_bytes,
                             const Extents& extents, const Extents& chunk, unsigned level) {
  const hdf5::Quiet quiet;
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access, std::size_t{1} << 20, false);
  const Id file(H5Fcreate("deflated", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  const int rank = static_cast<int>(extents.size());
  const Id space(H5Screate_simple(rank, sizes(extents).data(), nullptr), H5Sclose);
  const Id properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const hid_t types[] = {H5T_NATIVE_UINT8, H5T_NATIVE_UINT16, H5T_NATIVE_UINT32, H5T_NATIVE_UINT64};
  const hid_t type = types[words::column(word_bytes)];
  if (H5Pset_chunk(properties, rank, sizes(chunk).data()) < 0 || H5Pset_shuffle(properties) < 0 ||
      H5Pset_deflate(properties, level) < 0) {
    fail("this libhdf5 has no filters shuffle and deflate");
  }
  const Id dataset(H5Dcreate2(file, "x", type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                   H5Dclose);
  if (H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0 ||
      H5Fflush(file, H5F_SCOPE_LOCAL) < 0) {
    fail("libhdf5 cannot deflate in memory");
  }
  return H5Dget_storage_size(dataset);
}

std::string plugin_path() {
  const hdf5::Quiet quiet;
  unsigned count = 0;
  std::string path;
  if (H5PLsize(&count) < 0) fail("the folders of its plugins are not known");
  for (unsigned i = 0; i < count; ++i) {
    char folder[4096] = "";
    if (H5PLget(i, folder, sizeof folder) <= 0) continue;
    path += (path.empty() ? "" : ":") + std::string(folder);
  }
  return path;
}

}  // namespace

const StoredFunctions fpsynth_stored = {open, deflated_bytes, hdf5::survey, hdf5::compare,
                                        plugin_path};

}  // namespace fpsynth::data
