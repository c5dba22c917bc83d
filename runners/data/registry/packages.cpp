#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <system_error>

#include "runners/data/registry/fetch.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/child_program.hpp"
#include "synth/common/directory_lock.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {
namespace {

namespace fs = std::filesystem;

/// Names in the folder `partial` that are there for a while, beside those of packages.
constexpr const char *kDownload = "download", *kUnpacked = "unpacked", *kValues = "values";

/// Removes a file or folder with all that is in it, as far as possible.
void discard(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
}

/// The downloaded file of a package.
struct PackageFile {
  fs::path path;
  std::string version;
};

/// A name as PyPI compares them: "Iris.sample-data" and "iris_sample_data" are one.
std::string normalized(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool separates = c == '-' || c == '_' || c == '.';
    if (!separates) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (separates && !text.ends_with('_')) text += '_';
  }
  return text;
}

/// The version of a file of a package, from its name; nothing for other files.
std::optional<std::string> version_of(const Package& package, const std::string& file) {
  if (package.kind == Package::Kind::Debian) {  // NAME_VERSION_ARCHITECTURE.deb
    const std::string begin = package.name + "_";
    if (!file.starts_with(begin) || !file.ends_with(".deb")) return std::nullopt;
    std::string version = file.substr(begin.size(), file.find('_', begin.size()) - begin.size());
    if (const auto colon = version.find("%3a"); colon != version.npos)
      version.replace(colon, 3, ":");
    return version;
  }
  constexpr std::string_view kSource = ".tar.gz";  // NAME-VERSION.tar.gz
  const bool source = file.ends_with(kSource);
  if (!source && !file.ends_with(".whl")) return std::nullopt;  // NAME-VERSION-TAGS.whl
  const std::string stem = source ? file.substr(0, file.size() - kSource.size()) : file;
  const auto dash = source ? stem.rfind('-') : stem.find('-');
  if (dash == stem.npos || normalized(stem.substr(0, dash)) != normalized(package.name)) {
    return std::nullopt;
  }
  const auto end = source ? stem.size() : stem.find('-', dash + 1);
  return stem.substr(dash + 1, end - dash - 1);
}

/// A file of the package in a folder, the described version before others.
std::optional<PackageFile> find_package(const Package& package, const fs::path& folder) {
  std::vector<PackageFile> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (auto version = version_of(package, entry->path().filename().string())) {
      found.push_back({entry->path(), *version});
    }
  }
  std::ranges::sort(found, {}, [&](const PackageFile& file) {
    return std::pair(file.version != package.version, file.path);
  });
  return found.empty() ? std::nullopt : std::optional(found.front());
}

/// The calls that download a package, the first that succeeds is enough.
std::vector<std::vector<std::string>> downloads_of(const Package& package, const fs::path& to) {
  if (package.kind == Package::Kind::Debian) {
    // Without the option, apt warns that its own user cannot write to the folder.
    return {{"apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", package.name}};
  }
  // PyPI keeps old versions; but the described one may not be made for this version of Python.
  std::vector<std::vector<std::string>> calls;
  for (const std::string& what : {package.name + "==" + package.version, package.name}) {
    calls.push_back({"python3", "-m", "pip", "download", "--quiet", "--no-input",
                     "--disable-pip-version-check", "--no-deps", "--dest", to.string(), what});
  }
  return calls;
}

/// Downloads a package to the folder `work`. A file is there only if it is complete.
PackageFile download(const Package& package, const fs::path& work) {
  const TemporaryFolder scratch(create_folder(work / kDownload, kNameAnotherFolder));
  std::string failure;
  for (const auto& call : downloads_of(package, scratch.path())) {
    try {
      must_run(call, {.directory = scratch.path(), .output_to_errors = true});
      failure.clear();
      break;
    } catch (const Error& error) {
      failure = error.what();
    }
  }
  if (!failure.empty()) {
    throw Error(fmt::format("{}; check the network{}", failure,
                            package.kind == Package::Kind::Debian
                                ? ", the lists of packages (apt-get update) and that there is apt"
                                : " and that there is pip (Debian: python3-pip)"));
  }
  auto file = find_package(package, scratch.path());
  if (!file) throw Error(fmt::format("there is no {} after it", file_pattern(package)));
  const fs::path kept = work / file->path.filename();
  move_file(file->path, kept);
  file->path = kept;
  return *file;
}

/// Unpacks a package's file. All three programs keep what they write below the folder.
void unpack(const PackageFile& file, const fs::path& to) {
  const std::string name = file.path.filename().string();
  if (name.ends_with(".deb")) {
    must_run({"dpkg-deb", "--extract", file.path.string(), to.string()});
  } else if (name.ends_with(".whl")) {
    must_run({"python3", "-m", "zipfile", "-e", file.path.string(), to.string()});
  } else {
    must_run({"tar", "--extract", "--gzip", "--force-local", "--no-same-owner",
              "--no-same-permissions", "--strip-components=1", "--file=" + file.path.string(),
              "--directory=" + to.string()});
  }
}

/// The SHA-256 of a file, by the program sha256sum, whose output goes to a file beside it.
std::string sha256_of(const fs::path& path) {
  const fs::path output = path.string() + ".sha256";
  must_run({"sha256sum", path.string()}, {.output = output});
  std::string line;
  std::getline(std::ifstream(output), line);
  if (line.starts_with('\\')) line.erase(0, 1);  // an unusual path
  discard(output);
  return line.substr(0, line.find(' '));
}

