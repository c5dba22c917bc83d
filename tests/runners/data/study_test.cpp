#include "runners/data/study.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "synth/common/error.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::data {
namespace {

class StudyFile : public ::testing::Test {
 protected:
  Study read(const std::string& text) {
    tests::write_bytes(folder_ / "study.json", text);
    return read_study(folder_ / "study.json");
  }
  std::string error_of(const std::string& text) {
    return tests::message_of([&] { read(text); });
  }
  tests::TemporaryFolder folder_;
};

TEST_F(StudyFile, NamesPreludes) {
  const auto study = [](const std::string& rest) {
    return R"({"name": "s", "data": [{"made": "msg_heat"}], "precisions": ["double"])" + rest + "}";
  };
  EXPECT_EQ(read(study("")).preludes, synth::PreludeRequest());
  EXPECT_EQ(read(study(R"(, "preludes": "none")")).preludes, synth::PreludeRequest());
  EXPECT_EQ(read(study(R"(, "preludes": "auto")")).preludes.kind,
            synth::PreludeRequest::Kind::Found);
  EXPECT_EQ(read(study(R"(, "preludes": "LAGx:3, DICT")")).preludes.named.size(), 2u);
  const std::string wrong = error_of(study(R"(, "preludes": "LAGx:3, LOG")"));
  EXPECT_TRUE(tests::contains(wrong, "preludes"));
  EXPECT_TRUE(tests::contains(wrong, "LOG"));
  EXPECT_TRUE(tests::contains(error_of(study(R"(, "preludes": ["DICT"])")), "preludes"));
}

TEST_F(StudyFile, MiniStudyHoldsAllSyntheticSets) {
  const Study study = read_study(tests::source_file("configs/studies/mini.json"));
  EXPECT_EQ(study.name, "mini");
  EXPECT_EQ(study.precisions, (std::vector{Precision::Double, Precision::Single}));
  EXPECT_EQ(study.verify, "all");
  EXPECT_FALSE(study.space);
  ASSERT_EQ(study.items.size(), synthetic_sets().size());
  for (std::size_t i = 0; i < study.items.size(); ++i) {
    EXPECT_EQ(study.items[i].synthetic, &synthetic_sets()[i]);
    EXPECT_EQ(study.items[i].bytes, kSyntheticBytes);
    EXPECT_EQ(study.items[i].open().name(), synthetic_sets()[i].name);
  }
}

TEST_F(StudyFile, FilesAreFoundBesideTheStudy) {
  tests::write_bytes(folder_ / "a.f64", "12345678");
  tests::write_bytes(folder_ / "b.bin", "12345678");
  const Study study = read(R"({"name": "s", "precisions": ["single"], "verify": "top=20",
      "data": [{"file": "a.f64"}, {"file": "b.bin", "name": "other", "native": "single"},
               {"made": "num_lorenz", "name": "small", "bytes": 64}]})");
  ASSERT_EQ(study.items.size(), 3u);
  EXPECT_EQ(study.verify, "top=20");
  EXPECT_EQ(study.items[0].name, "a");
  EXPECT_EQ(study.items[0].open().native(), Precision::Double);
  const Input other = study.items[1].open();
  EXPECT_EQ(other.name(), "other");
  EXPECT_EQ(other.native(), Precision::Single);
  const Input small = study.items[2].open();
  EXPECT_EQ(small.name(), "small");
  EXPECT_EQ(small.bytes().size(), 64u);
}

TEST_F(StudyFile, TypesOfFiles) {
  tests::write_bytes(folder_ / "a.bin", "12345678");
  const auto item = [&](const std::string& said) {
    return read(R"({"name": "s", "precisions": ["single"], "data": [{"file": "a.bin")" + said +
                "}]}")
        .items.front();
  };
  EXPECT_EQ(item(R"(, "type": "f32")").open().native(), Precision::Single);
  EXPECT_EQ(item(R"(, "type": "f64")").open().native(), Precision::Double);
  EXPECT_EQ(item(R"(, "native": "double")").open().native(), Precision::Double);
  EXPECT_THROW(item("").open(), UsageError);
}

TEST_F(StudyFile, ThenInTheDataFolder) {
  const tests::TemporaryFolder data;
  tests::write_bytes(data / "a.f64", "from the data folder....");
  const char* before = std::getenv("FPSYNTH_DATA");
  const std::string saved = before ? before : "";
  setenv("FPSYNTH_DATA", data.path().c_str(), 1);
  const std::string text =
      R"({"name": "s", "precisions": ["double"], "data": [{"file": "a.f64"}]})";
  EXPECT_EQ(read(text).items[0].file, data / "a.f64");
  tests::write_bytes(folder_ / "a.f64", "12345678");
  EXPECT_EQ(read(text).items[0].file, folder_ / "a.f64");
  before ? setenv("FPSYNTH_DATA", saved.c_str(), 1) : unsetenv("FPSYNTH_DATA");
}

