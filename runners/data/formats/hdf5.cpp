// HDF5, and netCDF-4, whose files are HDF5, through libhdf5's C interface. A variable is a data
// set, called by its path: /group/name.

#include <fmt/core.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include "runners/data/formats/variables.hpp"
#include "synth/common/error.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

/// An identifier of the library, and the function that closes it.
class Id {
 public:
  Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&&) = delete;
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Keeps the library from printing its errors, as long as it exists.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Throws Error with the innermost cause that the library noted.
[[noreturn]] void fail(std::string_view what) {
  std::string cause;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* text) -> herr_t {
        auto& cause_text = *static_cast<std::string*>(text);
        if (cause_text.empty() && error->desc) cause_text = error->desc;
        return 0;
      },
      &cause);
  H5Eclear2(H5E_DEFAULT);
  throw Error(fmt::format("{}{}{}", what, cause.empty() ? "" : ": libhdf5: ", cause));
}

std::string type_name(hid_t type) {
  const std::size_t bits = 8 * H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return fmt::format("{}int{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", bits);
    case H5T_FLOAT:
      return fmt::format("float{}", bits);
    case H5T_STRING:
      return "string";
    case H5T_BITFIELD:
      return "bit field";
    case H5T_OPAQUE:
      return "opaque";
    case H5T_COMPOUND:
      return "compound";
    case H5T_REFERENCE:
      return "reference";
    case H5T_ENUM:
      return "enumeration";
    case H5T_VLEN:
      return "of variable length";
    case H5T_ARRAY:
      return "array";
    default:
      return "of an unknown type";
  }
}

/// Sets type, precision and byte order.
void set_type(Variable& variable, hid_t type) {
  variable.type = type_name(type);
  const auto is = [&](hid_t other) { return H5Tequal(type, other) > 0; };
  const bool big = is(H5T_IEEE_F32BE) || is(H5T_IEEE_F64BE);
  if (is(H5T_IEEE_F64LE) || is(H5T_IEEE_F64BE)) variable.precision = Precision::Double;
  if (is(H5T_IEEE_F32LE) || is(H5T_IEEE_F32BE)) variable.precision = Precision::Single;
  if (big) variable.storage = "big-endian";
  if (H5Tget_class(type) == H5T_FLOAT && !variable.precision) {
    variable.refusal = fmt::format(
        "its values are {}, not IEEE's float32 or float64, which alone are read", variable.type);
  }
}

/// Adds the filters to the storage; one that is not installed is the refusal.
void set_filters(Variable& variable, hid_t properties) {
  const int count = H5Pget_nfilters(properties);
  for (int i = 0; i < count; ++i) {
    char name[128] = "";
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags,
                                               &values, nullptr, sizeof name, name, &config);
    if (filter < 0) fail("its filters cannot be read");
    variable.storage += fmt::format("{}{}", variable.storage.empty() ? "" : ", ",
                                    *name ? name : fmt::format("filter {}", filter).c_str());
    if (H5Zfilter_avail(filter) > 0 || !variable.precision) continue;
    variable.precision.reset();
    variable.refusal = fmt::format(
        "it is packed with the HDF5 filter {}{}{}, which is not installed; name the folder of its "
        "plugin in HDF5_PLUGIN_PATH",
        filter, *name ? ", " : "", name);
  }
  H5Eclear2(H5E_DEFAULT);  // what looking for plugins left
}

/// The text or the first number of an attribute; nothing if there is none.
std::optional<std::string> attribute_of(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  const Id attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Id type(attribute ? H5Aget_type(attribute) : -1, H5Tclose);
  const Id space(attribute ? H5Aget_space(attribute) : -1, H5Sclose);
  if (!type || !space) return std::nullopt;
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  constexpr hssize_t kMost = 1 << 16;  // the library keeps attributes of at most 64 KiB
  if (count < 1 || count > kMost) return std::nullopt;
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER || kind == H5T_FLOAT) {
    std::vector<double> numbers(static_cast<std::size_t>(count));
    if (H5Aread(attribute, H5T_NATIVE_DOUBLE, numbers.data()) < 0) return std::nullopt;
    if (H5Tget_size(type) == 4 && kind == H5T_FLOAT) {
      return fmt::format("{}", static_cast<float>(numbers.front()));
    }
    return fmt::format("{}", numbers.front());
  }
  if (kind != H5T_STRING || count != 1) return std::nullopt;
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute, type, static_cast<void*>(&text)) < 0 || !text) return std::nullopt;
    std::string copy(text);
    H5free_memory(text);
    return copy;
  }
  std::string text(H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return std::nullopt;
  return text.substr(0, text.find('\0'));
}

