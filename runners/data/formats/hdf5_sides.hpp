#pragma once
// Two HDF5 files beside each other: their objects by name, and values of both in memory, whose
// references lead to objects of the one or the other.

#include <hdf5.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runners/data/formats/hdf5.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data::hdf5 {

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
  Side(const std::filesystem::path& path, unsigned access)
      : file_(H5Fopen(path.c_str(), access, H5P_DEFAULT), H5Fclose) {
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

  /// The same reference, of a name and a region, in this file.
  void refer(H5R_type_t kind, const std::string& name, hid_t region, std::byte* reference) const {
    if (H5Rcreate(reference, file_, name.c_str(), kind, region) < 0) {
      fail("a reference to " + name + " cannot be written");
    }
  }

  Id region_in(const std::byte* reference) const {
    return {H5Rget_region(file_, H5R_DATASET_REGION, reference), H5Sclose};
  }

  /// The elements of a region, as the library writes it down.
  std::vector<char> region_of(const std::byte* reference) const {
    const Id region = region_in(reference);
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
inline bool is_plain(hid_t type) {
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

  /// Makes references of the one file, in values that are read, lead to the same objects of the
  /// other. One that leads nowhere becomes zeros.
  void translate(hid_t type, std::size_t count, std::byte* values) const {
    if (H5Tdetect_class(type, H5T_REFERENCE) <= 0) return;
    const std::size_t size = H5Tget_size(type);
    for (; count > 0; --count, values += size) {
      switch (H5Tget_class(type)) {
        case H5T_REFERENCE:
          translate_one(type, values);
          break;
        case H5T_COMPOUND:
          for (int i = 0; i < H5Tget_nmembers(type); ++i) {
            const auto member = static_cast<unsigned>(i);
            translate(Id(H5Tget_member_type(type, member), H5Tclose), 1,
                      values + H5Tget_member_offset(type, member));
          }
          break;
        default: {
          const Id element(H5Tget_super(type), H5Tclose);
          hvl_t list = {size / H5Tget_size(element), values};  // of an array
          if (H5Tget_class(type) == H5T_VLEN) std::memcpy(&list, values, sizeof list);
          translate(element, list.len, static_cast<std::byte*>(list.p));
        }
      }
    }
  }

 private:
  /// Region or object; throws Error for the references of HDF5 1.12.
  static H5R_type_t kind_of(hid_t type) {
    const bool region = H5Tequal(type, H5T_STD_REF_DSETREG) > 0;
    if (!region && H5Tequal(type, H5T_STD_REF_OBJ) <= 0) {
      throw Error("its references are of a kind that this program cannot compare");
    }
    return region ? H5R_DATASET_REGION : H5R_OBJECT;
  }

  void translate_one(hid_t type, std::byte* reference) const {
    const H5R_type_t kind = kind_of(type);
    const std::string name = one_.name_of(kind, reference);
    const Id region = kind == H5R_OBJECT ? Id(-1, H5Sclose) : one_.region_in(reference);
    H5Eclear2(H5E_DEFAULT);
    std::memset(reference, 0, H5Tget_size(type));
    if (!name.empty()) other_.refer(kind, name, region, reference);
  }

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
    const H5R_type_t kind = kind_of(type);
    return one_.name_of(kind, a) == other_.name_of(kind, b) &&
           (kind == H5R_OBJECT || one_.region_of(a) == other_.region_of(b));
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
  hid_t type() const { return type_; }
  std::byte* data() { return bytes_.data(); }

 private:
  hid_t type_, space_;
  std::vector<std::byte> bytes_;
};

}  // namespace fpsynth::data::hdf5
