// HDF5, and netCDF-4, whose files are HDF5, through libhdf5's C interface. A variable is a data
// set, called by its path: /group/name.

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "runners/data/formats/hdf5.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data::hdf5 {
namespace {

/// HDF5's type for all bits of a word, which libraries before 2.0 do not have for floats of 16.
Id whole_word(ValueType held, H5T_order_t order) {
  const std::size_t bits = 8 * synth::word_bytes(held);
  Id type(H5Tcopy(held.is_float()                           ? H5T_IEEE_F64LE
                  : held.kind == synth::ValueKind::Unsigned ? H5T_STD_U64LE
                                                            : H5T_STD_I64LE),
          H5Tclose);
  if (held.is_float()) {
    const std::size_t exponent = exponent_bits(held), fraction = bits - 1 - exponent;
    H5Tset_fields(type, bits - 1, fraction, exponent, 0, fraction);
    H5Tset_ebias(type, (std::size_t{1} << (exponent - 1)) - 1);
  }
  H5Tset_size(type, bits / 8);
  H5Tset_order(type, order);
  return type;
}

/// Sets the type and byte order. Types of the same size may be others: of fewer bits, or floats
/// that are not IEEE's.
void set_type(Variable& variable, hid_t type) {
  variable.type = type_name(type);
  const auto held = synth::type_called(variable.type, &synth::NamedType::name);
  for (const H5T_order_t order : {H5T_ORDER_LE, H5T_ORDER_BE}) {
    if (!held || H5Tequal(type, whole_word(*held, order)) <= 0) continue;
    variable.held = held;
    variable.big_endian = order == H5T_ORDER_BE && synth::word_bytes(*held) > 1;
  }
  if (variable.big_endian) variable.storage = "big-endian";
  if (held && !variable.held) {
    variable.refusal = fmt::format(
        "its values are {}, not IEEE's or those of all bits of a word, which alone are read",
        variable.type);
  }
}

/// Adds the filters to the storage; one that is not installed is the refusal.
void set_filters(Variable& variable, hid_t properties) {
  for (const Filter& filter : filters_of(properties)) {
    variable.storage += (variable.storage.empty() ? "" : ", ") + filter.name;
    if (filter.installed || !variable.held) continue;
    variable.held.reset();
    variable.refusal = filter.refusal();
  }
}

/// The lengths of netCDF-4's unlimited dimensions. A variable may have been written less far: then
/// its data set is shorter, and netCDF gives fill values to the end of the dimension.
class UnlimitedDimensions {
 public:
  /// The extents of a data set, as netCDF shows them.
  std::vector<std::uint64_t> shape_of(hid_t dataset) {
    const std::vector<hsize_t> extents = extents_of(dataset);
    std::vector<std::uint64_t> shape(extents.begin(), extents.end());
    std::vector<hsize_t> most(extents.size());
    const Id extent(H5Dget_space(dataset), H5Sclose);
    if (!most.empty()) H5Sget_simple_extent_dims(extent, nullptr, most.data());
    if (std::ranges::find(most, H5S_UNLIMITED) == most.end()) return shape;
    if (is_netcdf(dataset)) shape[0] = std::max(shape[0], length_of(dataset));
    if (H5Aexists(dataset, "DIMENSION_LIST") <= 0) return shape;
    const Id attribute(H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT), H5Aclose);
    const Id space(H5Aget_space(attribute), H5Sclose);
    const Id type(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
    std::vector<hvl_t> lists(shape.size());  // of references to scales, one for each dimension
    if (H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(lists.size()) ||
        H5Aread(attribute, type, lists.data()) < 0) {
      fail("its dimensions cannot be read");
    }
    std::vector<std::pair<std::size_t, hobj_ref_t>> scales;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (lists[i].len > 0) scales.emplace_back(i, *static_cast<const hobj_ref_t*>(lists[i].p));
    }
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists.data());
    for (const auto& [i, reference] : scales) {
      const Id scale(H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, &reference), H5Oclose);
      if (is_netcdf(scale)) shape[i] = std::max(shape[i], length_of(scale));
    }
    return shape;
  }

 private:
  /// True if an object is a dimension of netCDF, or its coordinate variable.
  static bool is_netcdf(hid_t object) {
    if (!H5Iis_valid(object) || attribute_of(object, "CLASS") != "DIMENSION_SCALE") return false;
    const Id file(H5Iget_file_id(object), H5Fclose);
    return H5Aexists(object, "_Netcdf4Dimid") > 0 ||
           H5Aexists_by_name(file, "/", "_NCProperties", H5P_DEFAULT) > 0;
  }

  /// The length of a dimension: that of the longest data set that has it, if it is unlimited.
  std::uint64_t length_of(hid_t scale) {
    H5O_info_t info;
    if (H5Oget_info(scale, &info) < 0) fail("its dimensions cannot be read");
    const auto [known, is_new] = lengths_.try_emplace({info.fileno, info.addr}, 0);
    if (!is_new) return known->second;
    const Id space(H5Dget_space(scale), H5Sclose);
    hsize_t extent = 0, most = 0;
    if (H5Sget_simple_extent_ndims(space) != 1 ||
        H5Sget_simple_extent_dims(space, &extent, &most) < 0 || most != H5S_UNLIMITED ||
        H5Aexists(scale, "REFERENCE_LIST") <= 0) {
      return 0;
    }
    struct User {
      hobj_ref_t dataset;
      int dimension;
    };
    const Id type(H5Tcreate(H5T_COMPOUND, sizeof(User)), H5Tclose);
    H5Tinsert(type, "dataset", offsetof(User, dataset), H5T_STD_REF_OBJ);
    H5Tinsert(type, "dimension", offsetof(User, dimension), H5T_NATIVE_INT);
    const Id attribute(H5Aopen(scale, "REFERENCE_LIST", H5P_DEFAULT), H5Aclose);
    const Id count(H5Aget_space(attribute), H5Sclose);
    std::vector<User> users(static_cast<std::size_t>(H5Sget_simple_extent_npoints(count)));
    if (H5Aread(attribute, type, users.data()) < 0) fail("its dimensions cannot be read");
    for (const User& user : users) {
      const Id dataset(H5Rdereference2(scale, H5P_DEFAULT, H5R_OBJECT, &user.dataset), H5Oclose);
      if (!dataset) fail("a variable of its dimensions cannot be opened");
      const std::vector<hsize_t> extents = extents_of(dataset);
      const auto dimension = static_cast<std::size_t>(user.dimension);
      if (dimension < extents.size()) extent = std::max(extent, extents[dimension]);
    }
    return known->second = extent;
  }

  /// By the file and the address of the dimension; 0 if it is not unlimited.
  std::map<std::pair<unsigned long, haddr_t>, std::uint64_t> lengths_;
};