/// Refuses a virtual data set if a file of which it is made up is not there: the library would fill
/// its part with the fill value. It looks for files of relative names beside the file too.
void check_sources(Variable& variable, hid_t properties, const std::filesystem::path& file) {
  if (H5Pget_layout(properties) != H5D_VIRTUAL) return;
  std::size_t count = 0;
  if (H5Pget_virtual_count(properties, &count) < 0) fail("its sources cannot be listed");
  for (std::size_t i = 0; i < count; ++i) {
    const auto length = H5Pget_virtual_filename(properties, i, nullptr, 0);
    if (length < 0) fail("its sources cannot be listed");
    std::string name(static_cast<std::size_t>(length) + 1, '\0');
    H5Pget_virtual_filename(properties, i, name.data(), name.size());
    name.pop_back();
    // "." is the file itself, %b stands for the number of a block, and the library knows what the
    // variable says.
    if (name == "." || name.find('%') != name.npos || std::getenv("HDF5_VDS_PREFIX")) continue;
    std::error_code error;
    if (std::filesystem::exists(name, error)) continue;
    if (std::filesystem::exists(file.parent_path() / name, error)) continue;
    variable.precision.reset();
    variable.damaged = true;
    variable.refusal = fmt::format(
        "it is made up of parts of other files, and {} is not there; put it beside the file", name);
    return;
  }
}

Variable variable_of(hid_t dataset, std::string name, const std::filesystem::path& file) {
  Variable variable;
  variable.name = name.starts_with('/') ? std::move(name) : "/" + name;
  variable.alias = variable.name.substr(1);
  const Id type(H5Dget_type(dataset), H5Tclose);
  const Id space(H5Dget_space(dataset), H5Sclose);
  const Id properties(H5Dget_create_plist(dataset), H5Pclose);
  if (!type || !space || !properties) fail("its description cannot be read");
  set_type(variable, type);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0) fail("its shape cannot be read");
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  if (rank > 0 && H5Sget_simple_extent_dims(space, extents.data(), nullptr) < 0) {
    fail("its shape cannot be read");
  }
  variable.shape.assign(extents.begin(), extents.end());
  if (H5Sget_simple_extent_type(space) == H5S_NULL) variable.shape = {0};
  set_filters(variable, properties);
  check_sources(variable, properties, file);
  for (const std::string_view attribute : kAttributes) {
    if (auto text = attribute_of(dataset, attribute.data())) {
      variable.attributes.push_back({std::string(attribute), std::move(*text)});
    }
  }
  H5D_fill_value_t fill = H5D_FILL_VALUE_UNDEFINED;
  const bool own_fill =
      H5Pfill_value_defined(properties, &fill) >= 0 && fill == H5D_FILL_VALUE_USER_DEFINED;
  double value = 0;
  if (own_fill && variable.precision &&
      std::ranges::find(variable.attributes, "_FillValue", &Attribute::name) ==
          variable.attributes.end() &&
      H5Pget_fill_value(properties, H5T_NATIVE_DOUBLE, &value) >= 0) {
    variable.attributes.push_back({"fill value", *variable.precision == Precision::Single
                                                     ? fmt::format("{}", static_cast<float>(value))
                                                     : fmt::format("{}", value)});
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
    std::vector<std::string> names;
    const herr_t status = H5Lvisit(
        file_, H5_INDEX_NAME, H5_ITER_NATIVE,
        [](hid_t, const char* name, const H5L_info_t* info, void* list) -> herr_t {
          if (info->type == H5L_TYPE_HARD) {
            static_cast<std::vector<std::string>*>(list)->emplace_back(name);
          }
          return 0;
        },
        &names);
    if (status < 0) fail("its groups cannot be listed");
    std::vector<Variable> variables;
    for (const std::string& name : names) {
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
        variables.push_back(variable_of(object, name, path_));
      } catch (const Error& error) {  // the others can still be read
        variables.push_back(Variable::damaged_part("/" + name, error.what()));
        variables.back().alias = name;
      }
    }
    return variables;
  }

  /// Also follows links to other names and files.
  std::optional<Variable> find(std::string_view name) override {
    const std::string path(name);
    const Id dataset(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
    if (dataset) return variable_of(dataset, path, path_);
    H5Eclear2(H5E_DEFAULT);
    return VariableFile::find(name);
  }

  std::string instead_of_variable(std::string_view name) override {
    const std::string path(name);
    const Id object(H5Oopen(file_, path.c_str(), H5P_DEFAULT), H5Oclose);
    if (object && H5Iget_type(object) == H5I_GROUP) return "this is a group, not a variable";
    H5L_info_t link;
    const bool is_link = !object && H5Lget_info(file_, path.c_str(), &link, H5P_DEFAULT) >= 0 &&
                         link.type != H5L_TYPE_HARD;
    H5Eclear2(H5E_DEFAULT);
    return is_link ? "this is a link to what is not there" : "";
  }

  Values read(const Variable& variable) override {
    const Id dataset(H5Dopen2(file_, variable.name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset) fail("it cannot be opened");
    const Id type(H5Dget_type(dataset), H5Tclose);
    if (!type) fail("its type cannot be read");
    Values values;
    values.own.resize(variable.values() * synth::word_bytes(*variable.precision));
    // The type in memory is that of the file, so that the library converts nothing, and every bit
    // stays.
    if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.own.data()) < 0) {
      fail("its values cannot be read");
    }
    if (H5Tget_order(type) == H5T_ORDER_BE) swap_words(values.own, *variable.precision);
    return values;
  }

 private:
  Quiet quiet_;
  std::filesystem::path path_;
  Id file_;
};

}  // namespace

std::unique_ptr<VariableFile> open_hdf5(const std::filesystem::path& path,
                                        std::span<const std::byte>) {
  return std::make_unique<Hdf5File>(path);
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("HDF5 {}.{}.{}", major, minor, release);
}

}  // namespace fpsynth::data
