#include "results/queries/papers/claims.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "results/documents/means.hpp"
#include "results/queries/papers/published.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::results {
namespace {

using synth::Precision;

Evidence evidence_of(const SearchedSpace& space) {
  Evidence evidence{.winners = {}, .best = {}, .measured = space.measured, .space = &space};
  for (const Document* document : space.runs.searched()) {
    if (document->ranking.empty()) continue;
    evidence.winners.push_back({document->data.name, document->data.precision,
                                document->space.at(document->ranking.front())});
  }
  for (const Precision precision : kPaperPrecisions) {
    const Means means(space.runs.of(precision));
    if (const auto id = means.best()) evidence.best[precision] = means.space().at(*id);
  }
  return evidence;
}

/// The pipelines of the MPC paper's Table II, and the papers' ratios.
Evidence published_evidence() {
  Evidence evidence;
  evidence.measured = published_measurements();
  for (const Published& figure : PublishedFigures::built_in().figures()) {
    if (figure.table != "II") continue;
    const synth::Pipeline pipeline = figure.pipeline();
    if (figure.data_set == kHarmonicMean) {
      evidence.best[figure.precision] = pipeline;
    } else {
      evidence.winners.push_back(
          {figure.data_set, figure.precision, pipeline, figure.cut_known && !figure.cut_inferred});
    }
  }
  return evidence;
}

std::size_t data_sets(const SearchedSpace& space) {
  std::set<std::string> names;
  for (const Document* document : space.runs.searched()) names.insert(document->data.name);
  return names.size();
}

bool synthetic(const SearchedSpace& space) {
  return std::ranges::any_of(space.runs.documents(), [](const Document& document) {
    return document.data.source == kSyntheticSource;
  });
}

bool is_rle(synth::Component component) { return to_string(component).starts_with("RL"); }

/// The form of RLE that a space has: our "RLE", the paper's "RLP", or "no RLE".
std::string rle_of(const SearchedSpace& space) {
  const auto& last = space.runs.space().last;
  const auto found = std::ranges::find_if(last, is_rle);
  return found == last.end() ? "no RLE" : to_string(*found);
}

synth::Space without_rle(synth::Space space) {
  std::erase_if(space.components, is_rle);
  std::erase_if(space.last, is_rle);
  return space;
}

/// The first thing that a claim needs and a space does not have, so that the claim holds there of
/// itself; empty if it has all.
std::string lacking(const JsonValue& claim, const synth::Space& space) {
  if (!claim.has("needs")) return "";
  std::set<std::string> there;
  for (const synth::Component one : space.components) there.insert(to_string(one));
  if (std::ranges::any_of(space.last, is_rle)) there.insert("RLE");
  if (space.cuts.size() > 1) there.insert("|");
  for (const JsonValue& need : claim["needs"].items()) {
    if (!there.contains(need.text())) return need.text() == "|" ? "choice of cuts" : need.text();
  }
  return "";
}

/// The verdicts that differ between spaces which differ in RLE alone: "does not hold with RLE
/// (built), holds with no RLE (without_rle)"; empty if none.
std::string turns_on_rle(const std::vector<SearchedSpace>& spaces,
                         const std::vector<std::string_view>& verdicts) {
  const auto told = [&](std::size_t i) {
    return verdicts[i] != kCannot && verdicts[i] != kNotMeasured;
  };
  std::set<std::size_t> turning;
  for (std::size_t a = 0; a < spaces.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (verdicts[a] == verdicts[b] || !told(a) || !told(b)) continue;
      if (without_rle(spaces[a].runs.space()) != without_rle(spaces[b].runs.space())) continue;
      turning.insert({a, b});
    }
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    if (turning.empty() || !told(i)) continue;
    parts.push_back(fmt::format("{} with {} ({})", verdicts[i], rle_of(spaces[i]), spaces[i].name));
  }
  return joined(parts, ", ");
}

/// The paper's own words, in place of a count that can be made in its Table II.
std::string stated(const JsonValue& claim) {
  if (claim.has("figures")) return claim["figures"].text();
  if (!claim.has("text")) return "without figures";
  const JsonValue text = claim["text"];
  return fmt::format("{} %, except on {} of {} data sets", text["percent"].whole(),
                     text["exceptions"].whole(), text["data_sets"].whole());
}

/// Null if a claim cannot be tested.
Rule rule_of(const JsonValue& claim) {
  for (const auto* all : {&rules_of_winners(), &rules_of_searches(), &rules_of_measurements(),
                          &rules_of_sweeps(), &rules_of_speeds()}) {
    if (const auto found = all->find(claim["id"].text()); found != all->end()) return found->second;
  }
  return nullptr;
}

/// The verdict on a claim about GPUs; the numbers of a processor stand beside it alone.
Finding judged_on_gpu(Rule rule, const JsonValue& claim, Evidence evidence) {
  std::vector<Measurement> others;
  std::ranges::copy_if(evidence.measured, std::back_inserter(others), std::logical_not(),
                       &Measurement::gpu);
  std::erase_if(evidence.measured, [](const Measurement& one) { return !one.gpu; });
  if (Finding finding = rule(claim, evidence); finding.verdict != kNotMeasured) return finding;
  evidence.measured = std::move(others);
  Finding finding = rule(claim, evidence);
  std::string text(kOnGpu);
  if (finding.verdict != kNotMeasured) text += "; on a processor: " + finding.numbers;
  return {kNotMeasured, text};
}

