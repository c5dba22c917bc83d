#include "runners/data/registry/datasets.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "runners/data/fpc/fpc.hpp"
#include "runners/data/study.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/data/real_data.hpp"
#include "tests/support/blocks.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::data {
namespace {

TEST(Datasets, ThePapersSetsAreDescribed) {
  const Registry registry = Registry::built_in();
  const auto paper = nlohmann::json::parse(
      tests::read_bytes(tests::source_file("results/reference/paper_tables.json")));
  const auto sets = registry.named("fpc");
  ASSERT_EQ(sets.size(), paper["datasets"].size());
  for (const Dataset* set : sets) {
    EXPECT_EQ(set->bytes, paper["file_bytes"][set->name].get<std::uint64_t>()) << set->name;
    EXPECT_TRUE(set->fpc);
    EXPECT_EQ(set->file, set->name + ".trace.fpc");
    EXPECT_TRUE(set->address.ends_with("/" + set->file.string())) << set->address;
  }
}

/// Statements of the MPC paper's tables on a data set's dimensionality, which section V.B calls
/// known.
struct FromTables {
  unsigned value = 0;    ///< that of Table II's best pipeline, where that is MPC
  bool searched = true;  ///< whether it may be one of those that the search had
};

FromTables from_tables(const nlohmann::json& paper, const std::string& set) {
  FromTables found;
  for (const auto& [precision, table] :
       {std::pair("double", "mpc_table_3_double"), std::pair("single", "mpc_table_4_single")}) {
    const nlohmann::json& best = paper["mpc_table_2"][precision][set];
    const double mpc = paper[table]["MPC"][set], most = best["ratio"];
    if (mpc > most) found.searched = false;
    std::string stages;
    for (const std::string stage : best["stages"]) stages += stage + " ";
    unsigned n = 0;
    int end = 0;
    std::sscanf(stages.c_str(), "LNV%us BIT LNV1s ZE %n", &n, &end);
    if (mpc == most && end == int(stages.size())) found.value = n;
  }
  return found;
}

TEST(Datasets, ThePapersDimensionalitiesFollowFromItsTables) {
  // With these, MPC is among the pipelines that were searched, and not above the best of them.
  const std::set<unsigned> searched = {1, 2, 3, 5, 6, 8};
  const auto paper = nlohmann::json::parse(
      tests::read_bytes(tests::source_file("results/reference/paper_tables.json")));
  const Registry registry = Registry::built_in();
  std::map<std::string, unsigned> derived;
  std::set<std::string> refuted, guesses;
  for (const Dataset* set : registry.named("fpc")) {
    const FromTables found = from_tables(paper, set->name);
    const Dimensionality& its = set->dimensionality;
    EXPECT_EQ(its.from == DimensionalityFrom::Tables, found.value > 0) << set->name;
    if (found.value > 0) {
      EXPECT_TRUE(found.searched) << set->name;
      EXPECT_EQ(its.value, found.value) << set->name;
      derived[set->name] = found.value;
    }
    if (!found.searched) {
      EXPECT_FALSE(searched.contains(its.value)) << set->name;
      refuted.insert(set->name);
    }
    if (its.from == DimensionalityFrom::Guess) guesses.insert(set->name);
  }
  EXPECT_EQ(derived, (std::map<std::string, unsigned>{
                         {"num_brain", 1}, {"num_comet", 1}, {"num_control", 1}, {"obs_temp", 8}}));
  EXPECT_EQ(refuted, (std::set<std::string>{"msg_bt", "msg_sp", "obs_error"}));
  EXPECT_EQ(guesses, (std::set<std::string>{"obs_info", "obs_spitzer"}));
}

TEST(Datasets, FieldsHaveTheSizeOfTheirShape) {
  std::set<std::string> names;
  const Registry registry = Registry::built_in();
  for (const Dataset& set : registry.sets()) {
    EXPECT_TRUE(names.insert(set.name).second) << set.name;
    EXPECT_TRUE(!set.page.empty() || set.package) << set.name;
    EXPECT_FALSE(set.description.empty());
    if (set.shape.empty()) continue;
    std::uint64_t bytes = synth::word_bytes(set.native);
    for (const std::uint64_t extent : set.shape) bytes *= extent;
    EXPECT_EQ(set.bytes, bytes) << set.name;
    EXPECT_EQ(set.file_bytes, bytes) << set.name;
  }
  EXPECT_EQ(registry.find("miranda_density")->bytes, 301'989'888u);
}

TEST(Datasets, TheCorpusIsRealDataOfManyFieldsInPackages) {
  const Registry registry = Registry::built_in();
  std::uint64_t bytes = 0;
  std::size_t doubles = 0;
  std::set<std::string> fields, files, hashes;
  const auto sets = registry.named("corpus"), held = registry.named("held"),
             narrow = registry.named("narrow"), bytes_alone = registry.named("bytes");
  auto all = sets;
  all.insert(all.end(), held.begin(), held.end());
  all.insert(all.end(), narrow.begin(), narrow.end());
  all.insert(all.end(), bytes_alone.begin(), bytes_alone.end());
  for (const Dataset* set : all) {
    ASSERT_TRUE(set->package) << set->name;
    EXPECT_FALSE(set->licence.empty()) << set->name;
    EXPECT_EQ(set->sha256.size(), 64u) << set->name;
    EXPECT_EQ(set->xxh3.size(), 16u) << set->name;
    EXPECT_FALSE(set->shape.empty()) << set->name;
    const bool is_double = set->native == ValueType(Precision::Double);
    EXPECT_EQ(set->file.string(),
              "corpus/" + set->name + "." + std::string(named(set->native).code));
    EXPECT_TRUE(hashes.insert(set->sha256).second) << set->name;
    fields.insert(set->field);
    bytes += set->bytes;
    doubles += is_double;
  }
  EXPECT_GE(sets.size(), 16u);
  EXPECT_GE(doubles, 6u);
  EXPECT_GE(bytes, 150'000'000u);
  EXPECT_GE(fields.size(), 10u);
  EXPECT_FALSE(fields.contains(""));

  // The study takes all of them but those that are kept aside, and the one set of the papers that
  // is about.
  const auto study_takes = [](const std::string& family, std::size_t count) {
    const Study study = read_study(tests::source_file("configs/studies/" + family + ".json"));
    EXPECT_EQ(study.items.size(), count);
    EXPECT_EQ(study.verify, "all");
    for (const StudyItem& item : study.items) {
      ASSERT_TRUE(item.dataset) << item.name;
      EXPECT_TRUE(item.dataset->family == family || item.name == "num_plasma") << item.name;
    }
  };
  study_takes("corpus", sets.size() + 1);
  study_takes("held", held.size());
  study_takes("narrow", narrow.size());
  study_takes("bytes", bytes_alone.size());
  EXPECT_GE(held.size(), 6u);
  for (const Dataset* set : narrow) EXPECT_EQ(synth::word_bytes(set->native), 2u) << set->name;
  for (const Dataset* set : bytes_alone) EXPECT_EQ(synth::word_bytes(set->native), 1u) << set->name;
}

TEST(Datasets, UnknownNamesSayWhatThereIs) {
  const Registry registry = Registry::built_in();
  EXPECT_EQ(registry.find("num_plasmo"), nullptr);
  const std::string error = tests::message_of([&] { registry.named("num_plasmo"); });
  EXPECT_TRUE(tests::contains(error, "num_plasma"));
  EXPECT_TRUE(tests::contains(error, "sdrbench"));
}

class DescriptionFile : public ::testing::Test {
 protected:
  std::string error_of(const std::string& text) {
    tests::write_bytes(folder_ / "own.json", text);
    Registry registry = Registry::built_in();
    return tests::message_of([&] { registry.add(folder_ / "own.json"); });
  }
  tests::TemporaryFolder folder_;
};

std::string with_set(const std::string& set) {
  return R"({"family": "own", "sets": [{"name": "a", )" + set + "}]}";
}

std::string with_package(const std::string& package) {
  return with_set(R"("native": "double", "bytes": 8, "file": "x", "package": )" + package);
}

TEST_F(DescriptionFile, ErrorsNameFileAndKey) {
  const struct {
    std::string text, message;
  } cases[] = {
      {"{", "own.json is half-written JSON at line 1, column 2"},
      {"[]", "field (top level): expected an object, found array"},
      {R"({"sets": []})", "field family is missing"},
      {R"({"family": "own"})", "field sets is missing"},
      {R"({"family": "own", "sets": []})", "field sets: the array is empty"},
      {R"({"family": "own", "family": "b", "sets": []})", "family: the key is given twice"},
      {R"({"family": "own", "set": []})", "set: unknown key"},
      {R"({"family": "a/b", "sets": [{}]})",
       "field family: expected a name that can be part of a file's, found \"a/b\""},
      {with_set(R"("native": "quarter")"),
       "field sets[0].native: expected one of \"double\", \"single\", \"int64\", \"int32\""},
      {with_set(R"("native": "double", "file": "x")"), "sets[0]: needs \"bytes\" or \"shape\""},
      {with_set(R"("native": "double", "bytes": 0)"),
       "field sets[0].bytes: expected a whole number from 1 to"},
      {with_set(R"("native": "double", "bytes": 8, "shape": [2])"),
       "expected 16, as the shape says, found 8"},
      {with_set(R"("native": "double", "shape": [])"), "field sets[0].shape: the array is empty"},
      {with_set(R"("native": "double", "shape": [-1])"), "found -1"},
      {with_set(R"("native": "double", "shape": [1000000000, 1000000000])"),
       "field sets[0].shape[1]: makes the data set larger than 2^50"},
      {with_set(R"("native": "double", "bytes": 8, "dimensionality": 65)"),
       "field sets[0].dimensionality: expected a whole number from 1 to 64, found 65"},
      {with_set(R"("native": "double", "bytes": 8, "dimensionality": 2,
                   "dimensionality_from": "paper")"),
       "field sets[0].dimensionality_from: expected one of data, tables, guess for a, found "
       "\"paper\""},
      {with_set(R"("native": "double", "bytes": 8, "dimensionality_from": "guess")"),
       "field sets[0].dimensionality_from: a has no \"dimensionality\""},
      {with_set(R"("native": "double", "bytes": 8)"), "field sets[0].file is missing"},
      {with_set(R"("native": "double", "bytes": 8, "file": "../x")"),
       "expected the path of a file below the data folder, found \"../x\""},
      {with_set(R"("native": "double", "bytes": 8, "file": "/etc/x")"),
       "field sets[0].file: expected the path of a file"},
      {with_set(R"("native": "double", "bytes": 8, "file": "x", "address": "-o/etc")"),
       "field sets[0].address: expected an address that begins with https://"},
      {with_set(R"("native": "double", "bytes": 8, "file": "x", "decode": "zip")"),
       "expected \"fpc\", found \"zip\""},
      {with_set(R"("native": "single", "bytes": 8, "file": "x", "decode": "fpc")"), "hold doubles"},
      {with_package(R"({"kind": "rpm"})"), "package.kind: expected \"debian\" or \"pypi\""},
      {with_package(R"({"kind": "debian", "name": "-o", "version": "1", "path": "x"})"),
       "package.name: expected the name of a package, found \"-o\""},
      {with_package(R"({"kind": "debian", "name": "a/b", "version": "1", "path": "x"})"),
       "package.name: expected the name of a package"},
      {with_package(R"({"kind": "pypi", "name": "a", "version": "1 @ https:", "path": "x"})"),
       "package.version: expected the version of a package"},
      {with_package(R"({"kind": "pypi", "name": "a", "version": "1", "path": "b/../../x"})"),
       "package.path: expected the path of a file in the package"},
      {with_package(R"({"kind": "pypi", "name": "a", "version": "1", "path": "/etc/x"})"),
       "package.path: expected the path of a file in the package"},
      {with_package(R"({"kind": "pypi", "name": "a", "version": "1", "path": "x",
                        "raw": {"endian": "middle"}})"),
       "package.raw.endian: expected \"little\" or \"big\", found \"middle\""},
      {with_package(R"({"kind": "pypi", "name": "a", "version": "1", "path": "x", "raw": {}},
                        "variable": "u")"),
       "sets[0].variable: a file of raw words has none"},
      {with_package(R"({"kind": "pypi", "name": "a", "version": "1", "path": "x"},
                        "address": "https://example.org/x")"),
       "sets[0].address: the data come from a \"package\""},
      {with_set(R"("native": "double", "bytes": 8, "file": "x", "variable": "u")"),
       "sets[0].variable: only a file in a \"package\" has one"},
      {with_set(R"("native": "double", "bytes": 8, "file": "x", "file_bytes": 9)"),
       "field sets[0].file_bytes: expected 8, the bytes of the values"},
      {with_set(R"("native": "double", "bytes": 8, "file": "x", "xxh3": "12")"),
       "field sets[0].xxh3: expected 16 lower-case hexadecimal digits, found \"12\""},
      {R"({"family": "own", "sets": [{"name": "num_plasma", "native": "double", "bytes": 8,
          "file": "x"}]})",
       "\"num_plasma\" exists already"},
      {R"({"family": "own", "sets": [{"name": "fpc", "native": "double", "bytes": 8,
          "file": "x"}]})",
       "\"fpc\" exists already"},
      {R"({"family": "num_plasma", "sets": [{}]})", "a data set \"num_plasma\" exists already"},
  };
  for (const auto& [text, message] : cases) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(message), std::string::npos) << error << "\ninstead of " << message;
    EXPECT_TRUE(tests::contains(error, "own.json"));
  }
  EXPECT_EQ(error_of(with_set(R"("native": "double", "bytes": 8, "file": "x")")), "no error");
}

