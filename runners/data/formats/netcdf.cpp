// netCDF-3 through libnetcdf, which is given the bytes of the file. (netCDF-4 files are HDF5: see
// hdf5.cpp.)

#include <fmt/core.h>
#include <netcdf.h>
#include <netcdf_mem.h>

#include <array>
#include <cerrno>
#include <string>

#include "runners/data/formats/variables.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::data {
namespace {

void check(int status) {
  if (status == NC_NOERR) return;
  const std::string reason = fmt::format("libnetcdf: {}", nc_strerror(status));
  // Reading beyond the end of the file's bytes gives an error of the system, such as EPERM.
  const bool ends = status > 0 && status != ENOMEM;
  throw Error(ends ? fmt::format("it is cut off or damaged ({})", reason) : reason);
}

constexpr TypeName kTypes[] = {{NC_FLOAT, "float32"}, {NC_DOUBLE, "float64"}, {NC_BYTE, "int8"},
                               {NC_UBYTE, "uint8"},   {NC_CHAR, "char"},      {NC_SHORT, "int16"},
                               {NC_USHORT, "uint16"}, {NC_INT, "int32"},      {NC_UINT, "uint32"},
                               {NC_INT64, "int64"},   {NC_UINT64, "uint64"}};

class NetcdfFile : public VariableFile {
 public:
  explicit NetcdfFile(std::span<const std::byte> bytes) : bytes_(bytes) {
    // NC_NOWRITE: the memory is neither changed nor freed.
    check(nc_open_mem("the file", NC_NOWRITE, bytes.size(), const_cast<std::byte*>(bytes.data()),
                      &file_));
  }
  ~NetcdfFile() override { nc_close(file_); }

  std::vector<Variable> variables() override {
    int count = 0;
    check(nc_inq_nvars(file_, &count));
    std::vector<Variable> variables;
    for (int id = 0; id < count; ++id) variables.push_back(variable_of(id));
    return variables;
  }

  void read(const Variable& variable, std::span<std::byte> values) override {
    if (values.size() > bytes_.size()) {
      raise("its shape {} makes {} bytes, and the file has {}; it is damaged",
            shape_text(variable.shape), values.size(), bytes_.size());
    }
    int id = 0;
    check(nc_inq_varid(file_, variable.name.c_str(), &id));
    check(nc_get_var(file_, id, values.data()));  // of its own type, so nothing is converted
  }

 private:
  Variable variable_of(int id) {
    std::array<char, NC_MAX_NAME + 1> name{};
    nc_type type = NC_NAT;
    int rank = 0;
    std::array<int, NC_MAX_VAR_DIMS> dimensions{};
    int attributes = 0;
    check(nc_inq_var(file_, id, name.data(), &type, &rank, dimensions.data(), &attributes));
    Variable variable;
    variable.name = name.data();
    variable.type = type_name(type, kTypes);
    variable.held = synth::type_called(variable.type, &synth::NamedType::name);
    for (int i = 0; i < rank; ++i) {
      std::size_t extent = 0;
      check(nc_inq_dimlen(file_, dimensions[static_cast<std::size_t>(i)], &extent));
      variable.shape.push_back(extent);
    }
    add_attributes(variable, kAttributes,
                   [&](const std::string& key) { return attribute_of(id, key); });
    return variable;
  }

  /// An attribute's text or first number; nothing if there is none.
  std::optional<std::string> attribute_of(int id, const std::string& name) {
    nc_type type = NC_NAT;
    std::size_t length = 0;
    if (nc_inq_att(file_, id, name.c_str(), &type, &length) != NC_NOERR) return std::nullopt;
    if (length == 0) return "";
    if (length > bytes_.size()) return std::nullopt;
    if (type == NC_CHAR) {
      std::string text(length, '\0');
      check(nc_get_att_text(file_, id, name.c_str(), text.data()));
      return text.substr(0, text.find('\0'));
    }
    const auto first = [&]<class T>(int (*get)(int, int, const char*, T*)) {
      std::vector<T> numbers(length);
      check(get(file_, id, name.c_str(), numbers.data()));
      return numbers.front();
    };
    if (type == NC_INT64) return std::to_string(first(nc_get_att_longlong));
    if (type == NC_UINT64) return std::to_string(first(nc_get_att_ulonglong));
    return number_text(first(nc_get_att_double), type == NC_FLOAT);
  }

  std::span<const std::byte> bytes_;
  int file_ = 0;
};

std::unique_ptr<VariableFile> open(const std::filesystem::path&, std::span<const std::byte> bytes) {
  return std::make_unique<NetcdfFile>(bytes);
}

std::string version() {
  const std::string text = nc_inq_libvers();  // "4.9.0 of Aug  2 2022 ..."
  return "netCDF " + text.substr(0, text.find(' '));
}

}  // namespace

const ReaderFunctions fpsynth_reader = {open, version};

}  // namespace fpsynth::data
