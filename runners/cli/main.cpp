#include <fmt/core.h>

#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "runners/cli/arguments.hpp"
#include "runners/cli/commands.hpp"
#include "synth/common/ending_signals.hpp"
#include "synth/common/error.hpp"
#include "synth/common/mapped_file.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/system_reason.hpp"

namespace {

/// The exit status, and the signal that interrupted the work, 0 if none did.
struct End {
  int status = 0, signal = 0;
};

End complain(std::string_view message, int status = 1, int signal = 0) {
  fpsynth::print_error("fpsynth: {}\n", message);
  return {status, signal};
}

/// Runs `work` and prints its error, if any.
template <class Work>
End end_of(Work work) {
  try {
    return {work(), 0};
  } catch (const fpsynth::Interrupted& error) {
    return complain(error.what(), error.status(), error.signal());
  } catch (const fpsynth::Error& error) {
    return complain(error.what(), error.status());
  } catch (const std::bad_alloc&) {
    return complain(fpsynth::no_memory_message());
  } catch (const std::length_error&) {  // a size beyond any memory
    return complain(fpsynth::no_memory_message());
  } catch (const std::system_error& error) {
    if (std::ferror(stdout)) return {1, 0};  // output_error() reports it
    if (error.code() == std::errc::resource_unavailable_try_again) {
      return complain(fpsynth::no_threads_message(error.code().message()));
    }
    return complain(error.what());
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}

int run(int argc, char** argv) {
  fpsynth::cli::Program program(
      "fpsynth", "fpsynth: lossless floating-point compressors, synthesized by exhaustive search",
      fpsynth::cli::version_text);
  fpsynth::cli::Command app = program.command();
  app.require_subcommand();
  app.footer("fpsynth COMMAND --help explains a command and shows examples.");
  for (auto add : {fpsynth::cli::add_search, fpsynth::cli::add_query, fpsynth::cli::add_compress,
                   fpsynth::cli::add_decompress, fpsynth::cli::add_inspect, fpsynth::cli::add_data,
                   fpsynth::cli::add_baseline, fpsynth::cli::add_compare,
                   fpsynth::cli::add_generate, fpsynth::cli::add_bench}) {
    add(app);
  }
  return program.run(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  fpsynth::open_closed_streams();
  fpsynth::prepare_ending_signals();
  fpsynth::guard_mapped_files();
  End end = end_of([&] { return run(argc, argv); });
  if (end.status == 0) {
    end = end_of([] {
      fpsynth::refuse_unnoticed_losses();
      return 0;
    });
  }
  // The output may be lost: a full disk shows only at the last flush.
  if (const int error = fpsynth::output_error()) {
    end.status = 1;
    complain(fmt::format("cannot write to standard output: {}",
                         fpsynth::reason_and_advice(error, "check where it goes to")));
  }
  if (end.signal != 0) fpsynth::end_by(end.signal);
  fpsynth::ends_by_itself();
  return end.status;
}
