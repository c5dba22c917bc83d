#include "results/throughput/throughput.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/documents/document_file.hpp"
#include "results/documents/study.hpp"
#include "synth/common/json.hpp"
#include "tests/results/damaged_json.hpp"
#include "tests/results/throughput_support.hpp"

namespace fpsynth::results {
namespace {

using tests::contains;

ThroughputDocument full_document() {
  ThroughputDocument document = throughput_with(
      "a", {timed_row("memcpy", 1, 1e-6, 1e-6), pipeline_row("LNV1s ZE", 2, 2e-6, 3e-6, 4)});
  document.rows[0].kind = "copy";
  document.rows[1].compress.seconds = {3e-6, 1e-6, 2e-6};
  document.rows[1].compress.kernel_seconds = {1e-6, 1e-6, 1e-6};
  document.rows[1].compress.transfer_seconds = {2e-6, 1e-7, 1e-6};
  document.notes = {"a note"};
  return document;
}

TEST(Throughput, MediansAndSpeeds) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({6, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(spread({3, 1, 2}).value(), 1);
  EXPECT_DOUBLE_EQ(spread({0, 0}).value(), 0);
  EXPECT_FALSE(spread({3}));  // one time has none
  EXPECT_DOUBLE_EQ(gb_per_s({3, 1, 2}, 4'000'000'000), 2);
  EXPECT_DOUBLE_EQ(gb_per_s({0}, 1), 0);
  EXPECT_DOUBLE_EQ(gb_per_s({}, 1), 0);
}

TEST(Throughput, RoundTrip) {
  const tests::TemporaryFolder directory;
  const auto path = throughput_path(directory.path(), "a", synth::Precision::Double, "cpu");
  EXPECT_EQ(path.filename(), "a.double.cpu.throughput.json");
  const ThroughputDocument document = full_document();
  write_throughput(path, document);
  EXPECT_EQ(tests::files_in(directory.path()), 1u);
  EXPECT_EQ(read_throughput(path), document);
  EXPECT_EQ(throughput_files(directory.path()), std::vector{path});
  // Searches do not read it as one of their documents.
  EXPECT_TRUE(document_files(directory.path()).empty());
  ThroughputDocument bare = throughput_with("a", {});
  write_throughput(path, bare);
  EXPECT_EQ(read_throughput(path), bare);
}

TEST(Throughput, PathsOfNamesWithDots) {
  EXPECT_EQ(throughput_path("d", "a.b", synth::Precision::Single, "cuda"),
            "d/a.b.single.cuda.throughput.json");
  EXPECT_THROW(throughput_path("d", "../a", synth::Precision::Single, "cpu"), UsageError);
}

TEST(Throughput, DerivedFiguresAreInTheText) {
  const nlohmann::json json = nlohmann::json::parse(to_json(full_document()));
  const auto& row = json["rows"][1];
  EXPECT_EQ(row["ratio"], 2);
  EXPECT_EQ(row["compress"]["median_seconds"], 2e-6);
  EXPECT_DOUBLE_EQ(row["compress"]["spread"], 1);
  EXPECT_DOUBLE_EQ(row["compress"]["gb_per_s"], kBytes / 2e-6 / 1e9);
  EXPECT_DOUBLE_EQ(row["compress"]["kernel_gb_per_s"], kBytes / 1e-6 / 1e9);
  EXPECT_FALSE(row["decompress"].contains("kernel_seconds"));
}

TEST(Throughput, TheModelOfDocumentsOfEarlierVersionsIsLeftOut) {
  const tests::TemporaryFolder directory;
  nlohmann::json json = nlohmann::json::parse(to_json(full_document()));
  json["model"] = json["predictions"] = {{"seed", 1}};
  tests::write_bytes(directory / "a.json", json.dump());
  EXPECT_EQ(read_throughput(directory / "a.json"), full_document());
}

class DamagedThroughput : public DamagedJson {
 protected:
  DamagedThroughput()
      : DamagedJson(
            "a.double.cpu.throughput.json",
            [](const auto& path) { write_throughput(path, full_document()); },
            [](const auto& path) { read_throughput(path); }) {}
  /// Checks the message for every member of the object at a pointer, if that member is missing.
  void without_each_member(const std::string& pointer, const std::string& place) {
    const nlohmann::json json = nlohmann::json::parse(text_);
    const nlohmann::json::json_pointer at(pointer);
    for (const auto& [key, value] : json[at].items()) {
      if (key == "pipeline" || key == "kernel_seconds" || key == "transfer_seconds") continue;
      if (key == "median_seconds" || key == "spread" || key.starts_with("kernel_")) continue;
      nlohmann::json copy = json;
      copy[at].erase(key);
      EXPECT_TRUE(contains(message(copy.dump()), "field " + place + key + " is missing"));
    }
  }
};

TEST_F(DamagedThroughput, IsReadWhenIntact) { EXPECT_EQ(message(text_), "no error"); }

TEST_F(DamagedThroughput, HalfWrittenOrAnyByteReplaced) {
  for (std::size_t size = 0; size + 2 < text_.size(); size += 7) {
    ASSERT_TRUE(contains(message(text_.substr(0, size)), path_.filename())) << size;
  }
  // The text is either still consistent, or reading it throws an Error; nothing else may happen.
  for (std::size_t i = 0; i < text_.size(); ++i) {
    for (const char c : {'9', '-', '"'}) {
      std::string text = text_;
      text[i] = c;
      message(text);
    }
  }
}

TEST_F(DamagedThroughput, MissingFields) {
  without_each_member("", "");
  without_each_member("/dataset", "dataset.");
  without_each_member("/run", "run.");
  without_each_member("/rows/1", "rows[1].");
  without_each_member("/rows/1/compress", "rows[1].compress.");
}

TEST_F(DamagedThroughput, AnotherKindOfFile) {
  EXPECT_TRUE(contains(after("/schema", "fpsynth-results"), "another kind of file"));
  EXPECT_TRUE(contains(after("/version", 2), "newer fpsynth"));
}

TEST_F(DamagedThroughput, WrongTypes) {
  EXPECT_TRUE(contains(after("/run/threads", "two"), "field run.threads: expected a whole number"));
  EXPECT_TRUE(contains(after("/rows", 1), "field rows: expected an array"));
  EXPECT_TRUE(contains(after("/rows/0/compress/seconds/0", "1"),
                       "field rows[0].compress.seconds[0]: expected a number"));
  EXPECT_TRUE(contains(after("/notes", {1}), "field notes[0]: expected a string"));
}

TEST_F(DamagedThroughput, ContradictsItself) {
  EXPECT_TRUE(contains(after("/dataset/bytes", 5), "field dataset.bytes"));
  EXPECT_TRUE(contains(after("/rows/0/compress/gb_per_s", 1), "field rows[0].compress.gb_per_s"));
}

TEST(Comparisons, KeepTheirFormAndTheirFigures) {
  const tests::TemporaryFolder directory;
  ComparedSet set = compared_set("a", synth::Precision::Double,
                                 {compared_row("gzip", 1.7, 0.5), compared_row("xz", 3, 0.25),
                                  compared_row("slow", 1.5, 0.25)});
  set.type = "int64";
  set.rows[2].refused = "trailing bytes";
  set.rows[2].verified = false;
  write_comparison(directory / "a.json", {set});
  const std::string text = tests::read_bytes(directory / "a.json");
  const nlohmann::json json = nlohmann::json::parse(text);
  const auto& row = json["data_sets"][0]["rows"][0];
  EXPECT_EQ(row["ratio"], 1.7);
  EXPECT_EQ(row["compress"]["gb_per_s"], 0.5);
  EXPECT_FALSE(json["data_sets"][0]["rows"][2].contains("ratio"));
  EXPECT_EQ(json["means"].size(), 2u);
  EXPECT_EQ(json["means"][0]["on_front"]["compress"], true);
  const JsonFile file = JsonFile::read(directory / "a.json", JsonAuthor::Program);
  const Comparison again = read_comparison(file.root());
  EXPECT_EQ(again.sets[0].rows[0].input_bytes, 500'000'000u);
  EXPECT_EQ(to_json(again), text);
}

TEST(Comparisons, HaveMeansOverDataSets) {
  Comparison comparison;
  comparison.sets = {compared_set("a", synth::Precision::Single, {compared_row("gzip", 2, 1)}),
                     compared_set("b", synth::Precision::Single,
                                  {compared_row("gzip", 4, 0.25), compared_row("xz", 8, 0.25)})};
  const auto means = comparison.means(synth::Precision::Single);
  ASSERT_EQ(means.size(), 2u);
  EXPECT_DOUBLE_EQ(means[0].ratio(), 2 / (0.5 + 0.25));
  EXPECT_DOUBLE_EQ(means[0].compress.arithmetic, 0.625);
  EXPECT_DOUBLE_EQ(means[0].compress.harmonic, 2 / (1 + 4.0));
  EXPECT_TRUE(means[0].compress.on_front);  // xz lacks a data set
  EXPECT_EQ(means[1].of, 2u);
  EXPECT_TRUE(comparison.means(synth::Precision::Double).empty());
}

}  // namespace
}  // namespace fpsynth::results
