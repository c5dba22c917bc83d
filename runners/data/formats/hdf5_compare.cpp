#include <fmt/core.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runners/data/formats/hdf5.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data::hdf5 {
namespace {

/// Values of data sets are compared in pieces of about so many bytes.
constexpr std::size_t kPieceBytes = std::size_t{64} << 20;

[[noreturn]] void differ(const std::string& name, std::string_view what) {
  throw Error(fmt::format("{}: {}", name, what));
}

struct Link {
  std::string name;  ///< "/group/name"
  H5L_type_t type;
  std::vector<char> target;  ///< of links that are not hard
  std::string object;        ///< the first name of the object of a hard link
};

/// The links of a file, and its objects by their first names in the order of names, which are the
/// same in both files if their links are.
class Side {
 public:
  explicit Side(const std::filesystem::path& path)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
    if (!file_) fail(path.string() + " cannot be opened");
    add("/");
    const herr_t status = H5Lvisit(
        file_, H5_INDEX_NAME, H5_ITER_INC,
        [](hid_t, const char* name, const H5L_info_t* info, void* links) -> herr_t {
          static_cast<std::vector<Link>*>(links)->push_back(
              {"/" + std::string(name), info->type,
               std::vector<char>(info->type == H5L_TYPE_HARD ? 0 : info->u.val_size), ""});
          return 0;
        },
        &links_);
    if (status < 0) fail(path.string() + ": its groups cannot be listed");
    for (Link& link : links_) {
      if (link.type == H5L_TYPE_HARD) {
        link.object = add(link.name);
      } else if (H5Lget_val(file_, link.name.c_str(), link.target.data(), link.target.size(),
                            H5P_DEFAULT) < 0) {
        fail(link.name + ": its target cannot be read");
      }
    }
  }

  const std::vector<Link>& links() const { return links_; }
  const std::vector<std::string>& objects() const { return objects_; }
  Id open(const std::string& name) const {
    Id object(H5Oopen(file_, name.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object) fail(name + " cannot be opened");
    return object;
  }

  /// The first name of the object that a reference leads to; empty if it leads nowhere.
  std::string name_of(H5R_type_t kind, const std::byte* reference) const {
    const Id object(H5Rdereference2(file_, H5P_DEFAULT, kind, reference), H5Oclose);
    H5O_info_t info;
    const bool found = object && H5Oget_info(object, &info) >= 0;
    H5Eclear2(H5E_DEFAULT);
    if (!found) return {};
    const auto name = names_.find(info.addr);
    return name != names_.end() ? name->second : "an object without a name";
  }

  /// The elements of a region, as the library writes it down.
  std::vector<char> region_of(const std::byte* reference) const {
    const Id region(H5Rget_region(file_, H5R_DATASET_REGION, reference), H5Sclose);
    std::size_t size = 0;
    std::vector<char> text;
    if (region && H5Sencode(region, nullptr, &size) >= 0) {
      text.resize(size);
      if (H5Sencode(region, text.data(), &size) < 0) text.clear();
    }
    H5Eclear2(H5E_DEFAULT);
    return text;
  }

 private:
  std::string add(const std::string& name) {
    const Id object = open(name);
    H5O_info_t info;
    if (H5Oget_info(object, &info) < 0) fail(name + " cannot be opened");
    const auto [at, is_new] = names_.try_emplace(info.addr, name);
    if (is_new) objects_.push_back(name);
    return at->second;
  }

  Id file_;
  std::vector<Link> links_;
  std::map<haddr_t, std::string> names_;
  std::vector<std::string> objects_;
};

/// True if values of a type are their bytes.
bool is_plain(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  return kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_TIME || kind == H5T_BITFIELD ||
         kind == H5T_OPAQUE || kind == H5T_ENUM ||
         (kind == H5T_STRING && H5Tis_variable_str(type) <= 0);
}

/// The comparison of two values in memory, of one type.
class Values {
 public:
  Values(const Side& one, const Side& other) : one_(one), other_(other) {}

