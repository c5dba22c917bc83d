#include "runners/data/description.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include "runners/data/synthetic_sets.hpp"
#include "synth/common/error.hpp"

namespace fpsynth::data {

results::DataSet description_of(const Input& input) {
  const View view = input.view();
  return {.name = input.name(),
          .bytes = view.bytes.size(),
          .values = view.words,
          .xxh3 = fmt::format("{:016x}", XXH3_64bits(view.bytes.data(), view.bytes.size())),
          .precision = input.native(),
          .source = input.path().empty() ? kSyntheticSource : input.path().string(),
          .tail_bytes = view.tail};
}

Input open_described(const results::DataSet& data) {
  const auto open = [&] {
    if (data.source == kSyntheticSource)
      return make_input(synthetic_set(data.name), 8 * data.values);
    // What the file was said to hold, its size tells: doubles unless it is that of the singles.
    Input input = open_input(data.source, Precision::Double);
    const bool singles = data.precision == Precision::Single && input.bytes().size() == data.bytes;
    return singles ? open_input(data.source, Precision::Single) : input;
  };
  Input input = open().in(data.precision).named(data.name);
  if (description_of(input).xxh3 != data.xxh3) {
    throw Error(
        fmt::format("{} ({}): {} does not hold the data that was searched: its checksum differs; "
                    "restore it, or search again",
                    data.name, synth::to_string(data.precision), data.source));
  }
  return input;
}

}  // namespace fpsynth::data