Finding judged(const JsonValue& claim, const Evidence& evidence) {
  const Rule rule = rule_of(claim);
  if (!rule) return {kCannot, claim["untestable"].text()};
  Finding finding = evidence.space && claim.has("gpu") ? judged_on_gpu(rule, claim, evidence)
                                                       : rule(claim, evidence);
  if (finding.verdict == kNotMeasured) return finding;
  if (evidence.space && !synthetic(*evidence.space) && !claim.has("data_set") &&
      data_sets(*evidence.space) < kLeastDataSets) {
    finding.verdict = kCannot;
  }
  if (!evidence.space) return finding;
  if (const auto what = lacking(claim, evidence.space->runs.space()); !what.empty()) {
    finding = {kCannot, fmt::format("the space has no {}", what)};
  }
  return finding;
}

/// Notes a space's data and how many claims have each verdict.
void add_notes(Table& table, const SearchedSpace& space,
               const std::map<std::string_view, std::size_t>& counts) {
  const auto note = [&](const std::string& text) {
    table.notes.push_back(fmt::format("{}: {}", space.name, text));
  };
  const std::size_t sets = data_sets(space);
  std::string text = counted(sets, "data set");
  for (const auto verdict : {kHolds, kInPart, kNot, kNotMeasured, kCannot}) {
    const auto count = counts.find(verdict);
    text += fmt::format("; {}: {}", verdict, count == counts.end() ? 0 : count->second);
  }
  note(text);
  if (synthetic(space)) {
    note("has synthetic data, so that its verdicts say nothing about real data");
  } else if (sets < kLeastDataSets) {
    note(fmt::format("{} cannot test what is claimed of most; it takes {}",
                     counted(sets, "real data set"), kLeastDataSets));
  }
  for (const std::string& remark : space.runs.notes()) note(remark);
}

}  // namespace

std::vector<Table> claims(const std::vector<SearchedSpace>& spaces) {
  const JsonFile json =
      JsonFile::parse(kClaims, "results/reference/claims.json", JsonAuthor::Program);
  const Evidence papers = published_evidence();
  std::vector<Evidence> evidences;
  Table verdicts{.title = "Claims of the papers",
                 .columns = {{"claim"}, {"paper_verdict", "the papers' tables"}}};
  for (const SearchedSpace& space : spaces) {
    evidences.push_back(evidence_of(space));
    verdicts.columns.emplace_back(fmt::format("verdict_{}", evidences.size()), space.name);
  }
  for (const char* key : {"section", "what", "holds_if"}) verdicts.columns.emplace_back(key);
  Table numbers{.title = "The numbers behind the verdicts",
                .columns = {{"claim"}, {"of"}, {"verdict"}, {"numbers"}}};
  std::vector<std::map<std::string_view, std::size_t>> counts(spaces.size());
  // The claims that a cause may explain, by the space's name and the cause.
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> causes;
  std::map<std::string, std::vector<std::string>> turning;
  for (const JsonValue& claim : json.root()["claims"].items()) {
    const std::string id = claim["id"].text();
    Finding theirs = rule_of(claim) && !claim.has("figures") ? judged(claim, papers) : Finding();
    if (theirs.numbers.empty()) theirs = {"", stated(claim)};
    std::vector<Cell> row = cells(id, theirs.verdict);
    numbers.add(id, "the paper", theirs.verdict, theirs.numbers);
    std::vector<std::string_view> found;
    std::set<std::pair<std::string_view, std::string>> distinct;
    for (std::size_t i = 0; i < spaces.size(); ++i) {
      const Finding ours = judged(claim, evidences[i]);
      append(row, ours.verdict);
      numbers.add(id, spaces[i].name, ours.verdict, ours.numbers);
      distinct.emplace(ours.verdict, ours.numbers);
      ++counts[i][ours.verdict];
      found.push_back(ours.verdict);
      if (claim.has("caveat") && rle_of(spaces[i]) == "RLE" &&
          (ours.verdict == kInPart || ours.verdict == kNot)) {
        causes[{spaces[i].name, claim["caveat"].text()}].push_back(id);
      }
    }
    if (spaces.size() > 1 && distinct.size() == 1) {  // as of all measurements
      numbers.rows.resize(numbers.rows.size() - spaces.size() + 1);
      numbers.rows.back()[1] = "all spaces";
    }
    turning[turns_on_rle(spaces, found)].push_back(id);
    verdicts.add(row, claim["section"].text(), claim["claim"].text(),
                 claim.has("rule") ? Cell(claim["rule"].text()) : Cell());
  }
  for (std::size_t i = 0; i < spaces.size(); ++i) add_notes(verdicts, spaces[i], counts[i]);
  for (const auto& [how, ids] : turning) {
    if (how.empty()) continue;
    verdicts.notes.push_back(
        fmt::format("the verdict turns on RLE: {}: {}", fmt::join(ids, ", "), how));
  }
  for (const auto& [key, ids] : causes) {
    verdicts.notes.push_back(
        fmt::format("{}, {}: {}", key.first, fmt::join(ids, ", "), key.second));
  }
  for (const char* paper : {"mpc", "gfc", "pfpc", "holt"}) {
    verdicts.notes.push_back(PublishedFigures::built_in().citation(paper));
  }
  return {verdicts, numbers};
}

}  // namespace fpsynth::results
