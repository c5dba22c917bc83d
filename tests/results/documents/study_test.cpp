#include "results/documents/study.hpp"

#include <gtest/gtest.h>

#include "results/documents/document.hpp"
#include "results/documents/document_file.hpp"
#include "tests/results/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::results {
namespace {

using tests::contains;
using tests::message_of;

StudyIdentity identity() {
  return {.name = "mini",
          .space = small_space(),
          .precisions = {synth::Precision::Double, synth::Precision::Single},
          .verification = "all",
          .sample = 1};
}

TEST(Study, CreatesTheDirectoryAndRecognizesIt) {
  const tests::TemporaryFolder directory;
  const auto path = directory / "runs" / "mini";
  std::filesystem::create_directories(path);
  ensure_study_directory(path, identity());
  EXPECT_EQ(read_study(path), identity());
  ensure_study_directory(path, identity());
  EXPECT_EQ(tests::files_in(path), 1u);
}

TEST(Study, AnEmptyDirectoryHasNone) {
  const tests::TemporaryFolder directory;
  EXPECT_EQ(read_study(directory.path()), std::nullopt);
}

TEST(Study, AnotherStudyIsAnErrorNamingWhatDiffers) {
  const tests::TemporaryFolder directory;
  ensure_study_directory(directory.path(), identity());
  const auto message = [&](auto change) {
    StudyIdentity other = identity();
    change(other);
    return message_of([&] { ensure_study_directory(directory.path(), other); });
  };
  const std::string found = message([](StudyIdentity& other) { other.name = "full"; });
  EXPECT_TRUE(contains(found, directory.path().string()));
  EXPECT_TRUE(contains(found, "study 'mini', not 'full'"));
  EXPECT_TRUE(contains(found, "give this search a directory of its own"));
  EXPECT_TRUE(contains(message([](StudyIdentity& other) { other.space = synth::Space::paper(); }),
                       "138240"));
  EXPECT_TRUE(contains(message([](StudyIdentity& other) {
                         other.space.components[0] = *synth::parse_component("INV");
                       }),
                       "other components"));
  EXPECT_TRUE(contains(message([](StudyIdentity& other) { other.precisions.pop_back(); }),
                       "precisions 'double, single', not 'double'"));
  EXPECT_TRUE(contains(message([](StudyIdentity& other) { other.verification = "none"; }),
                       "verification 'all', not 'none'"));
  EXPECT_TRUE(
      contains(message([](StudyIdentity& other) { other.sample = 16; }), "sample '1', not '16'"));
}

TEST(Study, DocumentsWithoutAMarkerAreNotAdopted) {
  const tests::TemporaryFolder directory;
  tests::write_bytes(directory / "notes.txt", "not ours");
  write_document(directory / "a.double.json", document_with("a", {1, 2, 4, 1, 2, 1}));
  EXPECT_TRUE(contains(message_of([&] { ensure_study_directory(directory.path(), identity()); }),
                       "a.double.json"));
}

StudyIdentity shard_identity() {
  StudyIdentity shard = identity();
  shard.shard = "3/64";
  shard.documents = {{"a", synth::Precision::Double, 100}, {"a", synth::Precision::Single, 100}};
  return shard;
}

TEST(Study, ShardsHaveAListOfTheStudysDocumentsAndTellWhenTheyAreFinished) {
  const tests::TemporaryFolder directory;
  ensure_study_directory(directory.path(), shard_identity());
  EXPECT_EQ(read_study(directory.path()), shard_identity());
  EXPECT_FALSE(is_marked_finished(directory.path()));
  mark_finished(directory.path());
  mark_finished(directory.path());
  EXPECT_TRUE(is_marked_finished(directory.path()));
  EXPECT_EQ(read_study(directory.path()), shard_identity());
  ensure_study_directory(directory.path(), shard_identity());
  EXPECT_TRUE(is_marked_finished(directory.path()));
}

TEST(Study, AnotherShardOrOtherDataSetsAreAnotherStudy) {
  const tests::TemporaryFolder directory;
  ensure_study_directory(directory.path(), shard_identity());
  const auto message = [&](auto change) {
    StudyIdentity other = shard_identity();
    change(other);
    return message_of([&] { ensure_study_directory(directory.path(), other); });
  };
  EXPECT_TRUE(contains(message([](StudyIdentity& other) { other.shard = "4/64"; }),
                       "shard '3/64', not '4/64'"));
  EXPECT_TRUE(contains(message([](StudyIdentity& other) { other = identity(); }),
                       "shard '3/64', not 'none'"));
  EXPECT_TRUE(contains(message([](StudyIdentity& other) { other.documents[1].chunks = 99; }),
                       "data set 'a (single, 100 chunks)', not 'a (single, 99 chunks)'"));
  EXPECT_TRUE(contains(message([](StudyIdentity& other) { other.documents.pop_back(); }),
                       "data set 'a (single, 100 chunks)', not 'none'"));
}

TEST(Study, DamagedMarkerIsAnErrorNamingIt) {
  const tests::TemporaryFolder directory;
  for (const char* text : {"", "{", "[]", "{\"schema\": \"fpsynth-results\", \"version\": 1}"}) {
    tests::write_bytes(study_path(directory.path()), text);
    EXPECT_TRUE(contains(message_of([&] { read_study(directory.path()); }), "study.json")) << text;
  }
  tests::write_bytes(study_path(directory.path()), "{\"name\": \"a study file\", \"data\": []}");
  EXPECT_TRUE(contains(message_of([&] { ensure_study_directory(directory.path(), identity()); }),
                       "is not the study.json that a search writes; name another directory"));
}

}  // namespace
}  // namespace fpsynth::results
