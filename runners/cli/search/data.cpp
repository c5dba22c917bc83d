#include "runners/cli/search/data.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "results/documents/data_set.hpp"
#include "results/documents/document_file.hpp"
#include "runners/cli/studies.hpp"
#include "synth/common/error.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {

std::vector<results::PlannedDocument> check_data(data::Study& study, std::uint64_t sample,
                                                 std::size_t chunk_words) {
  std::vector<synth::Precision> natives;
  std::vector<std::uint64_t> chunks;
  for (const data::StudyItem& item : study.items) {
    results::document_path("", item.name, synth::Precision::Double);  // throws for a bad name
    const data::Input input = item.open();
    natives.push_back(input.native());
    chunks.push_back(results::chunks_of(input.view().words, sample, chunk_words));
    if (input.view().words == 0) {
      throw Error(fmt::format("{}: a file of {} holds no whole word of {} bytes; nothing to search",
                              item.name, counted(input.bytes().size(), "byte"),
                              synth::word_bytes(input.native())));
    }
  }
  if (study.precisions.empty()) {
    const bool doubles = std::ranges::count(natives, synth::Precision::Double) > 0;
    study.precisions = {doubles ? synth::Precision::Double : synth::Precision::Single};
  }
  std::vector<results::PlannedDocument> documents;
  std::size_t singles = 0;
  for (std::size_t i = 0; i < natives.size(); ++i) {
    std::vector<synth::Precision> precisions = study.precisions;
    if (natives[i] == synth::Precision::Single) {
      const data::Input input = study.items[i].open();
      precisions = precisions_of(study.precisions, input);
      singles += precisions.size() < study.precisions.size();
      input.in(precisions.front());  // throws if singles are to be doubles
    }
    for (const synth::Precision precision : precisions) {
      documents.push_back({study.items[i].name, precision, chunks[i]});
    }
  }
  if (singles > 0) {
    print_error("note: {} single-precision values and {} searched in single precision alone\n",
                by_count(singles, "a data set holds", fmt::format("{} data sets hold", singles)),
                by_count(singles, "is", "are"));
  }
  return documents;
}

}  // namespace fpsynth::cli
