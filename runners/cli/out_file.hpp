#pragma once
// --out of commands that write one document.

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "runners/cli/arguments.hpp"

namespace fpsynth::cli {

/// Refuses to write to what exists: throws Error unless it is an empty regular file, or one of
/// which `is_earlier` says that it is an earlier document of the same kind. `document` names the
/// kind: "fpsynth-tables".
void check_out(const std::filesystem::path& out, std::string_view document,
               const std::function<bool(const std::filesystem::path&)>& is_earlier);

/// The same for JSON documents, whose first member is "schema".
void check_out(const std::filesystem::path& out, std::string_view schema);

/// Adds --out. The file is checked before the command does anything: what it would replace may be
/// the result of long work.
void add_out(Command command, std::string& out, const std::string& description,
             std::string_view schema);

}  // namespace fpsynth::cli
