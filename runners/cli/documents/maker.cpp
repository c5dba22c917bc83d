#include "runners/cli/documents/maker.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "runners/cli/commands.hpp"
#include "synth/common/atomic_file.hpp"
#include "synth/common/error.hpp"
#include "synth/common/json.hpp"
#include "synth/common/printable.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {

namespace fs = std::filesystem;

std::string outdated(const fs::path& document, const std::string& command,
                     std::span<const fs::path> sources) {
  std::error_code error;
  const auto made = fs::last_write_time(document, error);
  if (error) return "is not there";
  try {
    const JsonFile file = JsonFile::read(document, JsonAuthor::Program);
    const JsonValue root = file.root(), by = root["program"];
    if (by["version"].text() != synth::kVersion || by["commit"].text() != synth::kCommit ||
        by["compiler"].text() != synth::kCompiler) {
      return "is of another build of fpsynth";
    }
    const std::string typed = root["command"].text();
    if (!typed.substr(0, typed.find(" --out ")).ends_with(" " + command)) {
      return "is of another command";
    }
  } catch (const Error&) {
    return "is damaged";
  }
  for (const fs::path& source : sources) {
    if (fs::last_write_time(source, error) > made) return "is older than " + source.string();
  }
  return {};
}

Maker::Maker(std::string name, fs::path folder, bool lists)
    : name_(std::move(name)), folder_(std::move(folder)), lists_(lists) {}

bool Maker::is_current(const std::string& stem) const {
  std::error_code error;
  return fs::exists(path(stem), error) && !listed_.contains(path(stem));
}

bool Maker::has(const std::string& stem) const {
  return is_current(stem) || listed_.contains(path(stem));
}

void Maker::make(const std::string& stem, Words command, const Files& sources) {
  ++asked_;
  const fs::path document = path(stem);
  std::string why = outdated(document, fmt::format("{}", fmt::join(command, " ")), sources);
  const auto made = [&](const fs::path& source) { return listed_.contains(source); };
  if (const auto source = std::ranges::find_if(sources, made); source != sources.end()) {
    why = fmt::format("is made of {}", source->filename().string());
  }
  if (why.empty()) return;
  ++made_;
  command.insert(command.end(), {"--out", document.string()});
  run(command, document.filename().string() + " " + why);
  if (lists_) listed_.insert(document);
}

void Maker::run(const Words& command, const std::string& why) {
  const std::string line = fmt::format("{}: {}", why, command_text(command));
  if (lists_) return write_output_text(fmt::format("{}: {}\n", name_, printable(line)));
  note(line);
  create();
  run_command(command);
}

void Maker::create() const {
  if (!lists_) create_folder(folder_, "name another directory with --runs");
}

void Maker::put(const fs::path& path, const std::string& text) const {
  std::ifstream stream(path, std::ios::binary);
  const std::string before{std::istreambuf_iterator<char>(stream), {}};
  if (before == text || lists_) return;
  create();
  write_whole(path, text);
}

void Maker::end() const {
  if (asked_ == 0) return;
  write_output_text(fmt::format("{}: {} {}, {} up to date\n", printable(folder_.string()),
                                counted(made_, "document"), lists_ ? "would be made" : "made",
                                asked_ - made_));
}

void Maker::note(const std::string& text) const {
  print_error("{}: {}\n", printable(name_), printable(text));
}

}  // namespace fpsynth::cli