  bool same(hid_t type, std::size_t count, const std::byte* a, const std::byte* b) const {
    const std::size_t size = H5Tget_size(type);
    if (is_plain(type)) return std::memcmp(a, b, count * size) == 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!same_one(type, a + i * size, b + i * size)) return false;
    }
    return true;
  }

 private:
  bool same_one(hid_t type, const std::byte* a, const std::byte* b) const {
    switch (H5Tget_class(type)) {
      case H5T_STRING:
        return same_text(a, b);
      case H5T_REFERENCE:
        return same_reference(type, a, b);
      case H5T_VLEN: {
        const Id element(H5Tget_super(type), H5Tclose);
        hvl_t left, right;
        std::memcpy(&left, a, sizeof left);
        std::memcpy(&right, b, sizeof right);
        return left.len == right.len && same(element, left.len, static_cast<std::byte*>(left.p),
                                             static_cast<std::byte*>(right.p));
      }
      case H5T_ARRAY: {
        const Id element(H5Tget_super(type), H5Tclose);
        return same(element, H5Tget_size(type) / H5Tget_size(element), a, b);
      }
      case H5T_COMPOUND: {
        for (int i = 0; i < H5Tget_nmembers(type); ++i) {
          const auto member = static_cast<unsigned>(i);
          const Id element(H5Tget_member_type(type, member), H5Tclose);
          const std::size_t at = H5Tget_member_offset(type, member);
          if (!same(element, 1, a + at, b + at)) return false;
        }
        return true;
      }
      default:
        throw Error("its type is one that this program cannot compare");
    }
  }

  static bool same_text(const std::byte* a, const std::byte* b) {
    const char *left, *right;
    std::memcpy(&left, a, sizeof left);
    std::memcpy(&right, b, sizeof right);
    return left && right ? std::strcmp(left, right) == 0 : left == right;
  }

  bool same_reference(hid_t type, const std::byte* a, const std::byte* b) const {
    const bool region = H5Tequal(type, H5T_STD_REF_DSETREG) > 0;
    if (!region && H5Tequal(type, H5T_STD_REF_OBJ) <= 0) {
      throw Error("its references are of a kind that this program cannot compare");
    }
    const H5R_type_t kind = region ? H5R_DATASET_REGION : H5R_OBJECT;
    return one_.name_of(kind, a) == other_.name_of(kind, b) &&
           (!region || one_.region_of(a) == other_.region_of(b));
  }

  const Side &one_, &other_;
};

/// Values in memory, and what they point to.
class Buffer {
 public:
  Buffer(hid_t type, hid_t space)
      : type_(type),
        space_(space),
        bytes_(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) * H5Tget_size(type)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (!is_plain(type_) && !bytes_.empty()) {
      H5Dvlen_reclaim(type_, space_, H5P_DEFAULT, bytes_.data());
    }
  }
  std::byte* data() { return bytes_.data(); }

 private:
  hid_t type_, space_;
  std::vector<std::byte> bytes_;
};

class Comparison {
 public:
  Comparison(const std::filesystem::path& one, const std::filesystem::path& other,
             std::span<const std::string> without_values)
      : one_(one), other_(other), values_(one_, other_), without_values_(without_values) {}

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

  static std::vector<std::string> attributes_of(hid_t object) {
    std::vector<std::string> names;
    H5Aiterate2(
        object, H5_INDEX_NAME, H5_ITER_INC, nullptr,
        [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
          static_cast<std::vector<std::string>*>(list)->emplace_back(name);
          return 0;
        },
        &names);
    return names;
  }

