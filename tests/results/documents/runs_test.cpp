#include "results/documents/runs.hpp"

#include <gtest/gtest.h>

#include "results/documents/document_file.hpp"
#include "tests/results/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using tests::contains;
using tests::message_of;

using synth::Precision;

const std::vector<std::uint64_t> kRunRatios = {1, 2, 4, 1, 2, 1};

void put(const tests::TemporaryFolder& directory, const Document& document) {
  write_document(document_path(directory.path(), document.data.name, document.data.precision),
                 document);
}

TEST(Runs, LoadsAllDocumentsInOrderAndNothingElse) {
  const tests::TemporaryFolder directory;
  put(directory, document_with("b", kRunRatios));
  put(directory, document_with("a", kRunRatios, Precision::Single));
  put(directory, document_with("a", kRunRatios));
  tests::write_bytes(directory / "study.json", "not read here");
  tests::write_bytes(directory / ".hidden.double.json", "nor this");
  tests::write_bytes(directory / "a.double.json.17.tmp", "nor this");
  const Runs runs = load_runs(directory.path());
  ASSERT_EQ(runs.documents().size(), 3u);
  EXPECT_EQ(label(runs.documents()[0]), "a (double)");
  EXPECT_EQ(label(runs.documents()[1]), "a (single)");
  EXPECT_EQ(label(runs.documents()[2]), "b (double)");
  EXPECT_EQ(runs.of(Precision::Double).size(), 2u);
  EXPECT_TRUE(runs.notes().empty());
}

TEST(Runs, EmptyOrMissingDirectorySaysHowToSearch) {
  const tests::TemporaryFolder directory;
  for (const auto& path : {directory.path(), directory / "none"}) {
    const std::string found = message_of([&] { load_runs(path); });
    EXPECT_TRUE(contains(found, path.string()));
    EXPECT_TRUE(contains(found, "fpsynth search"));
  }
  EXPECT_THROW(Runs({}), Error);
}

TEST(Runs, DamagedDocumentIsNamed) {
  const tests::TemporaryFolder directory;
  put(directory, document_with("a", kRunRatios));
  tests::write_bytes(directory / "b.double.json", "{");
  EXPECT_TRUE(contains(message_of([&] { load_runs(directory.path()); }), "b.double.json"));
}

TEST(Runs, SpacesMustBeTheSame) {
  const tests::TemporaryFolder directory;
  put(directory, document_with("a", kRunRatios));
  Document other = document_with("b", kRunRatios);
  other.space.components[0] = *synth::parse_component("INV");
  put(directory, other);
  const std::string found = message_of([&] { load_runs(directory.path()); });
  EXPECT_TRUE(contains(found, directory.path().string()));
  EXPECT_TRUE(contains(found, "a (double) and b (double) come from different spaces"));
}

TEST(Runs, SameDataSetTwiceIsAnError) {
  const tests::TemporaryFolder directory;
  put(directory, document_with("a", kRunRatios));
  write_document(directory / "copy.double.json", document_with("a", kRunRatios));
  EXPECT_TRUE(contains(message_of([&] { load_runs(directory.path()); }),
                       "two documents contain a (double)"));
}

TEST(Runs, Select) {
  const Runs runs({document_with("a", kRunRatios),
                   document_with("a", kRunRatios, Precision::Single),
                   document_with("b", kRunRatios)});
  EXPECT_EQ(runs.select("a", std::nullopt).documents().size(), 2u);
  EXPECT_EQ(runs.select(std::nullopt, Precision::Double).documents().size(), 2u);
  EXPECT_EQ(runs.select("a", Precision::Single).documents().size(), 1u);
  const std::string found = message_of([&] { runs.select("b", Precision::Single); });
  EXPECT_TRUE(contains(found, "no results for b in single"));
  EXPECT_TRUE(contains(found, "a (double), a (single), b (double)"));
}

}  // namespace
}  // namespace fpsynth::results
