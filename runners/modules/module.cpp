#include "runners/modules/module.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "synth/common/raise.hpp"

namespace fpsynth::modules {

void* loaded(std::string_view module, const char* symbol) {
  const std::string file = fmt::format("/../lib/fpsynth/{}.so", module);
  // The first call loads it, and later ones give the same handle. It stays: its functions are in
  // use. Libraries see the functions of their own module alone (no RTLD_GLOBAL): those of cfitsio
  // and zfp have the same names.
  void* const handle = ::dlopen(("$ORIGIN" + file).c_str(), RTLD_NOW);
  void* const found = handle ? ::dlsym(handle, symbol) : nullptr;
  if (found) return found;
  const std::string reason = ::dlerror();
  const Module& listed = *std::ranges::find(kModules, module, &Module::name);
  if (reason.find(file + ": cannot open shared object file") != reason.npos) {
    raise(
        "this program was built without its module {}, or moved without its folder lib/fpsynth; "
        "install the package {} and build again",
        module, listed.headers);
  }
  raise("{}; install the package {}", reason, listed.package);
}

std::filesystem::path hdf5_plugins() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return (program / "../../lib/fpsynth/hdf5").lexically_normal();
}

std::filesystem::path checked_hdf5_plugins() {
  const std::filesystem::path folder = hdf5_plugins();
  std::error_code error;
  if (std::filesystem::exists(folder / "libh5fpsynth.so", error)) return folder;
  raise(
      "{} has no libh5fpsynth.so: this program was built without the HDF5 filter "
      "(FPSYNTH_INSTALL=ON has it), or moved without its folder lib/fpsynth",
      folder.string());
}

}  // namespace fpsynth::modules