/// The bits of the fill value that netCDF has for a type: NC_FILL_DOUBLE, NC_FILL_INT64 and so on;
/// 0 for floats of 16 bits, which netCDF does not know.
std::uint64_t netcdf_fill(ValueType type) {
  const bool doubles = type.precision == Precision::Double;
  const std::size_t sign_bit = 8 * synth::word_bytes(type) - 1;
  if (type.kind == synth::ValueKind::Signed) {
    return (std::uint64_t{1} << sign_bit) + (doubles ? 2 : 1);
  }
  if (type.kind == synth::ValueKind::Unsigned) return ~std::uint64_t{0} - (doubles ? 1 : 0);
  if (type.precision == Precision::Half) return 0;
  return doubles ? std::bit_cast<std::uint64_t>(0x1.ep+122)
                 : std::bit_cast<std::uint32_t>(0x1.ep+122f);
}

/// The value that netCDF gives where nothing was written to a data set, in the data set's byte
/// order: its own fill value, or that of the type.
std::vector<std::byte> netcdf_fill(hid_t dataset, hid_t type, ValueType held) {
  const Id properties(H5Dget_create_plist(dataset), H5Pclose);
  if (const auto own = own_fill(properties, type)) return *own;
  std::vector<std::byte> fill(synth::word_bytes(held));
  const std::uint64_t word = netcdf_fill(held);
  std::memcpy(fill.data(), &word, fill.size());
  if (H5Tget_order(type) == H5T_ORDER_BE) swap_words(fill, held.precision);
  return fill;
}

/// Sets the extents of the chunks, and the value that the library writes where a chunk is outside
/// of the array or nothing was written to it: the fill value, or zeros if there is none.
void set_chunks(Variable& variable, hid_t type, hid_t properties) {
  if (!variable.held) return;
  const std::vector<hsize_t> chunk = chunk_of(properties);
  variable.hdf5_chunk.assign(chunk.begin(), chunk.end());
  H5D_fill_time_t time = H5D_FILL_TIME_IFSET;
  if (H5Pget_fill_time(properties, &time) < 0) fail("its fill value cannot be read");
  if (time == H5D_FILL_TIME_NEVER) return;
  auto fill = own_fill(properties, type);
  if (!fill) return;
  if (H5Tget_order(type) == H5T_ORDER_BE) swap_words(*fill, variable.held->precision);
  std::memcpy(&variable.hdf5_fill, fill->data(), fill->size());
}

/// Adds the files that hold values; one that cannot be read is the refusal.
void set_files(Variable& variable, hid_t dataset, const std::filesystem::path& file) {
  try {
    Storage(dataset).describe(variable, file);
  } catch (const Error& error) {
    variable.held.reset();
    variable.damaged = true;
    variable.refusal = error.what();
  }
}