TEST_F(StudyFile, MissingDataIsFoundOutWhenOpened) {
  const Study study =
      read(R"({"name": "s", "precisions": ["double"], "data": [{"file": "nowhere/x.f64"}]})");
  EXPECT_EQ(study.items[0].name, "x");
  EXPECT_THROW(study.items[0].open(), Error);
}

TEST_F(StudyFile, Space) {
  const auto with_space = [](const std::string& space) {
    return R"({"name": "s", "precisions": ["double"], "data": [{"made": "msg_heat"}], "space": )" +
           space + "}";
  };
  EXPECT_EQ(*read(with_space("{}")).space, synth::Space::paper());
  const synth::Space two = *read(with_space(R"({"stages": 2})")).space;
  EXPECT_EQ(two.cuts, (std::vector<unsigned>{0, 1, 2}));
  EXPECT_EQ(two.size(), 3u * 24 * 2);
  const synth::Space own =
      *read(
           with_space(
               R"({"stages": 3, "components": ["NUL", "lnv7x"], "last": ["RLE"], "cuts": [0, 3]})"))
           .space;
  EXPECT_EQ(own.size(), 2u * 2 * 2 * 1);
  EXPECT_EQ(synth::to_string(own.at(7)), "LNV7x LNV7x RLE");

  EXPECT_NE(error_of(with_space(R"({"components": ["NUL", "LNVs2"]})"))
                .find("field space.components[1]: there is no component \"LNVs2\"; did you mean"),
            std::string::npos);
  EXPECT_NE(error_of(with_space(R"({"stages": 9})"))
                .find("field space.stages: expected a whole number from 1 to 8, found 9"),
            std::string::npos);
  EXPECT_NE(error_of(with_space(R"({"cuts": [5]})"))
                .find("field space.cuts[0]: expected a whole number from 0 to 4, found 5"),
            std::string::npos);
  EXPECT_NE(error_of(with_space(R"({"last": ["BIT"]})")).find("study.json: field space: "),
            std::string::npos);
  EXPECT_EQ(read(with_space(R"({"chunk_words": 4096})")).space->chunk_words, 4096u);
  EXPECT_NE(error_of(with_space(R"({"chunk_words": 4097})"))
                .find("field space.chunk_words: chunks of 4097 words; give 1024, 2048, 4096"),
            std::string::npos);
  EXPECT_NE(error_of(with_space(R"({"step": 1})")).find("field space.step: unknown key"),
            std::string::npos);
}

TEST_F(StudyFile, TheWideSpaceHasAllComponentsButThePapersRle) {
  const synth::Space wide = read_space(FPSYNTH_SOURCE_DIR "/configs/spaces/wide.json");
  auto all = synth::registered_components();
  // Without RLP, which stands in RLE's place in the space of the paper's words, and BINS, which the
  // space `entropy` has at the end: its output has no order left.
  all.resize(28);
  EXPECT_EQ(wide.components, all);
  EXPECT_EQ(wide.last.size(), 6u);
  EXPECT_EQ(wide.size(), 5u * 28 * 28 * 28 * 6);
  EXPECT_EQ(wide.chunk_words, synth::kChunkWords);
  const synth::Space entropy = read_space(FPSYNTH_SOURCE_DIR "/configs/spaces/entropy.json");
  EXPECT_EQ(entropy.components, wide.components);
  EXPECT_EQ(synth::to_string(entropy.last.back()), "BINS");
  EXPECT_EQ(entropy.size(), 5u * 28 * 28 * 28 * 7);
}

TEST_F(StudyFile, ARangeIsEveryComponentOfIt) {
  const auto with_components = [](const std::string& list) {
    return R"({"name": "s", "precisions": ["double"], "data": [{"made": "msg_heat"}], )"
           R"("space": {"components": [)" +
           list + "]}}";
  };
  const synth::Space space = *read(with_components(R"("NUL", "dim2..4", "LNV7..8x")")).space;
  std::string names;
  for (const synth::Component component : space.components) names += to_string(component) + " ";
  EXPECT_EQ(names, "NUL DIM2 DIM3 DIM4 LNV7x LNV8x ");
  for (const char* wrong : {"DIM4..2", "DIM0..4", "DIM1..65", "DIM..4", "DIM1..", "BIT..ZE"}) {
    EXPECT_NE(
        error_of(with_components('"' + std::string(wrong) + '"')).find("there is no component"),
        std::string::npos)
        << wrong;
  }
  const synth::Space every = read_space(FPSYNTH_SOURCE_DIR "/configs/spaces/every_n.json");
  EXPECT_EQ(every.components.size(), 3 * 64 + 5u);
  EXPECT_EQ(every.size(), 76'453'730u);
}

