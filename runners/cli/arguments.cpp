#include "runners/cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <sstream>
#include <system_error>
#include <type_traits>
#include <utility>

#include "runners/codec/cpu/threads.hpp"
#include "synth/common/error.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::cli {
namespace {

/// The command's full name for messages: "fpsynth query best".
std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return (parent ? full_name(*parent) + " " : std::string()) + command.get_name();
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

std::string unknown_command(const CLI::App& app, const std::string& name) {
  const std::vector<std::string> names = commands_of(app);
  return fmt::format("unknown command '{}'{}; the commands of {} are {}", name,
                     suggestion(name, names), full_name(app), fmt::join(names, ", "));
}

std::string unknown_option(const CLI::App& command, const std::string& text) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string name = text.substr(0, text.find('='));
  return fmt::format("unknown option {}{}", name, suggestion(name, names));
}

/// A hint if several of the arguments, `arguments` and those that were taken, name components.
std::string forgotten_quotes(const CLI::App& command, std::vector<std::string> arguments) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    arguments.insert(arguments.end(), option->results().begin(), option->results().end());
  }
  const auto components = std::ranges::count_if(
      arguments, [](const std::string& text) { return synth::parse_component(text).has_value(); });
  return components > 1 ? "; a pipeline of several stages is one argument: put it in quotes" : "";
}

/// Says what is wrong with the arguments. CLI11 names the first thing that it misses, which may
/// only be the consequence of a misspelt word.
std::string explanation(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  std::string what = error.what();
  const std::vector<std::string> unknown = app.remaining(true);
  const auto option = std::ranges::find_if(unknown, [](const std::string& text) {
    return text.size() > 1 && text.front() == '-' && !std::isdigit(text[1]);
  });
  if (option != unknown.end()) {
    what = unknown_option(*command, *option);
  } else if (!unknown.empty() && !commands_of(*command).empty()) {
    what = unknown_command(*command, unknown.front());
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    what = fmt::format("unexpected argument '{}'{}", fmt::join(unknown, " "),
                       forgotten_quotes(*command, unknown));
  } else if (!commands_of(*command).empty()) {
    what = fmt::format("a command is required; those of {} are {}", full_name(*command),
                       fmt::join(commands_of(*command), ", "));
  }
  return fmt::format("{}\n{} --help explains it", what, full_name(*command));
}

/// True if a number has more than 64 bits. CLI11 would take the largest one, and -1 for the same.
bool is_too_large(const std::string& text) {
  std::uint64_t value = 0;
  return std::from_chars(text.data(), text.data() + text.size(), value).ec ==
         std::errc::result_out_of_range;
}

std::string too_large(const std::string& text) {
  return fmt::format("'{}' is more than {}, the most there can be", text, UINT64_MAX);
}

/// Shows values as "N in 1..4096 [1000]": name, range and default.
class Help : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string usual = option->get_default_str();
    if (usual.empty() || !option->get_option_text().empty()) {
      return CLI::Formatter::make_option_opts(option);
    }
    std::string text = fmt::format(" {} [{}]", option->get_type_name(), usual);
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    return text;
  }
};

/// Completions of the last word: a line each, with a tab before its meaning. Empty where it may be
/// a file or a number.
std::string completions(const CLI::App* app, std::span<const char* const> words) {
  const CLI::Option* before = nullptr;
  for (const char* word : words.first(words.size() - 1)) {
    if (std::ranges::count(commands_of(*app), word) != 0) app = app->get_subcommand(word);
    before = app->get_option_no_throw(word);
  }
  std::string text;
  if (before && before->get_items_expected_max() > 0) {
    const std::string type = before->get_type_name();  // TEXT:{double,single,both}
    const std::size_t begin = type.find('{'), end = type.find('}');
    if (end == type.npos) return text;
    text = type.substr(begin + 1, end - begin - 1) + "\n";
    std::ranges::replace(text, ',', '\n');
  } else if (words.back()[0] == '-') {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        text += fmt::format("--{}\t{}\n", name, option->get_description());
      }
    }
  } else {
    for (const CLI::App* command : app->get_subcommands(nullptr)) {
      text += fmt::format("{}\t{}\n", command->get_name(), command->get_description());
    }
  }
  return text;
}

}  // namespace

Option Option::required(bool required) { return Option(*option_->required(required)); }
Option Option::show_default() { return Option(*option_->capture_default_str()); }
Option Option::show_default(const std::string& text) { return Option(*option_->default_str(text)); }
Option Option::value_name(const std::string& name) { return Option(*option_->type_name(name)); }
Option Option::usage(const std::string& text) { return Option(*option_->option_text(text)); }

template <class T>
Option Option::range(T low, T high, const std::string& name) {
  // Limits that only keep numbers in their types are not shown.
  const bool limited = static_cast<double>(high) < 1e9;
  const std::string range = limited ? fmt::format("{}..{}", low, high) : fmt::format("{}..", low);
  const auto complaint = [=](const std::string& text) -> std::string {
    if (std::is_unsigned_v<T> && is_too_large(text)) return too_large(text);
    const bool wraps = std::is_unsigned_v<T> && text.starts_with('-');
    T value{};
    if (!wraps && CLI::detail::lexical_cast(text, value) && value >= low && value <= high) {
      return {};
    }
    return fmt::format("'{}' is not a {}number {} {}", text,
                       std::is_floating_point_v<T> ? "" : "whole ", limited ? "in" : "from",
                       limited ? range : fmt::format("{} up", low));
  };
  option_->check(complaint, "");
  std::string letter = option_->get_type_name();
  if (letter == "INT" || letter == "UINT") letter = "N";
  if (letter == "FLOAT") letter = "X";
  if (limited) letter += " in " + range;
  return value_name(name.empty() ? letter : name);
}
template Option Option::range(int, int, const std::string&);
template Option Option::range(unsigned, unsigned, const std::string&);
template Option Option::range(std::uint64_t, std::uint64_t, const std::string&);
template Option Option::range(double, double, const std::string&);

