#pragma once
// Documents that commands of the program write, made where they are missing or outdated.

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace fpsynth::cli {

using Words = std::vector<std::string>;
using Files = std::vector<std::filesystem::path>;

/// The reason to make a document again: "is not there", "is damaged", "is of another build of
/// fpsynth", "is of another command", "is older than FILE". Empty if it is up to date. `command` is
/// without the program and --out; `sources` are the files that the command reads.
std::string outdated(const std::filesystem::path& document, const std::string& command,
                     std::span<const std::filesystem::path> sources);

/// Makes documents in a folder. Each is whole or not there, so that a call after an interruption
/// goes on where the first one stopped.
class Maker {
 public:
  /// `name` begins the notes. With `lists`, nothing is made: what would be is printed.
  Maker(std::string name, std::filesystem::path folder, bool lists);

  std::filesystem::path path(const std::string& stem) const { return folder_ / (stem + ".json"); }
  const std::string& name() const { return name_; }
  bool lists() const { return lists_; }
  /// True if a document is there, and was not listed to be made again.
  bool is_current(const std::string& stem) const;
  /// True if a document is there, or was listed.
  bool has(const std::string& stem) const;

  /// Makes a document with a command, after a note, unless it is up to date. Throws what
  /// run_command() throws.
  void make(const std::string& stem, Words command, const Files& sources);
  /// Runs a command that writes elsewhere, after a note.
  void run(const Words& command, const std::string& why);
  /// Creates the folder, as make(), run() and put() do.
  void create() const;
  /// Writes a file unless it has this text: documents are older than a source that is written.
  void put(const std::filesystem::path& path, const std::string& text) const;
  /// Prints a line on standard error, which begins with the name.
  void note(const std::string& text) const;
  /// Prints how many documents were made, and how many were to be.
  void end() const;

 private:
  std::string name_;
  std::filesystem::path folder_;
  bool lists_;
  std::size_t made_ = 0, asked_ = 0;
  std::set<std::filesystem::path> listed_;
};

}  // namespace fpsynth::cli