TEST_F(StudyFile, ErrorsNameFileAndKey) {
  const auto study = [](const std::string& data) {
    return R"({"name": "s", "precisions": ["double"], "data": [)" + data + "]}";
  };
  const struct {
    std::string text, message;
  } cases[] = {
      {"{", "study.json is half-written JSON at line 1, column 2"},
      {"[]", "field (top level): expected an object, found array"},
      {"{}", "study.json: field name is missing; correct the file"},
      {R"({"name": "s", "data": [{"made": "msg_heat"}]})", "field precisions is missing"},
      {R"({"name": "s", "nmae": "t"})", "field nmae: unknown key; known keys are name, data"},
      {R"({"name": "s", "name": "t"})", "field name: the key is given twice"},
      {R"({"name": 3})", "field name: expected a string, found 3"},
      {study(""), "field data: the array is empty"},
      {study("3"), "field data[0]: expected an object, found 3"},
      {study("{}"), "field data[0]: needs either \"file\" or \"made\""},
      {study(R"({"made": "msg_heat", "file": "x"})"), "field data[0]: needs either"},
      {study(R"({"made": "msg_bt"})"), "data[0].made: there is no synthetic data set 'msg_bt'"},
      {study(R"({"made": "msg_heat", "bytes": 12})"),
       "field data[0].bytes: expected a multiple of 8, the size of a double, found 12"},
      {study(R"({"made": "msg_heat", "bytes": -8})"), "found -8"},
      {study(R"({"made": "msg_heat", "bytes": 1e3})"), "found 1000.0"},
      {study(R"({"made": "msg_heat", "native": "single"})"),
       "field data[0].native: synthetic sets"},
      {study(R"({"file": "x", "bytes": 8})"), "field data[0].bytes: only synthetic sets have it"},
      {study(R"({"file": "x", "native": "quarter"})"),
       "field data[0].native: expected \"double\", \"single\", \"half\" or \"byte\", found "
       "\"quarter\""},
      {study(R"({"file": "x", "type": "single"})"),
       "field data[0].type: expected f64, f32, i64, i32, u64, u32, f16, bf16, i16, u16, i8 or u8, "
       "found \"single\""},
      {study(R"({"file": "x", "type": "f32", "native": "single"})"),
       "field data[0].native: \"type\" says the same"},
      {study(R"({"made": "msg_heat", "type": "f64"})"), "field data[0].type: synthetic sets"},
      {study(R"({"dataset": "num_plasma", "type": "f64"})"), "field data[0].type: the data set's"},
      {study(R"({"file": "x", "name": "a/b"})"), "field data[0].name: the data set name 'a/b'"},
      {study(R"({"file": ".f64"})"), "field data[0]: the data set name '.f64'"},
      {R"({"name": "../../elsewhere"})", "field name: the study name '../../elsewhere' cannot be"},
      {R"({"name": "."})", "field name: the study name '.' cannot be"},
      {R"({"name": "a\nb"})", "field name: the study name 'a?b' cannot be"},
      {R"({"name": ")" + std::string(201, 'n') + "\"}", "field name: the study name 'nnn"},
      {study(R"({"file": "x"}, {"file": "y/x.f64"})"), "data[1]: a second data set named \"x\""},
      {R"({"name": "s", "precisions": ["quarter"], "data": [{"file": "x"}]})",
       "field precisions[0]: expected \"double\", \"single\", \"half\" or \"byte\", found "
       "\"quarter\""},
      {R"({"name": "s", "precisions": ["single", "single"], "data": [{"file": "x"}]})",
       "precisions[1]: \"single\" is listed twice"},
  };
  for (const auto& [text, message] : cases) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(message), std::string::npos) << error << "\ninstead of " << message;
    EXPECT_TRUE(tests::contains(error, "study.json"));
  }
  for (const char* verify :
       {"top", "top=", "top=0", "top=x", "ALL", "top=-1", "top=99999999999999999999"}) {
    const std::string text = R"({"name": "s", "precisions": ["double"], "data": [{"file": "x"}],
        "verify": ")" + std::string(verify) +
                             "\"}";
    EXPECT_TRUE(tests::contains(error_of(text), "field verify: expected \"all\", \"none\" or"))
        << verify;
  }
}

TEST_F(StudyFile, NoFile) {
  EXPECT_THROW(read_study(folder_ / "missing.json"), Error);
  EXPECT_THROW(read_study(folder_.path()), Error);
}

}  // namespace
}  // namespace fpsynth::data