Variable variable_of(hid_t dataset, std::string name, const std::filesystem::path& file,
                     UnlimitedDimensions& dimensions) {
  Variable variable;
  variable.name = name.starts_with('/') ? std::move(name) : "/" + name;
  variable.alias = variable.name.substr(1);
  const Id type(H5Dget_type(dataset), H5Tclose);
  const Id space(H5Dget_space(dataset), H5Sclose);
  const Id properties(H5Dget_create_plist(dataset), H5Pclose);
  if (!type || !space || !properties) fail("its description cannot be read");
  set_type(variable, type);
  variable.shape = dimensions.shape_of(dataset);
  if (H5Sget_simple_extent_type(space) == H5S_NULL) variable.shape = {0};
  set_filters(variable, properties);
  set_chunks(variable, type, properties);
  set_files(variable, dataset, file);
  add_attributes(variable, kAttributes,
                 [&](const std::string& key) { return attribute_of(dataset, key.c_str()); });
  if (!variable.held || std::ranges::find(variable.attributes, "_FillValue", &Attribute::name) !=
                            variable.attributes.end()) {
    return variable;
  }
  if (const auto fill = own_fill(properties, read_as(type))) {
    std::uint64_t value = 0;
    std::memcpy(&value, fill->data(), sizeof value);
    variable.attributes.push_back({"fill value", text_of(value, type)});
  }
  return variable;
}

class Hdf5File : public VariableFile {
 public:
  explicit Hdf5File(const std::filesystem::path& path)
      : path_(path), file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
    if (!file_) fail("it is damaged, or being written");
  }

  std::vector<Variable> variables() override {
    std::vector<Variable> variables;
    for (const std::string& name : hard_links(file_, H5_ITER_NATIVE)) {
      const Id object(H5Oopen(file_, name.c_str(), H5P_DEFAULT), H5Oclose);
      if (object && H5Iget_type(object) != H5I_DATASET) continue;
      try {
        if (!object) fail("it cannot be opened");
        // netCDF-4 notes each dimension as a data set, which holds nothing.
        if (attribute_of(object, "NAME")
                .value_or("")
                .starts_with("This is a netCDF dimension but")) {
          continue;
        }
        variables.push_back(variable_of(object, name, path_, dimensions_));
      } catch (const Error& error) {  // the others can still be read
        Variable& part = variables.emplace_back(Variable::damaged_part("/" + name, error.what()));
        part.alias = name;
        part.damaged = !dynamic_cast<const NewerError*>(&error);
        if (!part.damaged) part.type = "newer HDF5";
      }
    }
    return variables;
  }

  /// Also follows links to other names and files.
  std::optional<Variable> find(std::string_view name) override {
    const std::string path(name);
    const Id dataset(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
    if (dataset) return variable_of(dataset, path, path_, dimensions_);
    H5Eclear2(H5E_DEFAULT);
    return VariableFile::find(name);
  }

  std::string instead_of_variable(std::string_view name) override {
    const std::string path(name);
    const Id object(H5Oopen(file_, path.c_str(), H5P_DEFAULT), H5Oclose);
    if (object && H5Iget_type(object) == H5I_GROUP) return "this is a group, not a variable";
    const std::string cause = noted_cause();
    H5L_info_t link;
    const bool is_link = !object && H5Lget_info(file_, path.c_str(), &link, H5P_DEFAULT) >= 0 &&
                         link.type != H5L_TYPE_HARD;
    H5Eclear2(H5E_DEFAULT);
    return is_link ? "this is a link to what is not there, or cannot be opened" + cause : "";
  }

  void read(const Variable& variable, std::span<std::byte> values) override {
    const Id dataset(H5Dopen2(file_, variable.name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset) fail("it cannot be opened");
    const Id type(H5Dget_type(dataset), H5Tclose);
    if (!type) fail("its type cannot be read");
    // The type in memory is that of the file, so that the library converts nothing, and every bit
    // stays.
    const auto read = [&](hid_t memory) {
      if (H5Dread(dataset, type, memory, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
        fail("its values cannot be read");
      }
      if (H5Tget_order(type) == H5T_ORDER_BE) swap_words(values, variable.held->precision);
    };
    const std::vector<hsize_t> shape(variable.shape.begin(), variable.shape.end());
    const std::vector<hsize_t> written = extents_of(dataset);
    if (written == shape) return read(H5S_ALL);
    const std::vector<std::byte> fill = netcdf_fill(dataset, type, *variable.held);
    fill_with(fill, values);
    if (std::ranges::find(written, 0u) != written.end()) return;
    const Id memory(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                    H5Sclose);
    const std::vector<hsize_t> start(shape.size());
    if (H5Sselect_hyperslab(memory, H5S_SELECT_SET, start.data(), nullptr, written.data(),
                            nullptr) < 0) {
      fail("its values cannot be read");
    }
    read(memory);
  }

 private:
  Quiet quiet_;
  std::filesystem::path path_;
  Id file_;
  UnlimitedDimensions dimensions_;
};

std::unique_ptr<VariableFile> open(const std::filesystem::path& path, std::span<const std::byte>) {
  return std::make_unique<Hdf5File>(path);
}

}  // namespace
}  // namespace fpsynth::data::hdf5

namespace fpsynth::data {

const ReaderFunctions fpsynth_reader = {hdf5::open, hdf5::version};

}  // namespace fpsynth::data
