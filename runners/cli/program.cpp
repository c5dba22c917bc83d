#include "runners/cli/commands.hpp"

#include <fmt/core.h>

#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "runners/cli/arguments.hpp"
#include "runners/cluster/ranks.hpp"
#include "runners/data/reading.hpp"
#include "synth/common/ending_signals.hpp"
#include "synth/common/error.hpp"
#include "synth/common/mapped_file.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {
namespace {

cluster::Ranks* all_ranks = nullptr;
std::span<char* const> words_typed;

bool is_beside() { return all_ranks && all_ranks->rank() > 0; }

struct End {
  int status = 0;
  int signal = 0;  ///< the one that interrupted the work, 0 if none did
};

/// Rank 0 prints the errors of all.
End complain(std::string_view message, int status = 1, int signal = 0) {
  if (all_ranks) all_ranks->fail(std::string(message));
  if (!is_beside())
    print_error("fpsynth: {}\n", printable(message, "\n\t"));  // it may quote a file
  return {status, signal};
}

/// " for data.f64 of 8000000 bytes", the largest file that the command line names; empty if it
/// names none.
std::string largest_file() {
  std::string text;
  std::uintmax_t most = 0;
  for (const char* word : words_typed) {
    std::error_code error;
    const std::filesystem::path file = data::place_of(word).file;
    if (word == words_typed.front() || !std::filesystem::is_regular_file(file, error)) continue;
    const std::uintmax_t bytes = std::filesystem::file_size(file, error);
    if (error || bytes <= most) continue;
    most = bytes;
    text = fmt::format(" for {} of {} bytes", file.string(), bytes);
  }
  return text;
}

/// Runs `work` and prints its error, if any.
template <class Work>
End end_of(Work work) {
  try {
    return {work()};
  } catch (const Interrupted& error) {
    return complain(error.what(), error.status(), error.signal());
  } catch (const Error& error) {
    return complain(error.what(), error.status());
  } catch (const std::system_error&) {
    if (std::ferror(stdout)) return {1};  // output_error() reports it
    return complain(caught_message());
  } catch (const std::exception&) {
    return complain(caught_message(largest_file()));
  }
}

int run(int argc, char** argv) {
  Program program("fpsynth",
                  "fpsynth: lossless floating-point compressors, synthesized by exhaustive search",
                  version_text);
  Command app = program.command();
  app.require_subcommand();
  app.footer(
      "fpsynth help COMMAND explains a command and shows examples, as does --help behind it.");
  for (auto add : {add_search, add_merge, add_query, add_compress, add_decompress, add_inspect,
                   add_explain, add_data, add_baseline, add_compare, add_generate, add_repack,
                   add_hdf5, add_bench, add_gpu}) {
    add(app);
  }
  return program.run(argc, argv);
}

}  // namespace

cluster::Ranks* cluster_ranks() { return all_ranks; }

std::span<char* const> typed_words() { return words_typed; }

int run_program(int argc, char** argv, cluster::Ranks* ranks) {
  words_typed = {argv, std::size_t(argc)};
  all_ranks = ranks;
  open_closed_streams();
  prepare_ending_signals();
  guard_mapped_files();
  if (is_beside()) silence_streams();  // rank 0 prints what there is to print
  const bool shares = argc >= 2 && std::strcmp(argv[1], "search") == 0;
  End end;
  if (shares || !is_beside()) end = end_of([&] { return run(argc, argv); });
  if (end.status == 0) {
    end = end_of([] {
      refuse_unnoticed_losses();
      return 0;
    });
  }
  // The output may be lost: a full disk shows only at the last flush.
  if (const int error = output_error()) {
    end.status = 1;
    complain(fmt::format("cannot write to standard output: {}",
                         reason_and_advice(error, "check where it goes to")));
  }
  if (ranks) {
    const std::string error = ranks->end();
    if (!error.empty()) complain(error);  // that rank has its exit status
  }
  if (end.signal != 0 && !ranks) end_by(end.signal);
  ends_by_itself();
  constexpr int kSignalled = 128;  // as shells say it; a signal would end the other ranks early
  return end.signal != 0 ? kSignalled + end.signal : end.status;
}

}  // namespace fpsynth::cli
