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
  EXPECT_EQ(to_csv({sample()}),
            "name,the_count,figure_percent\r\n"
            "plain,7,1.005\r\n"
            "\"with, \"\"quotes\"\"\nand lines\",123,20.25\r\n"
            "ä,,0.1\r\n");
}

TEST(Table, SeveralTablesInCsvAreSeparatedByAnEmptyLine) {
  const Table table = {.title = "", .columns = {{"a"}}, .rows = {{std::uint64_t{1}}}, .notes = {}};
  EXPECT_EQ(to_csv({table, table}), "a\r\n1\r\n\r\na\r\n1\r\n");
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
  EXPECT_EQ(to_text({table}), "T\n\na\n-\n");
  EXPECT_EQ(to_csv({table}), "a\r\n");
}

}  // namespace
}  // namespace fpsynth::results