TEST_F(DescriptionFile, OpensAndChecks) {
  ASSERT_EQ(error_of(with_set(R"("native": "double", "bytes": 800, "file": "b/a.fpc",
                                 "decode": "fpc", "xxh3": "0123456789abcdef")")),
            "no error");
  Registry registry = Registry::built_in();
  registry.add(folder_ / "own.json");
  const Dataset& set = *registry.find("a");
  EXPECT_FALSE(locate(set, folder_.path()));
  EXPECT_THROW(open_dataset(set, folder_.path()), Error);
  // Files in the folder itself are found as well.
  const auto write = [&](std::size_t words) {
    const auto doubles = testing::make_block(testing::Content::Smooth, 8, words);
    const auto file = encode_fpc(doubles, 10);
    tests::write_bytes(folder_ / "a.fpc",
                       {reinterpret_cast<const char*>(file.data()), file.size()});
    return doubles;
  };
  const auto doubles = write(100);
  EXPECT_EQ(locate(set, folder_.path()), folder_ / "a.fpc");
  const Input input = open_dataset(set, folder_.path());
  EXPECT_EQ(input.name(), "a");
  EXPECT_TRUE(std::ranges::equal(input.bytes(), doubles));
  EXPECT_THROW(verify_dataset(set, folder_.path()), Error);  // the checksum
  write(99);
  EXPECT_THROW(open_dataset(set, folder_.path()), Error);  // the size
}

TEST_F(DescriptionFile, StudiesNameTheSets) {
  ASSERT_EQ(error_of(with_set(R"("native": "single", "shape": [2, 3], "file": "a.bin")")),
            "no error");
  tests::write_bytes(folder_ / "study.json",
                     R"({"name": "s", "datasets": ["own.json"], "precisions": ["single"],
                         "data": [{"dataset": "a"}, {"dataset": "num_plasma", "name": "p"}]})");
  const Study study = read_study(folder_ / "study.json");
  ASSERT_EQ(study.items.size(), 2u);
  EXPECT_EQ(study.items[0].name, "a");
  EXPECT_EQ(study.items[0].reading.type, Precision::Single);
  EXPECT_EQ(study.items[1].name, "p");
  EXPECT_EQ(study.items[1].dataset->dimensionality.value, 2u);
  EXPECT_EQ(read_study(tests::source_file("configs/studies/fpc.json")).items.size(), 13u);

  tests::write_bytes(folder_ / "study.json",
                     R"({"name": "s", "precisions": ["single"], "data": [{"dataset": "b"}]})");
  EXPECT_TRUE(tests::contains(tests::message_of([&] { read_study(folder_ / "study.json"); }),
                              "field data[0].dataset: expected the name of a data set that "
                              "`fpsynth data list` shows, found \"b\""));
}

TEST(Datasets, RealDataHasItsChecksum) {
  FPSYNTH_REAL_FILE(path, "num_plasma.trace.fpc");
  const Registry registry = Registry::built_in();
  EXPECT_TRUE(verify_dataset(*registry.find("num_plasma"), path.parent_path()));
}

}  // namespace
}  // namespace fpsynth::data
