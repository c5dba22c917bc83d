#include <algorithm>
#include <fpsynth/results.hpp>

#include "results/documents/document_file.hpp"
#include "results/documents/means.hpp"
#include "results/documents/runs.hpp"
#include "runners/library/content.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth {
namespace {

RankedPipeline ranked(const results::Document& document, std::uint64_t id) {
  const synth::Method method = document.space.method_at(id);
  return {.pipeline = synth::to_string(method),
          .id = results::whole_id(document.space, id),
          .compressed_bytes = document.compressed_bytes(id),
          .ratio = document.ratio(id),
          .prelude = synth::to_string(method.prelude)};
}

}  // namespace

DataFacts Results::data() const {
  const results::DataSet& data = content_->document.data;
  return {.name = data.name,
          .word_bytes = synth::word_bytes(data.precision),
          .bytes = data.bytes,
          .values = data.values,
          .searched_bytes = content_->document.sampled_bytes,
          .xxh3 = data.xxh3,
          .source = data.source};
}

RunFacts Results::run() const {
  const results::Run& run = content_->document.run;
  return {.version = run.program_version,
          .device = run.device,
          .verification = run.verification,
          .sample = run.sample,
          .chunks_total = run.chunks_total,
          .chunks_done = run.chunks_done,
          .complete = run.complete,
          .seconds = run.seconds};
}

std::uint64_t Results::pipelines() const { return content_->document.payload_bytes.size(); }

std::string Results::space() const { return content_->document.space.describe(); }

RankedPipeline Results::best() const {
  const results::Document& document = content_->document;
  if (document.ranking.empty()) {
    raise("{}: no pipeline decodes; there is no best one", document.data.name);
  }
  return ranked(document, document.ranking.front());
}

std::vector<RankedPipeline> Results::ranking(std::size_t most) const {
  const results::Document& document = content_->document;
  std::vector<RankedPipeline> list;
  for (std::size_t place = 0; place < std::min(most, document.ranking.size()); ++place) {
    list.push_back(ranked(document, document.ranking[place]));
  }
  return list;
}

std::optional<RankedPipeline> Results::find(std::string_view pipeline) const {
  const results::Document& document = content_->document;
  synth::Method method = synth::parse_method(pipeline);
  method.pipeline = document.space.padded(method.pipeline);
  const auto id = document.space.id_of(method);
  if (!id) return std::nullopt;
  return ranked(document, *id);
}

std::vector<std::string> Results::failed() const {
  const results::Document& document = content_->document;
  std::vector<std::string> list;
  for (const std::uint64_t id : document.failed) {
    list.push_back(synth::to_string(document.space.method_at(id)));
  }
  return list;
}

void Results::write(const std::filesystem::path& path) const {
  results::write_document(path, content_->document);
}

Results read_results(const std::filesystem::path& file) {
  return ResultsMaker::make(results::read_document(file));
}

std::vector<Results> read_results_folder(const std::filesystem::path& folder) {
  std::vector<Results> list;
  const results::Runs runs = results::load_runs(folder);
  for (const results::Document& document : runs.documents()) {
    list.push_back(ResultsMaker::make(document));
  }
  return list;
}

}  // namespace fpsynth
