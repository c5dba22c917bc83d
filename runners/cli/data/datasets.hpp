#pragma once
// The part of `fpsynth data` that deals with described data sets: list, fetch, verify.

namespace CLI {
class App;
}

namespace fpsynth::cli {

/// Adds them to the command `data`.
void add_data_sets(CLI::App& data);

}  // namespace fpsynth::cli
