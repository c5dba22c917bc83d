#include "results/queries/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "synth/common/atomic_file.hpp"
#include "synth/common/json.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::results {
namespace {

using Json = nlohmann::ordered_json;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

std::string text_cell(const Cell& cell, const Column& column) {
  return std::visit(
      Overloaded{[](std::monostate) { return std::string("-"); },
                 [](const std::string& text) { return printable(text); },
                 [](std::uint64_t count) { return fmt::format("{}", count); },
                 [&](double figure) { return fmt::format("{:.{}f}", figure, column.decimals); }},
      cell);
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string csv_cell(const Cell& cell) {
  return std::visit(Overloaded{[](std::monostate) { return std::string(); },
                               [](const std::string& text) { return quoted(printable(text)); },
                               [](auto number) { return fmt::format("{}", number); }},
                    cell);
}

Json json_cell(const Cell& cell) {
  return std::visit(Overloaded{[](std::monostate) { return Json(); },
                               [](const auto& value) { return Json(value); }},
                    cell);
}

Json json_of(const std::vector<Table>& tables) {
  Json json = Json::array();
  for (const Table& table : tables) {
    Json columns = Json::array();
    Json rows = Json::array();
    for (const Column& column : table.columns) {
      columns.push_back({{"key", column.key}, {"title", column.title}});
    }
    for (const auto& row : table.rows) {
      Json object = Json::object();
      for (std::size_t c = 0; c < row.size(); ++c) {
        object[table.columns[c].key] = json_cell(row[c]);
      }
      rows.push_back(std::move(object));
    }
    json.push_back({{"title", table.title},
                    {"columns", std::move(columns)},
                    {"rows", std::move(rows)},
                    {"notes", table.notes}});
  }
  return json;
}

/// The number of code points: names of data sets may have characters beyond ASCII.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

/// The words of a text, between spaces.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0, end = 0; at <= text.size(); at = end + 1) {
    end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
  }
  return words;
}

/// The lines of a text that are at most so many columns wide, broken between words where they fit.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  if (width(text) <= columns) return {std::string(text)};
  std::vector<std::string> lines(1);
  for (const std::string_view word : words_of(text)) {
    if (!lines.back().empty()) {
      const bool fits = width(lines.back()) + 1 + width(word) <= columns;
      fits ? lines.back().push_back(' ') : void(lines.emplace_back());
    }
    for (const char c : word) {
      if ((c & 0xc0) != 0x80 && width(lines.back()) == columns) lines.emplace_back();
      lines.back() += c;
    }
  }
  return lines;
}

void append_line(std::string& text, const std::vector<std::string>& cells,
                 const std::vector<std::size_t>& widths, const std::vector<bool>& right,
                 bool markdown) {
  std::string line = markdown ? "| " : "";
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) line += markdown ? " | " : "  ";
    const std::string padding(widths[c] - width(cells[c]), ' ');
    line += right[c] ? padding + cells[c] : cells[c] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + (markdown ? " |\n" : "\n");
}

