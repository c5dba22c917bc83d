#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "runners/repack/chunks.hpp"
#include "runners/repack/copier.hpp"
#include "runners/repack/repack.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::repack {
namespace {

namespace fs = std::filesystem;
using data::Extents;

constexpr std::uint64_t kBlockBytes = std::uint64_t{64} << 20;

/// Compares all values of a data set, and tells how many bytes were compared.
void verify_values(data::StoredFile& before, data::StoredFile& after, Planned& one,
                   const data::StoredDataset& written,
                   const std::function<void(std::uint64_t)>& done) {
  const data::StoredDataset& dataset = one.dataset;
  const std::uint64_t most = std::max<std::uint64_t>(kBlockBytes / dataset.word_bytes, 1);
  std::vector<std::byte> mine, theirs;
  for_blocks(dataset.extents, one.chunk, dataset.chunk, most,
             [&](const Extents& origin, const Extents& block) {
               mine.resize(volume(block) * dataset.word_bytes);
               theirs.resize(mine.size());
               before.read(dataset, origin, block, mine);
               after.read(written, origin, block, theirs);
               if (mine != theirs) {
                 raise(
                     "its values from {} on are others in the new file, which is a fault of this "
                     "program; report it",
                     fmt::join(origin, ","));
               }
               done(mine.size());
             });
}

}  // namespace

void verify(const fs::path& file, const fs::path& out, Plan& plan, const Options& options) {
  const data::StoredFunctions& functions = data::stored_functions();
  std::vector<std::string> verified;
  try {
    const auto before = functions.open(file), after = functions.open(out);
    std::map<std::string, data::StoredDataset> written;
    for (data::StoredDataset& one : after->datasets()) written.emplace(one.name(), std::move(one));
    Step step;
    for (const Planned& one : plan.datasets) step.all += one.left.empty() ? one.dataset.bytes() : 0;
    for (Planned& one : plan.datasets) {
      const std::string name = one.dataset.name();
      const auto fail = [&](const std::string& what) {
        raise("{}:{}: {}", file.string(), name, what);
      };
      const auto found = written.find(name);
      if (found == written.end()) fail("h5repack did not copy it; report it");
      const data::StoredDataset& its = found->second;
      one.bytes = its.stored_bytes;
      if (!one.left.empty()) continue;
      if (its.extents != one.dataset.extents || its.chunk != one.chunk ||
          its.filters != "fpsynth") {
        fail(fmt::format("h5repack did not give it the filter, but {}",
                         its.filters.empty() ? "none" : its.filters));
      }
      step.what = "comparing " + name;
      const std::uint64_t end = step.done + one.dataset.bytes();
      try {
        verify_values(*before, *after, one, its, [&](std::uint64_t bytes) {
          step.done = std::min(end, step.done + bytes);
          options.progress(step);
        });
      } catch (const Error& error) {
        fail(error.what());
      }
      step.done = end;
      verified.push_back(name);
    }
  } catch (const Error&) {
    refuse_full_disk(out, options.target);
    throw;
  }
  std::ranges::sort(verified);
  try {
    options.progress({"comparing what was left as it is"});
    functions.compare(file, out, verified);
  } catch (const Error& error) {
    refuse_full_disk(out, options.target);
    raise("{}: h5repack made another file of it: {}", file.string(), error.what());
  }
}

}  // namespace fpsynth::repack
