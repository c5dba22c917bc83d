#include <fmt/core.h>
#include <hdf5.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "runners/data/formats/hdf5.hpp"
#include "runners/data/formats/hdf5_sides.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::data::hdf5 {
namespace {

/// Values of data sets are compared in pieces of about so many bytes.
constexpr std::size_t kPieceBytes = std::size_t{64} << 20;

[[noreturn]] void differ(const std::string& name, std::string_view what) {
  raise("{}: {}", name, what);
}

std::vector<std::string> attributes_of(const std::string& object_name, hid_t object) {
  std::vector<std::string> names;
  const herr_t status = H5Aiterate2(
      object, H5_INDEX_NAME, H5_ITER_INC, nullptr,
      [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
        static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        return 0;
      },
      &names);
  if (status < 0) fail(object_name + ": its attributes cannot be listed");
  return names;
}

std::string attribute_text(const std::string& attribute, const std::string& object) {
  return fmt::format("the attribute {} of {}", attribute, object);
}

void read_attribute(const std::string& what, hid_t attribute, Buffer& values) {
  if (H5Aread(attribute, values.type(), values.data()) < 0) fail(what + " cannot be read");
}

void read_piece(const std::string& name, hid_t dataset, hid_t memory, hid_t file, Buffer& values) {
  if (H5Dread(dataset, values.type(), memory, file, H5P_DEFAULT, values.data()) < 0) {
    fail(name + ": its values cannot be read");
  }
}

/// Calls work(memory, file) with the spaces of pieces that cover a data set: whole chunks, each of
/// which is decoded once.
void for_pieces(hid_t dataset, hid_t type, hid_t space,
                const std::function<void(hid_t memory, hid_t file)>& work) {
  if (H5Sget_simple_extent_npoints(space) == 0) return;
  const std::vector<hsize_t> extents = extents_of(dataset);
  if (extents.empty()) return work(space, space);
  hsize_t row = H5Tget_size(type);
  for (std::size_t i = 1; i < extents.size(); ++i) row *= extents[i];
  const Id properties(H5Dget_create_plist(dataset), H5Pclose);
  const std::vector<hsize_t> chunk = chunk_of(properties);
  const hsize_t step = chunk.empty() ? 1 : chunk[0];
  const hsize_t rows = (std::max<hsize_t>(kPieceBytes / row, 1) + step - 1) / step * step;
  for (hsize_t at = 0; at < extents[0]; at += rows) {
    std::vector<hsize_t> start(extents.size()), count(extents);
    start[0] = at;
    count[0] = std::min(rows, extents[0] - at);
    const Id memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                    H5Sclose);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    work(memory, space);
  }
}

/// Throws Error for a type that h5repack cannot copy.
void check_type(const std::string& what, hid_t type) {
  if (H5Tdetect_class(type, H5T_TIME) <= 0) return;
  differ(what,
         "it has times of HDF5's own type (H5T_TIME), which h5repack cannot copy; write them "
         "as integers, and delete it");
}

class Comparison {
 public:
  Comparison(const std::filesystem::path& one, const std::filesystem::path& other,
             std::span<const std::string> without_values)
      : one_(one, H5F_ACC_RDONLY),
        other_(other, H5F_ACC_RDWR),
        values_(one_, other_),
        without_values_(without_values) {}

  void run() const {
    compare_links();
    for (const std::string& name : one_.objects()) {
      const Id a = one_.open(name), b = other_.open(name);
      if (H5Iget_type(a) != H5Iget_type(b)) differ(name, "is another kind of object");
      compare_attributes(name, a, b);
      if (H5Iget_type(a) == H5I_DATASET) compare_datasets(name, a, b);
      if (H5Iget_type(a) == H5I_DATATYPE && H5Tequal(a, b) <= 0) differ(name, "the type differs");
    }
  }

 private:
  void compare_links() const {
    const auto [a, b] = std::ranges::mismatch(
        one_.links(), other_.links(), [](const Link& left, const Link& right) {
          return left.name == right.name && left.type == right.type &&
                 left.target == right.target && left.object == right.object;
        });
    const bool all = a == one_.links().end() && b == other_.links().end();
    if (!all)
      differ(a != one_.links().end() ? a->name : b->name, "the link differs, or is missing");
  }

  void compare_attributes(const std::string& name, hid_t a, hid_t b) const {
    const std::vector<std::string> names = attributes_of(name, a);
    if (names != attributes_of(name, b)) differ(name, "it has other attributes");
    for (const std::string& attribute : names) {
      const std::string what = attribute_text(attribute, name);
      const Id left(H5Aopen(a, attribute.c_str(), H5P_DEFAULT), H5Aclose);
      const Id right(H5Aopen(b, attribute.c_str(), H5P_DEFAULT), H5Aclose);
      const Id type(H5Aget_type(left), H5Tclose), space(H5Aget_space(left), H5Sclose);
      const Id other_type(H5Aget_type(right), H5Tclose), other_space(H5Aget_space(right), H5Sclose);
      if (H5Tequal(type, other_type) <= 0) differ(what, "its type differs");
      if (H5Sextent_equal(space, other_space) <= 0) differ(what, "its shape differs");
      if (H5Sget_simple_extent_npoints(space) == 0) continue;
      const auto read = [&](hid_t from, Buffer& values) { read_attribute(what, from, values); };
      compare_values(what, type, space, left, right, read,
                     [&](Buffer& values) { return H5Awrite(right, type, values.data()); });
    }
  }

