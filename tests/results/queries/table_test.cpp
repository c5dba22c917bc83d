#include "results/queries/table.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fpsynth::results {
namespace {

Table sample() {
  return {.title = "A table",
          .columns = {{"name"}, {"the_count"}, {"figure_percent", "figure %", 2}},
          .rows = {{std::string("plain"), std::uint64_t{7}, 1.005},
                   {std::string("with, \"quotes\"\nand lines"), std::uint64_t{123}, 20.25},
                   {std::string("ä"), std::monostate{}, 0.1}},
          .notes = {"a note"}};
}

TEST(Table, Csv) {
  EXPECT_EQ(to_csv(sample()),
            "name,the_count,figure_percent\r\n"
            "plain,7,1.005\r\n"
            "\"with, \"\"quotes\"\"\\x0aand lines\",123,20.25\r\n"
            "ä,,0.1\r\n");
}

Table part(const std::string& precision, std::uint64_t figure, const std::string& note) {
  return {.title = precision,
          .columns = {{"a"}},
          .rows = {{figure}},
          .notes = {"of both", note},
          .all = {{{"precision"}, precision}}};
}

TEST(Table, TablesOfTheSameColumnsAreOneFile) {
  const Table other = {.title = "other", .columns = {{"b"}}, .rows = {}, .notes = {}};
  const auto files = as_files({part("double", 1, "first"), other, part("single", 2, "second")});
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(to_csv(files[0]), "precision,a\r\ndouble,1\r\nsingle,2\r\n");
  EXPECT_EQ(files[0].notes, (std::vector<std::string>{"of both", "first", "second"}));
  EXPECT_EQ(files[1].title, "other");
}

TEST(Table, TablesThatDoNotSayWhatTheyAreOfStayApart) {
  const Table table = {.title = "", .columns = {{"a"}}, .rows = {{std::uint64_t{1}}}, .notes = {}};
  EXPECT_EQ(as_files({table, table}).size(), 2u);
}

TEST(Table, WhatItIsOfIsNotInTextAndJson) {
  Table without = part("double", 1, "first");
  without.all.clear();
  EXPECT_EQ(to_text({part("double", 1, "first")}), to_text({without}));
  EXPECT_EQ(to_json({part("double", 1, "first")}), to_json({without}));
}

TEST(Table, TextSaysOnceWhatCrMeans) {
  const Table table = {.title = "T", .columns = {{"ratio", "best CR"}}, .rows = {}, .notes = {}};
  const std::string text = to_text({table, table});
  const auto at = text.find("note: CR: ");
  ASSERT_NE(at, text.npos);
  EXPECT_EQ(text.find("note: CR: ", at + 1), text.npos);
}

TEST(Table, ControlCharactersAreSpelledOut) {
  const Table table = {.title = "T\033[2J",
                       .columns = {{"a", "a\007"}},
                       .rows = {{std::string("\033]0;x")}},
                       .notes = {"n\r"}};
  const std::string text = to_text({table}) + to_csv(table);
  EXPECT_EQ(text.find_first_of("\033\007"), text.npos);
  EXPECT_NE(text.find("note: n\\x0d\n"), text.npos);
}

TEST(Table, Text) {
  Table table = sample();
  table.rows[1][0] = std::string("longer");
  EXPECT_EQ(to_text({table}),
            "A table\n"
            "\n"
            "name    the count  figure %\n"
            "------  ---------  --------\n"
            "plain           7      1.00\n"
            "longer        123     20.25\n"
            "ä               -      0.10\n"
            "\n"
            "note: a note\n");
}

TEST(Table, TextIsWrappedToTheColumns) {
  Table table = sample();
  table.rows[1][0] = std::string("LNV6s BIT LNV1s ZE äää");
  table.notes = {"a note of several words"};
  EXPECT_EQ(to_text({table}, false, 32),
            "A table\n"
            "\n"
            "name         the count  figure %\n"
            "-----------  ---------  --------\n"
            "plain                7      1.00\n"
            "LNV6s BIT          123     20.25\n"
            "LNV1s ZE\n"
            "äää\n"
            "ä                    -      0.10\n"
            "\n"
            "note: a note of several words\n");
  // Columns that do not fit beside the first stand below; words are broken last.
  EXPECT_EQ(to_text({table}, false, 18),
            "A table\n"
            "\n"
            "name           the\n"
            "             count\n"
            "--------  --------\n"
            "plain            7\n"
            "LNV6s          123\n"
            "BIT\n"
            "LNV1s ZE\n"
            "äää\n"
            "ä                -\n"
            "\n"
            "name      figure %\n"
            "--------  --------\n"
            "plain         1.00\n"
            "LNV6s        20.25\n"
            "BIT\n"
            "LNV1s ZE\n"
            "äää\n"
            "ä             0.10\n"
            "\n"
            "note: a note of\n"
            "several words\n");
  table.rows = {{std::string(30, 'x'), std::uint64_t{1}, 2.0}};
  EXPECT_NE(
      to_text({table}, false, 46)
          .find(std::string(25, 'x') + "          1      2.00\n" + std::string(5, 'x') + "\n"),
      std::string::npos);
}

TEST(Table, MarkdownHasBarsBetweenCellsAlone) {
  Table table = sample();
  table.rows[1][0] = std::string("BIT | ZE*");
  EXPECT_EQ(to_text({table}, true),
            "### A table\n"
            "\n"
            "| name        | the count | figure % |\n"
            "| ----------- | --------: | -------: |\n"
            "| plain       |         7 |     1.00 |\n"
            "| BIT \\| ZE\\* |       123 |    20.25 |\n"
            "| ä           |         - |     0.10 |\n"
            "\n"
            "- note: a note\n");
}

TEST(Table, Json) {
  const auto json = nlohmann::json::parse(to_json({sample()}));
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["title"], "A table");
  EXPECT_EQ(json[0]["columns"], nlohmann::json::parse(R"([{"key": "name", "title": "name"},
                                      {"key": "the_count", "title": "the count"},
                                      {"key": "figure_percent", "title": "figure %"}])"));
  EXPECT_EQ(json[0]["rows"][0]["figure_percent"], 1.005);
  EXPECT_EQ(json[0]["rows"][1]["name"], "with, \"quotes\"\nand lines");
  EXPECT_TRUE(json[0]["rows"][2]["the_count"].is_null());
  EXPECT_EQ(json[0]["notes"][0], "a note");
}

TEST(Table, WithoutRows) {
  const Table table = {.title = "T", .columns = {{"a"}}, .rows = {}, .notes = {}};
  EXPECT_EQ(to_text({table}), "T: no rows\n");
  EXPECT_EQ(to_csv(table), "a\r\n");
}

}  // namespace
}  // namespace fpsynth::results
