#include "runners/cli/arguments.hpp"

#include <fmt/core.h>

#include <cctype>
#include <fstream>
#include <system_error>

#include "synth/common/atomic_file.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::cli {
namespace {

namespace fs = std::filesystem;

/// True if a file begins with {"schema": "SCHEMA", whatever the blanks between.
bool begins_with_schema(const fs::path& path, std::string_view schema) {
  const std::string beginning = fmt::format("{{\"schema\":\"{}\"", schema);
  std::ifstream stream(path, std::ios::binary);
  std::string read;
  char next = 0;
  while (read.size() < beginning.size() && stream.get(next)) {
    if (std::isspace(static_cast<unsigned char>(next))) continue;
    read += next;
    if (!beginning.starts_with(read)) return false;
  }
  return read == beginning;
}

/// Throws Error unless a file of this name can be created.
void check_creation(const fs::path& path) {
  check_length_of_name(path);
  const AtomicFile created(path);
}

}  // namespace

void check_out(const fs::path& out, std::string_view schema) {
  std::error_code error;
  const fs::file_status status = fs::status(out, error);
  if (!fs::exists(status)) return;
  if (fs::is_directory(status)) {
    raise("cannot write {}: it is a directory; name a file", out.string());
  }
  if (!fs::is_regular_file(status)) {
    raise(
        "cannot write {}: it is no regular file, and would be replaced; name another one with "
        "--out",
        out.string());
  }
  if (fs::file_size(out, error) == 0 || begins_with_schema(out, schema)) return;
  raise(
      "{} exists and is no earlier document of this kind ({}), which --out would replace; choose "
      "another name, or remove the file",
      out.string(), schema);
}

void add_out(Command command, std::string& out, const std::string& description,
             std::string_view schema, bool makes_folders) {
  command.add_option("--out", out, description)
      .check([schema = std::string(schema), makes_folders](const std::string& path) {
        check_out(path, schema);
        if (!makes_folders) check_creation(path);
        return std::string();
      });
}

}  // namespace fpsynth::cli