  void compare_attributes(const std::string& name, hid_t a, hid_t b) const {
    const std::vector<std::string> names = attributes_of(a);
    if (names != attributes_of(b)) differ(name, "it has other attributes");
    for (const std::string& attribute : names) {
      const std::string what = fmt::format("the attribute {} of {}", attribute, name);
      const Id left(H5Aopen(a, attribute.c_str(), H5P_DEFAULT), H5Aclose);
      const Id right(H5Aopen(b, attribute.c_str(), H5P_DEFAULT), H5Aclose);
      const Id type(H5Aget_type(left), H5Tclose), space(H5Aget_space(left), H5Sclose);
      const Id other_type(H5Aget_type(right), H5Tclose), other_space(H5Aget_space(right), H5Sclose);
      if (H5Tequal(type, other_type) <= 0) differ(what, "its type differs");
      if (H5Sextent_equal(space, other_space) <= 0) differ(what, "its shape differs");
      if (H5Sget_simple_extent_npoints(space) == 0) continue;
      Buffer mine(type, space), theirs(type, space);
      if (H5Aread(left, type, mine.data()) < 0 || H5Aread(right, type, theirs.data()) < 0) {
        fail(what + " cannot be read");
      }
      compare_values(what, type, space, mine, theirs);
    }
  }

  void compare_values(const std::string& what, hid_t type, hid_t space, Buffer& a,
                      Buffer& b) const {
    const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
    try {
      if (!values_.same(type, count, a.data(), b.data())) differ(what, "its values differ");
    } catch (const Error& error) {
      const std::string reason = error.what();
      throw Error(reason.starts_with(what) ? reason : fmt::format("{}: {}", what, reason));
    }
  }

  void compare_datasets(const std::string& name, hid_t a, hid_t b) const {
    const Id type(H5Dget_type(a), H5Tclose), other_type(H5Dget_type(b), H5Tclose);
    const Id space(H5Dget_space(a), H5Sclose), other_space(H5Dget_space(b), H5Sclose);
    if (H5Tequal(type, other_type) <= 0) differ(name, "its type differs");
    if (H5Sextent_equal(space, other_space) <= 0) differ(name, "its extents differ");
    compare_fill_values(name, type, a, b);
    if (std::ranges::find(without_values_, name) != without_values_.end()) return;
    if (H5Sget_simple_extent_npoints(space) == 0) return;
    const std::vector<hsize_t> extents = extents_of(a);
    if (extents.empty()) return compare_part(name, type, a, b, space, H5S_ALL);
    hsize_t row = H5Tget_size(type);
    for (std::size_t i = 1; i < extents.size(); ++i) row *= extents[i];
    // Whole chunks, each of which is decoded once.
    const hsize_t step = rows_of_chunk(a, extents.size());
    const hsize_t rows = (std::max<hsize_t>(kPieceBytes / row, 1) + step - 1) / step * step;
    for (hsize_t at = 0; at < extents[0]; at += rows) {
      std::vector<hsize_t> start(extents.size()), count(extents);
      start[0] = at;
      count[0] = std::min(rows, extents[0] - at);
      const Id memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                      H5Sclose);
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
      compare_part(name, type, a, b, memory, space);
    }
  }

  static hsize_t rows_of_chunk(hid_t dataset, std::size_t rank) {
    const Id properties(H5Dget_create_plist(dataset), H5Pclose);
    std::vector<hsize_t> chunk(rank, 1);
    if (H5Pget_layout(properties) == H5D_CHUNKED) {
      H5Pget_chunk(properties, static_cast<int>(rank), chunk.data());
    }
    return std::max<hsize_t>(chunk[0], 1);
  }

  void compare_part(const std::string& name, hid_t type, hid_t a, hid_t b, hid_t memory,
                    hid_t file) const {
    Buffer mine(type, memory), theirs(type, memory);
    const hid_t in_memory = file == H5S_ALL ? H5S_ALL : memory;
    if (H5Dread(a, type, in_memory, file, H5P_DEFAULT, mine.data()) < 0 ||
        H5Dread(b, type, in_memory, file, H5P_DEFAULT, theirs.data()) < 0) {
      fail(name + ": its values cannot be read");
    }
    compare_values(name, type, memory, mine, theirs);
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

void compare(const std::filesystem::path& one, const std::filesystem::path& other,
             std::span<const std::string> without_values) {
  const Quiet quiet;
  Comparison(one, other, without_values).run();
}

}  // namespace fpsynth::data::hdf5
