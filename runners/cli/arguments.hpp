#pragma once
// The command line: commands, their options and their help. It is implemented with CLI11, which
// only arguments.cpp includes, because its headers take longer to compile than any command.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fpsynth::cli {

/// One option, flag or positional argument of a Command. The Command owns it; copies refer to the
/// same one. Each function returns the option, so that calls can be chained.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option required(bool required = true);
  /// Shows a default in the help: the value that the variable has now, or the given text.
  Option show_default();
  Option show_default(const std::string& text);
  /// Sets what the help calls the value, instead of TEXT, INT and so on.
  Option value_name(const std::string& name);
  /// Sets all that the help shows between the option's name and its description.
  Option usage(const std::string& text);

  /// Refuses numbers that are not in low..high; T is int, unsigned, std::uint64_t or double. The
  /// help shows "N in low..high" (large upper limits are left out), with the name that
  /// value_name() set before instead of N, or only `name`.
  template <class T>
  Option range(T low, T high, const std::string& name = {});
  /// Refuses texts that are not in the list.
  Option one_of(const std::vector<std::string>& texts);
  /// As one_of(), but ignores case; the variable gets the text as it is in the list.
  Option one_of_any_case(const std::vector<std::string>& texts);
  /// The value is a number of bytes and may have a suffix: 64K is 64 * 1024.
  Option sizes();
  /// `complaint` is passed what was typed and returns what is wrong with it, or an empty text.
  Option check(std::function<std::string(const std::string&)> complaint,
               const std::string& description = {});

  /// For a vector: one argument may hold several values, separated by this character.
  Option separated_by(char separator);
  /// For a vector: each use of the option has one value, so that positional arguments may follow.
  Option one_value_a_time();
  /// Refuses calls with both options.
  Option excludes(const Option& other);

 private:
  CLI::Option* option_;
};

/// A command and its subcommands. The Program owns them; copies refer to the same one.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command add_subcommand(const std::string& name, const std::string& description);
  /// Refuses calls without a subcommand.
  void require_subcommand();

  /// `names` is "--name", "--name,--other", or "NAME" of a positional argument. The option
  /// sets `variable`, which must outlive the parsing (callbacks own their variables). T is
  /// std::string, int, unsigned, std::uint64_t, double, float, std::optional of std::string,
  /// unsigned, std::uint64_t or double, or std::vector of std::string or unsigned.
  template <class T>
  Option add_option(const std::string& names, T& variable, const std::string& description);
  Option add_flag(const std::string& name, bool& variable, const std::string& description);
  /// Adds --threads, from 1 to codec::most_threads(); `threads` stays 0 if it is left out.
  Option add_threads(int& threads, const std::string& description);

  /// The options that are added from now on stand under this heading in the help.
  void group(const std::string& heading);
  /// Sets the end of the help: examples.
  void footer(const std::string& text);
  /// Sets what the command does. It is called when all arguments are parsed, and may throw.
  void callback(std::function<void()> work);

 private:
  CLI::App* app_;
};

/// The program's whole command line.
class Program {
 public:
  /// `version` returns what --version prints.
  Program(const std::string& name, const std::string& description,
          std::function<std::string()> version);
  ~Program();

  /// The command to which the others are added.
  Command command();
  /// Parses the arguments and calls the command's callback. Returns 0. Throws UsageError for wrong
  /// arguments, naming what was probably meant, and whatever the callback throws.
  int run(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

/// The library that parses the arguments, with its version: "CLI11 2.3.2".
std::string argument_library();

/// True if a text is a number in [low, high], as Option::range() reads it.
bool is_in_range(const std::string& text, unsigned low, unsigned high);

// --out of commands that write one document (out_file.cpp).

/// Refuses to write to what exists: throws Error unless it is an empty regular file, or an earlier
/// JSON document, whose first member is this schema.
void check_out(const std::filesystem::path& out, std::string_view schema);

/// Adds --out. The file is checked before the command does anything: what it would replace may be
/// the result of long work, and so may be what cannot be written. `makes_folders`: the command may
/// make the folder of the file.
void add_out(Command command, std::string& out, const std::string& description,
             std::string_view schema, bool makes_folders = false);

}  // namespace fpsynth::cli