  /// Compares values. References that h5repack did not make lead to the same objects are mended
  /// before: it knows those of attributes, and data sets of nothing else.
  template <class Read, class Write>
  void compare_values(const std::string& what, hid_t type, hid_t space, hid_t a, hid_t b, Read read,
                      Write write) const {
    const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
    const bool referring = H5Tdetect_class(type, H5T_REFERENCE) > 0;
    const auto same = [&] {
      Buffer mine(type, space), theirs(type, space);
      read(a, mine);
      read(b, theirs);
      return values_.same(type, count, mine.data(), theirs.data());
    };
    const bool not_known = H5Iget_type(b) == H5I_DATASET && H5Tget_class(type) != H5T_REFERENCE;
    located(what, [&] {
      if (!(referring && not_known) && same()) return;
      if (referring) {
        Buffer values(type, space);
        read(a, values);
        values_.translate(type, count, values.data());
        if (write(values) < 0) fail("its references cannot be written");
        if (same()) return;
      }
      throw Error("its values differ");
    });
  }

  void compare_datasets(const std::string& name, hid_t a, hid_t b) const {
    const Id type(H5Dget_type(a), H5Tclose), other_type(H5Dget_type(b), H5Tclose);
    const Id space(H5Dget_space(a), H5Sclose), other_space(H5Dget_space(b), H5Sclose);
    if (H5Tequal(type, other_type) <= 0) differ(name, "its type differs");
    if (H5Sextent_equal(space, other_space) <= 0) differ(name, "its extents differ");
    compare_fill_values(name, type, a, b);
    if (std::ranges::binary_search(without_values_, name)) return;
    for_pieces(a, type, space, [&](hid_t memory, hid_t file) {
      const auto read = [&](hid_t from, Buffer& values) {
        read_piece(name, from, memory, file, values);
      };
      compare_values(name, type, memory, a, b, read, [&](Buffer& values) {
        return H5Dwrite(b, type, memory, file, H5P_DEFAULT, values.data());
      });
    });
  }

  static void compare_fill_values(const std::string& name, hid_t type, hid_t a, hid_t b) {
    const Id left(H5Dget_create_plist(a), H5Pclose), right(H5Dget_create_plist(b), H5Pclose);
    H5D_fill_value_t mine = H5D_FILL_VALUE_ERROR, theirs = H5D_FILL_VALUE_ERROR;
    H5Pfill_value_defined(left, &mine);
    H5Pfill_value_defined(right, &theirs);
    std::vector<std::byte> values(H5Tget_size(type)), other(values.size());
    const bool compared = mine == H5D_FILL_VALUE_USER_DEFINED && is_plain(type);
    if (mine != theirs ||
        (compared && (H5Pget_fill_value(left, type, values.data()) < 0 ||
                      H5Pget_fill_value(right, type, other.data()) < 0 || values != other))) {
      differ(name, "its fill value differs");
    }
  }

  Side one_, other_;
  Values values_;
  std::span<const std::string> without_values_;
};

}  // namespace

bool survey(const std::filesystem::path& path) {
  // The object header that h5repack writes holds attributes of less, with their name and type.
  constexpr hsize_t kLarge = 60000;
  const Quiet quiet;
  const Side file(path, H5F_ACC_RDONLY);
  const Values values(file, file);
  const auto check = [&](const std::string& what, hid_t type, hid_t space, Buffer& read) {
    const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
    located(what, [&] { values.same(type, count, read.data(), read.data()); });
  };
  bool large = false;
  for (const std::string& name : file.objects()) {
    const Id object = file.open(name);
    for (const std::string& attribute : attributes_of(name, object)) {
      const std::string what = attribute_text(attribute, name);
      const Id held(H5Aopen(object, attribute.c_str(), H5P_DEFAULT), H5Aclose);
      const Id type(held ? H5Aget_type(held) : -1, H5Tclose);
      const Id space(held ? H5Aget_space(held) : -1, H5Sclose);
      if (!type || !space) fail(what + " cannot be read");
      check_type(what, type);
      large |= H5Aget_storage_size(held) > kLarge;
      if (H5Sget_simple_extent_npoints(space) == 0) continue;
      Buffer read(type, space);
      read_attribute(what, held, read);
      check(what, type, space, read);
    }
    if (H5Iget_type(object) != H5I_DATASET) continue;
    const Id type(H5Dget_type(object), H5Tclose), space(H5Dget_space(object), H5Sclose);
    check_type(name, type);
    for_pieces(object, type, space, [&](hid_t memory, hid_t part) {
      Buffer read(type, memory);
      read_piece(name, object, memory, part, read);
      check(name, type, memory, read);
    });
  }
  return large;
}

void compare(const std::filesystem::path& one, const std::filesystem::path& other,
             std::span<const std::string> without_values) {
  const Quiet quiet;
  Comparison(one, other, without_values).run();
}

}  // namespace fpsynth::data::hdf5