/// A text in which Markdown finds no marks: pipelines have bars.
std::string unmarked(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\|*`<[").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// A table's texts, the header first, and which columns have numbers.
struct Grid {
  std::vector<std::vector<std::string>> lines;
  std::vector<bool> right;
};

/// The columns of a grid that are `shown`, in lines of at most so many columns. If they do not fit,
/// texts are wrapped; if that is not enough, the last ones follow below, behind the first again.
void append_grid(std::string& text, const Grid& grid, std::vector<std::size_t> shown,
                 std::size_t columns, bool markdown) {
  constexpr std::size_t kWord = 25;  // wider words are broken rather than columns put below
  std::set<std::string> first;
  for (const auto& line : grid.lines) first.insert(line[0]);
  const std::size_t keys = grid.right.size() > 2 && first.size() < grid.lines.size() ? 2 : 1;
  std::vector<std::size_t> widths, least, below;
  std::size_t total = 0, narrowest = 0;
  for (const std::size_t c : shown) {
    std::size_t widest = markdown ? 3 : 0, word = 1;
    for (const auto& line : grid.lines) {
      widest = std::max(widest, width(line[c]));
      for (const std::string_view one : words_of(line[c])) word = std::max(word, width(one));
    }
    word = std::min({word, widest, kWord});
    if (!below.empty() || (widths.size() > keys && narrowest + word > columns)) {
      below.push_back(c);
      continue;
    }
    widths.push_back(widest);
    least.push_back(word);
    total += widest + 2;
    narrowest += word + 2;
  }
  shown.resize(widths.size());
  for (; total - 2 > columns; --total) {
    std::size_t* longest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] > least[i] && (!longest || widths[i] > *longest)) longest = &widths[i];
    }
    if (!longest) break;
    --*longest;
  }
  std::vector<bool> right;
  std::vector<std::string> rule;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    right.push_back(grid.right[shown[i]]);
    rule.emplace_back(widths[i], '-');
    if (markdown && right[i]) rule[i].back() = ':';
  }
  for (const auto& line : grid.lines) {
    std::vector<std::vector<std::string>> rows(1);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      std::size_t at = 0;
      for (const std::string& part : wrapped(line[shown[i]], widths[i])) {
        if (at == rows.size()) rows.emplace_back();
        rows[at].resize(shown.size());
        rows[at++][i] = part;
      }
    }
    for (const auto& row : rows) append_line(text, row, widths, right, markdown);
    if (&line == &grid.lines[0]) append_line(text, rule, widths, right, markdown);
  }
  if (below.empty()) return;
  text += '\n';
  for (std::size_t c = keys; c-- > 0;) below.insert(below.begin(), c);
  append_grid(text, grid, std::move(below), columns, markdown);
}

void append_text(std::string& text, const Table& table, bool markdown, std::size_t columns) {
  const auto plain = [&](const std::string& words) {
    return markdown ? unmarked(printable(words)) : printable(words);
  };
  Grid grid{.lines = {{}}, .right = {}};
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    shown.push_back(c);
    grid.lines[0].push_back(plain(table.columns[c].title));
    grid.right.push_back(
        std::ranges::any_of(table.rows, [&](const auto& row) { return row[c].index() > 1; }));
  }
  for (const auto& row : table.rows) {
    grid.lines.emplace_back();
    for (const std::size_t c : shown) {
      grid.lines.back().push_back(plain(text_cell(row[c], table.columns[c])));
    }
  }
  const auto lines = [&](const std::string& words) {
    return fmt::format("{}\n", fmt::join(wrapped(plain(words), columns), "\n"));
  };
  if (table.rows.empty()) {
    text += lines(table.title + ": no rows");
  } else {
    text += (markdown ? "### " : "") + lines(table.title) + "\n";
    append_grid(text, grid, std::move(shown), columns, markdown);
  }
  if (!table.notes.empty()) text += '\n';
  for (const std::string& note : table.notes) {
    text += (markdown ? "- note: " : "") + lines((markdown ? "" : "note: ") + note);
  }
}

bool has_ratios(const Table& table) {
  return std::ranges::any_of(table.columns, [](const Column& column) {
    const std::string_view title = column.title;
    return title == "CR" || title.starts_with("CR ") || title.ends_with(" CR");
  });
}

bool have_same_keys(const Table& a, const Table& b) {
  return std::ranges::equal(a.columns, b.columns, {}, &Column::key, &Column::key);
}

std::string title_of(std::string key) {
  std::ranges::replace(key, '_', ' ');
  return key;
}

}  // namespace

Column::Column(std::string key_, int decimals_)
    : key(std::move(key_)), title(title_of(key)), decimals(decimals_) {}

Column::Column(std::string key_, std::string title_, int decimals_)
    : key(std::move(key_)), title(std::move(title_)), decimals(decimals_) {}

std::string to_text(const std::vector<Table>& tables, bool markdown, std::size_t columns) {
  std::string text;
  for (const Table& table : tables) {
    if (!text.empty()) text += '\n';
    append_text(text, table, markdown, columns);
  }
  if (std::ranges::any_of(tables, has_ratios)) {
    text += fmt::format("{}{}note: CR: compression ratio, original bytes / compressed bytes\n",
                        tables.back().notes.empty() ? "\n" : "", markdown ? "- " : "");
  }
  return text;
}

std::vector<Table> as_files(std::vector<Table> tables) {
  std::vector<Table> files;
  for (Table& table : tables) {
    const bool divided = !table.all.empty();
    std::vector<Cell> common;
    std::vector<Column> columns;
    for (auto& [column, cell] : table.all) {
      columns.push_back(std::move(column));
      common.push_back(std::move(cell));
    }
    table.columns.insert(table.columns.begin(), columns.begin(), columns.end());
    for (auto& row : table.rows) row.insert(row.begin(), common.begin(), common.end());
    const auto part = std::ranges::find_if(files, [&](const Table& file) {
      return divided && !file.all.empty() && have_same_keys(file, table);
    });
    if (part == files.end()) {
      files.push_back(std::move(table));
      continue;
    }
    std::ranges::move(table.rows, std::back_inserter(part->rows));
    for (std::string& note : table.notes) {
      if (std::ranges::find(part->notes, note) == part->notes.end()) {
        part->notes.push_back(std::move(note));
      }
    }
  }
  return files;
}

std::string to_csv(const Table& table) {
  const auto key_of = [](const Column& column) { return quoted(printable(column.key)); };
  std::string text = joined(table.columns, ",", key_of) + "\r\n";
  for (const auto& row : table.rows) text += joined(row, ",", csv_cell) + "\r\n";
  return text;
}

std::string to_json(const std::vector<Table>& tables) {
  return json_text(json_of(tables), 1) + "\n";
}

void write_tables(const std::filesystem::path& path, const std::vector<Table>& tables,
                  const Origin& origin) {
  const Json json = {
      {"schema", kTablesSchema},
      {"version", kTablesVersion},
      {"kind", origin.kind},
      {"program",
       {{"version", synth::kVersion}, {"commit", synth::kCommit}, {"compiler", synth::kCompiler}}},
      {"machine", {{"cpu", origin.cpu}, {"threads", origin.threads}}},
      {"command", origin.command},
      {"tables", json_of(tables)}};
  write_whole(path, json_text(json, 1) + "\n");
}

}  // namespace fpsynth::results
