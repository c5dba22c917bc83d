#include "runners/cli/arguments.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "synth/common/error.hpp"
#include "synth/common/standard_streams.hpp"

namespace fpsynth::cli {
namespace {

/// CLI11 says of an unknown command only that one is required.
void refuse_unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::string known;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    if (command->get_name() == argv[1]) return;
    known += " " + command->get_name();
  }
  throw UsageError(fmt::format("unknown command '{}'; the commands are{}", argv[1], known));
}

}  // namespace

Option& Option::required(bool required) {
  option_->required(required);
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::show_default(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Option& Option::value_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::usage(const std::string& text) {
  option_->option_text(text);
  return *this;
}

template <class T>
Option& Option::range(T low, T high, const std::string& name) {
  option_->check(CLI::Range(low, high, name));
  return *this;
}
template Option& Option::range(int, int, const std::string&);
template Option& Option::range(unsigned, unsigned, const std::string&);
template Option& Option::range(std::uint64_t, std::uint64_t, const std::string&);
template Option& Option::range(double, double, const std::string&);

Option& Option::one_of(const std::vector<std::string>& texts) {
  option_->check(CLI::IsMember(texts));
  return *this;
}

Option& Option::one_of_any_case(const std::vector<std::string>& texts) {
  option_->transform(CLI::IsMember(texts, CLI::ignore_case));
  return *this;
}

Option& Option::sizes() {
  option_->transform(CLI::AsSizeValue(false));
  return *this;
}

Option& Option::check(std::function<std::string(const std::string&)> complaint,
                      const std::string& description) {
  option_->check(std::move(complaint), description);
  return *this;
}

Option& Option::separated_by(char separator) {
  option_->delimiter(separator);
  return *this;
}

Option& Option::one_value_a_time() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

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
template Option Command::add_option(const std::string&, std::vector<std::string>&,
                                    const std::string&);
template Option Command::add_option(const std::string&, std::vector<unsigned>&, const std::string&);

Option Command::add_flag(const std::string& name, bool& variable, const std::string& description) {
  return Option(*app_->add_flag(name, variable, description));
}

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::callback(std::function<void()> work) { app_->callback(std::move(work)); }

Program::Program(const std::string& name, const std::string& description,
                 const std::string& version)
    : app_(std::make_unique<CLI::App>(description)) {
  app_->name(name);
  app_->set_version_flag("--version", version);
}

Program::~Program() = default;

Command Program::command() { return Command(*app_); }

int Program::run(int argc, const char* const* argv) {
  refuse_unknown_command(*app_, argc, argv);
  try {
    app_->parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, complaint;
    const int status = app_->exit(error, out, complaint);
    write_error_text(complaint.str());
    write_output_text(out.str());
    return status == 0 ? 0 : 2;
  }
}

bool is_in_range(const std::string& text, unsigned low, unsigned high) {
  unsigned value = 0;
  return CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
}

}  // namespace fpsynth::cli