Option Option::one_of(const std::vector<std::string>& texts) {
  return Option(*option_->check(CLI::IsMember(texts)));
}

Option Option::one_of_any_case(const std::vector<std::string>& texts) {
  return Option(*option_->transform(CLI::IsMember(texts, CLI::ignore_case)));
}

Option Option::sizes() {
  option_->transform(CLI::AsSizeValue(false).description(""));
  const auto complaint = [](std::string& text) -> std::string {
    if (is_too_large(text)) return too_large(text);
    if (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front()))) return {};
    return fmt::format("'{}' is not a number of bytes, such as 1000, 64K or 1M", text);
  };
  option_->transform(
      CLI::Validator(complaint, ""));  // before the other, which would take -1 for 2^64 - 1
  return value_name("SIZE");
}

Option Option::check(std::function<std::string(const std::string&)> complaint,
                     const std::string& description) {
  return Option(*option_->check(std::move(complaint), description));
}

Option Option::separated_by(char separator) { return Option(*option_->delimiter(separator)); }
Option Option::one_value_a_time() { return Option(*option_->allow_extra_args(false)); }
Option Option::excludes(const Option& other) { return Option(*option_->excludes(other.option_)); }

Command Command::add_subcommand(const std::string& name, const std::string& description) {
  return Command(*app_->add_subcommand(name, description));
}

void Command::require_subcommand() { app_->require_subcommand(1); }

template <class T>
Option Command::add_option(const std::string& names, T& variable, const std::string& description) {
  return Option(*app_->add_option(names, variable, description));
}
template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, int&, const std::string&);
template Option Command::add_option(const std::string&, unsigned&, const std::string&);
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option Command::add_option(const std::string&, double&, const std::string&);
template Option Command::add_option(const std::string&, float&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::string>&,
                                    const std::string&);
template Option Command::add_option(const std::string&, std::optional<unsigned>&,
                                    const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::uint64_t>&,
                                    const std::string&);
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&,
                                    const std::string&);
template Option Command::add_option(const std::string&, std::vector<unsigned>&, const std::string&);

Option Command::add_flag(const std::string& name, bool& variable, const std::string& description) {
  return Option(*app_->add_flag(name, variable, description));
}

Option Command::add_threads(int& threads, const std::string& description) {
  const auto complaint = [](const std::string& text) -> std::string {
    const int most = codec::most_threads();
    if (is_in_range(text, 1, static_cast<unsigned>(most))) return {};
    return fmt::format("'{}' is not in 1..{}; more than {} threads gain nothing on {} processor{}",
                       text, most, most, codec::processors(), codec::processors() == 1 ? "" : "s");
  };
  return add_option("--threads", threads, description).value_name("N").check(complaint);
}

void Command::group(const std::string& heading) { app_->option_defaults()->group(heading); }
void Command::footer(const std::string& text) { app_->footer(text); }
void Command::callback(std::function<void()> work) { app_->callback(std::move(work)); }

Program::Program(const std::string& name, const std::string& description,
                 std::function<std::string()> version)
    : app_(std::make_unique<CLI::App>(description)) {
  app_->name(name);
  app_->set_version_flag("--version", std::move(version), "Say what program this is");
  app_->formatter(std::make_shared<Help>());
}

Program::~Program() = default;

Command Program::command() { return Command(*app_); }

int Program::run(int argc, const char* const* argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (argc > 2 && std::string_view(argv[1]) == "--complete") {
    write_output_text(completions(app_.get(), std::span(words).subspan(2)));
    return 0;
  }
  const bool help = argc > 1 && std::string_view(argv[1]) == "help";
  if (help) words.erase(words.begin() + 1);
  // CLI11 would show the help of what contains it if an unknown command is followed by --help.
  const CLI::App* app = app_.get();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::vector<std::string> commands = commands_of(*app);
    if (words[i][0] == '-' || commands.empty()) break;
    if (std::ranges::count(commands, words[i]) == 0) {
      throw UsageError(unknown_command(*app, words[i]));
    }
    app = app->get_subcommand(words[i]);
  }
  if (help) words.push_back("--help");
  try {
    app_->parse(static_cast<int>(words.size()), words.data());
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UsageError(explanation(*app_, error));
    std::ostringstream out, complaint;
    app_->exit(error, out, complaint);  // prints help or the version
    std::string text = out.str();
    // Two empty lines are between the groups of options.
    for (std::size_t at; (at = text.find("\n\n\n")) != text.npos;) text.erase(at, 1);
    write_output_text(text);
    return 0;
  }
}

std::string argument_library() { return "CLI11 " CLI11_VERSION; }

bool is_in_range(const std::string& text, unsigned low, unsigned high) {
  unsigned value = 0;
  return CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
}

}  // namespace fpsynth::cli
