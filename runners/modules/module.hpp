#pragma once
// Modules: the parts of the program that use a library which not every machine has, such as readers
// of file formats and peers of `compare`. Each is a shared object, lib/fpsynth/<name>.so beside the
// program's folder, and is loaded where it is first needed. It takes what it needs of the program
// from the program, so that it has no second copy of it. The build lists the modules
// (runners/CMakeLists.txt).

#include <filesystem>
#include <span>
#include <string_view>

namespace fpsynth::modules {

struct Module {
  std::string_view name;
  const char* package;  ///< of Debian and Ubuntu, with the library that this build found
  const char* headers;  ///< the package that the build needs
};
extern const std::span<const Module> kModules;  ///< all, also those that this build does not have

/// The function or object that a module has by a C name. Throws Error, which names the library that
/// is missing and the package to install.
void* loaded(std::string_view module, const char* symbol);

/// The same with its type.
template <class Entry>
Entry& entry(std::string_view module, const char* symbol) {
  return *reinterpret_cast<Entry*>(loaded(module, symbol));
}

/// The folder of the HDF5 filter, which need not be there: for HDF5_PLUGIN_PATH.
std::filesystem::path hdf5_plugins();
/// The same. Throws Error if the filter is not there.
std::filesystem::path checked_hdf5_plugins();

}  // namespace fpsynth::modules
