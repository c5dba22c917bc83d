#include "runners/timing/compiled/file_cache.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::timing {
namespace {

namespace fs = std::filesystem;

using Sum = XXH128_canonical_t;

Sum sum_of(std::span<const std::byte> bytes) {
  Sum sum;
  XXH128_canonicalFromHash(&sum, XXH3_128bits(bytes.data(), bytes.size()));
  return sum;
}

}  // namespace

std::string content_key(std::span<const std::string_view> texts) {
  std::string all;
  for (const std::string_view text : texts) all += fmt::format("{}:{}", text.size(), text);
  const XXH128_hash_t hash = XXH3_128bits(all.data(), all.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

FileCache::FileCache(const fs::path& folder)
    : folder_(create_folder(folder, "set XDG_CACHE_HOME to another")) {
  std::error_code ignored;
  // Only the user may write to it, because its contents will be executed.
  fs::permissions(folder_, fs::perms::owner_all, ignored);
}

fs::path FileCache::default_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) {
    return fs::path(cache) / "fpsynth";
  }
  if (const char* home = std::getenv("HOME"); home && *home) {
    return fs::path(home) / ".cache" / "fpsynth";
  }
  throw Error("no folder for compiled code: set XDG_CACHE_HOME or HOME");
}

fs::path FileCache::path_of(const std::string& key, std::string_view ending) const {
  return folder_ / fmt::format("{}{}", key, ending);
}

std::optional<std::vector<std::byte>> FileCache::read(const std::string& key,
                                                      std::string_view ending) const {
  const fs::path path = path_of(key, ending);
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  const auto all = std::as_bytes(std::span(text));
  if (all.size() > sizeof(Sum)) {
    const auto bytes = all.first(all.size() - sizeof(Sum));
    const Sum sum = sum_of(bytes);
    if (std::memcmp(bytes.data() + bytes.size(), &sum, sizeof sum) == 0) {
      return std::vector(bytes.begin(), bytes.end());
    }
  }
  std::error_code ignored;
  fs::remove(path, ignored);
  return std::nullopt;
}

std::optional<fs::path> FileCache::find(const std::string& key, std::string_view ending) const {
  if (!read(key, ending)) return std::nullopt;
  return path_of(key, ending);
}

fs::path FileCache::put(const std::string& key, std::string_view ending,
                        std::span<const std::byte> bytes) const {
  const fs::path path = path_of(key, ending);
  AtomicFile file(path);
  file.write(bytes);
  const Sum sum = sum_of(bytes);
  file.write(std::as_bytes(std::span(&sum, 1)));
  file.commit();
  return path;
}

}  // namespace fpsynth::timing