/// A set's file in the unpacked package. Throws Error if it is none of the package's own files.
fs::path member_of(const Package& package, const fs::path& unpacked) {
  std::error_code error;
  const fs::path root = fs::canonical(unpacked, error);
  const fs::path file = fs::canonical(unpacked / package.path, error);
  if (error || !fs::is_regular_file(file, error)) {
    throw Error(fmt::format("it has no file {}", package.path.string()));
  }
  if (std::ranges::mismatch(root, file).in1 != root.end()) {
    throw Error(fmt::format("its {} is a link out of the package", package.path.string()));
  }
  return file;
}

/// The values of a set, as they are stored.
Input open_member(const Dataset& set, const fs::path& file) {
  const Package& package = *set.package;
  Reading reading = package.raw.value_or(Reading{});
  if (package.raw) {
    reading.type = set.native;
    reading.count = set.bytes / synth::word_bytes(set.native);
  }
  return open_place({file, package.variable}, reading);
}

/// Writes a set's values to its file in the data folder, if they are the described ones. Returns
/// what is to be said: its path, and the checksums that the description lacks.
std::string extract(const Dataset& set, const fs::path& unpacked, const fs::path& work,
                    const fs::path& folder) {
  const Input input = open_member(set, member_of(*set.package, unpacked));
  if (input.type() != set.native || input.bytes().size() != set.bytes) {
    throw Error(fmt::format("it has {} bytes of {} instead of {} of {}", input.bytes().size(),
                            synth::to_string(input.type()), set.bytes,
                            synth::to_string(set.native)));
  }
  const fs::path written = work / kValues;
  AtomicFile file(written);
  file.write(input.bytes());
  file.commit();
  std::string said = fmt::format("{}: {}", set.name, (folder / set.file).string());
  const auto compare = [&](const char* hash, const std::string& wanted, const std::string& found) {
    if (wanted.empty()) said += fmt::format(", {} {}", hash, found);
    if (wanted.empty() || wanted == found) return;
    discard(written);
    throw Error(fmt::format("the {} of its values is {} instead of {}: they are others", hash,
                            found, wanted));
  };
  compare("SHA-256", set.sha256, sha256_of(written));
  compare("XXH3", set.xxh3, checksum_of(input));
  const fs::path target = folder / set.file;
  create_folder(target.parent_path(), kNameAnotherFolder);
  move_file(written, target);
  return said;
}

std::string names_of(std::span<const Dataset* const> sets) {
  std::vector<std::string> names;
  for (const Dataset* set : sets) names.push_back(set->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Fetches sets that are not there. `work` is an absolute path, because apt-get writes to its
/// working directory.
std::vector<FetchFailure> fetch_missing(const std::vector<const Dataset*>& sets,
                                        const fs::path& folder, const fs::path& work,
                                        const Say& say) {
  const Package& package = *sets.front()->package;
  const std::string names = names_of(sets), title = name_of(package);
  const auto by_hand = [&](const char* which) {
    return fmt::format("download its file ({}) elsewhere, put it in {} and fetch {}",
                       file_pattern(package), package_folder(folder).string(), which);
  };
  auto file = find_package(package, package_folder(fs::absolute(folder)));
  const bool own = !file;
  try {
    if (own) file = find_package(package, work);
    if (!file) {
      say(fmt::format("{}: downloading {}", names, title));
      file = download(package, work);
    }
  } catch (const Error& error) {
    return {{sets, fmt::format("cannot download {}, which has {}: {}; or {}", title, names,
                               error.what(), by_hand("again"))}};
  }
  if (file->version != package.version) {
    say(fmt::format("note: {} has version {} here, and {} is described; the values are compared",
                    title, file->version, package.version));
  }
  const TemporaryFolder unpacked(create_folder(work / kUnpacked, kNameAnotherFolder));
  std::vector<FetchFailure> failures;
  try {
    unpack(*file, unpacked.path());
  } catch (const Error& error) {
    if (own) discard(file->path);  // another download may be whole
    return {
        {sets, fmt::format("cannot unpack {}, which has {}: {}; {} or {}",
                           file->path.filename().string(), names, error.what(),
                           own ? "it was removed; fetch again," : "replace it,", by_hand("then"))}};
  }
  for (const Dataset* set : sets) {
    try {
      say(extract(*set, unpacked.path(), work, folder));
    } catch (const Error& error) {
      failures.push_back({{set},
                          fmt::format("{} cannot be taken from {}, version {}: {}", set->name,
                                      title, file->version, error.what())});
    }
  }
  if (own) discard(file->path);
  return failures;
}

}  // namespace

std::vector<FetchFailure> fetch_package(std::span<const Dataset* const> sets,
                                        const fs::path& folder, const Say& say) {
  std::vector<FetchFailure> failures;
  std::vector<const Dataset*> missing;
  for (const Dataset* set : sets) {
    const auto there = locate(*set, folder);
    if (!there) {
      missing.push_back(set);
      continue;
    }
    try {
      verify_dataset(*set, folder);
      say(fmt::format("{}: is there, {}", set->name, there->string()));
    } catch (const Error& error) {
      failures.push_back({{set}, fmt::format("{}; remove the file first", error.what())});
    }
  }
  if (missing.empty()) return failures;
  const fs::path work = fs::absolute(folder) / "partial";
  create_folder(work, kNameAnotherFolder);
  {
    const DirectoryLock lock(work, "fpsynth data fetch");
    // Remainders of a program that was killed.
    for (const char* rest : {kDownload, kUnpacked, kValues}) discard(work / rest);
    for (FetchFailure& failure : fetch_missing(missing, folder, work, say)) {
      failures.push_back(std::move(failure));
    }
  }
  std::error_code error;
  fs::remove(work, error);  // only if it is empty
  return failures;
}

}  // namespace fpsynth::data
