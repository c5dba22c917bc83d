#pragma once
// An HDF5 filter's view of the HDF5 library that calls it. A plugin that links a libhdf5 brings a
// second one into processes that have their own (h5py and netCDF4 from PyPI have one each, under
// other names), and knows none of the caller's objects. So nothing is linked here: the library that
// calls is found by the return address, and the functions by their names.

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace fpsynth::hdf5 {

/// hid_t since HDF5 1.10.
using Id = std::int64_t;

/// H5Z_class2_t, version 1.
struct FilterClass {
  int version = 1;
  int id = 0;
  unsigned encodes = 1, decodes = 1;
  const char* name = nullptr;
  int (*can_apply)(Id properties, Id type, Id space) = nullptr;
  int (*set_local)(Id properties, Id type, Id space) = nullptr;
  std::size_t (*filter)(unsigned flags, std::size_t count, const unsigned* values,
                        std::size_t bytes, std::size_t* buffer_bytes, void** buffer) = nullptr;
};

/// H5PL_TYPE_FILTER, H5Z_FLAG_OPTIONAL, H5Z_FLAG_REVERSE, H5Z_FILTER_SHUFFLE.
inline constexpr int kFilterPlugin = 0;
inline constexpr unsigned kOptional = 0x0001, kReverse = 0x0100;
inline constexpr int kShuffle = 2;

/// The functions of one HDF5 library; null where it has none of that name.
class Host {
 public:
  /// The library in which an address of code is, such as a callback's __builtin_return_address(0).
  /// It stays loaded.
  static const Host& of(const void* code) {
    static std::mutex mutex;
    static std::map<const void*, Host> hosts;
    const std::lock_guard lock(mutex);
    const auto found = hosts.find(code);
    return found != hosts.end() ? found->second : hosts.emplace(code, Host(code)).first->second;
  }

  int (*get_filter)(Id, unsigned, unsigned*, std::size_t*, unsigned*, std::size_t, char*,
                    unsigned*) = nullptr;
  int (*modify_filter)(Id, int, unsigned, std::size_t, const unsigned*) = nullptr;
  std::size_t (*type_size)(Id) = nullptr;
  int (*type_order)(Id) = nullptr;  ///< 1: big-endian
  std::int64_t (*points)(Id) = nullptr;

  /// Everything that the creation of a data set needs is there.
  bool complete() const { return get_filter && modify_filter && type_size && type_order && points; }

  /// Puts a reason on the library's stack of errors. Returns 0, the result of a filter that failed.
  std::size_t refuse(const char* filter, const char* reason) const {
    if (push_ && error_class_ && major_ && minor_) {
      push_(0, filter, "filter", 0, *error_class_, *major_, *minor_, "%s: %s", filter, reason);
    }
    return 0;
  }

  /// Memory that HDF5 may free; null if there is not as much.
  void* allocate(std::size_t bytes) const {
    return allocate_ ? allocate_(bytes, false) : std::malloc(bytes);
  }
  void release(void* memory) const { release_ ? void(release_(memory)) : std::free(memory); }

 private:
  explicit Host(const void* code) {
    Dl_info place{};
    void* library = nullptr;
    if (dladdr(code, &place) && place.dli_fname) {
      library = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }
    if (!library) library = dlopen(nullptr, RTLD_LAZY);  // HDF5 is a part of the program
    const auto take = [&](auto& function, const char* name) {
      void* const symbol = library ? dlsym(library, name) : nullptr;
      std::memcpy(&function, &symbol, sizeof symbol);
    };
    take(get_filter, "H5Pget_filter2");
    take(modify_filter, "H5Pmodify_filter");
    take(type_size, "H5Tget_size");
    take(type_order, "H5Tget_order");
    take(points, "H5Sget_simple_extent_npoints");
    take(push_, "H5Epush2");
    take(error_class_, "H5E_ERR_CLS_g");
    take(major_, "H5E_PLINE_g");
    take(minor_, "H5E_CANTFILTER_g");
    take(allocate_, "H5allocate_memory");
    take(release_, "H5free_memory");
    if (!allocate_ || !release_) allocate_ = nullptr, release_ = nullptr;
  }

  int (*push_)(Id, const char*, const char*, unsigned, Id, Id, Id, const char*, ...) = nullptr;
  const Id *error_class_ = nullptr, *major_ = nullptr, *minor_ = nullptr;
  void* (*allocate_)(std::size_t, bool) = nullptr;
  int (*release_)(void*) = nullptr;
};

}  // namespace fpsynth::hdf5
