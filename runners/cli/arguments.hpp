#pragma once
// The command line: commands, their options and their help. CLI11 does the work, and arguments.cpp
// alone includes it: its headers take longer to compile than any command.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fpsynth::cli {

/// One option, flag or positional argument of a Command, which owns it: copies mean the same one.
/// Each function returns the option, for the next one.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& required(bool required = true);
  /// The help shows the value that the variable has now, or the text that is given.
  Option& show_default();
  Option& show_default(const std::string& text);
  /// What the help calls the value, in the place of TEXT, INT and so on.
  Option& value_name(const std::string& name);
  /// All that the help shows between the option's name and its description.
  Option& usage(const std::string& text);

  /// Refuses numbers that are not in low..high; T is int, unsigned, std::uint64_t or double. The
  /// help shows "N in low..high" (without limits that nobody meets), or what value_name() said
  /// before in N's place, or only `name`.
  template <class T>
  Option& range(T low, T high, const std::string& name = {});
  /// Refuses all other texts.
  Option& one_of(const std::vector<std::string>& texts);
  /// The same in upper or lower case; the variable gets the text as it is in the list.
  Option& one_of_any_case(const std::vector<std::string>& texts);
  /// Numbers of bytes may have a suffix: 64K is 64 * 1024.
  Option& sizes();
  /// `complaint` gets what was typed and returns what is wrong with it, or an empty text.
  Option& check(std::function<std::string(const std::string&)> complaint,
                const std::string& description = {});

  /// Of a vector: its values may stand in one argument, with this character between them.
  Option& separated_by(char separator);
  /// Of a vector: each mention of the option takes one value, so that positional arguments may come
  /// after it.
  Option& one_value_a_time();
  /// Refuses both options at once.
  Option& excludes(const Option& other);

 private:
  CLI::Option* option_;
};

/// A command and its subcommands. The Program owns them: copies mean the same one.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command add_subcommand(const std::string& name, const std::string& description);
  /// Refuses calls without one of the subcommands.
  void require_subcommand();

  /// `names` is "--name", "--name,--other", or "NAME" of a positional argument. `variable` is what
  /// the option sets, and must outlive the parsing; callbacks own theirs. T is std::string, int,
  /// unsigned, std::uint64_t, double, float, std::optional of std::string or unsigned, or
  /// std::vector of std::string or unsigned.
  template <class T>
  Option add_option(const std::string& names, T& variable, const std::string& description);
  Option add_flag(const std::string& name, bool& variable, const std::string& description);
  /// The option --threads, from 1 to codec::most_threads(); left out, `threads` stays 0.
  Option add_threads(int& threads, const std::string& description);

  /// What the help ends with: examples.
  void footer(const std::string& text);
  /// What the command does, called once all arguments are parsed. May throw.
  void callback(std::function<void()> work);

 private:
  CLI::App* app_;
};

/// The program's command line as a whole.
class Program {
 public:
  /// `version` gives what --version prints.
  Program(const std::string& name, const std::string& description,
          std::function<std::string()> version);
  ~Program();

  /// What commands are added to.
  Command command();
  /// Parses the arguments and calls the command's callback. Returns 0. Throws UsageError for wrong
  /// arguments, with the name that was probably meant, and what the callback throws.
  int run(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

/// The library that does the work, with its version: "CLI11 2.3.2".
std::string argument_library();

/// Whether a text is a number in [low, high], as Option::range() reads it.
bool is_in_range(const std::string& text, unsigned low, unsigned high);

}  // namespace fpsynth::cli
