#include "results/queries/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fpsynth::results {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

std::string text_cell(const Cell& cell, const Column& column) {
  return std::visit(
      Overloaded{[](std::monostate) { return std::string("-"); },
                 [](const std::string& text) { return text; },
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
                               [](const std::string& text) { return quoted(text); },
                               [](auto number) { return fmt::format("{}", number); }},
                    cell);
}

nlohmann::ordered_json json_cell(const Cell& cell) {
  return std::visit(Overloaded{[](std::monostate) { return nlohmann::ordered_json(); },
                               [](const auto& value) { return nlohmann::ordered_json(value); }},
                    cell);
}

/// Code points, not bytes: data sets may have names beyond ASCII.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

void append_line(std::string& text, const std::vector<std::string>& cells,
                 const std::vector<std::size_t>& widths, const std::vector<bool>& right) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) line += "  ";
    const std::string padding(widths[c] - width(cells[c]), ' ');
    line += right[c] ? padding + cells[c] : cells[c] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + '\n';
}

void append_text(std::string& text, const Table& table) {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  std::vector<std::string> header, rule;
  std::vector<std::vector<std::string>> lines(table.rows.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    header.push_back(table.columns[c].name);
    std::size_t widest = width(header.back());
    bool numeric = false;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const Cell& cell = table.rows[r][c];
      lines[r].push_back(text_cell(cell, table.columns[c]));
      widest = std::max(widest, width(lines[r].back()));
      numeric = numeric || cell.index() > 1;
    }
    widths.push_back(widest);
    right.push_back(numeric);
    rule.emplace_back(widest, '-');
  }
  text += table.title + "\n\n";
  append_line(text, header, widths, right);
  append_line(text, rule, widths, right);
  for (const auto& line : lines) append_line(text, line, widths, right);
  if (!table.notes.empty()) text += '\n';
  for (const std::string& note : table.notes) text += fmt::format("note: {}\n", note);
}

}  // namespace

std::string to_text(const std::vector<Table>& tables) {
  std::string text;
  for (const Table& table : tables) {
    if (!text.empty()) text += '\n';
    append_text(text, table);
  }
  return text;
}

std::string to_csv(const std::vector<Table>& tables) {
  std::string text;
  for (const Table& table : tables) {
    if (!text.empty()) text += "\r\n";
    std::vector<std::string> cells;
    for (const Column& column : table.columns) cells.push_back(quoted(column.name));
    text += fmt::format("{}\r\n", fmt::join(cells, ","));
    for (const auto& row : table.rows) {
      cells.clear();
      for (const Cell& cell : row) cells.push_back(csv_cell(cell));
      text += fmt::format("{}\r\n", fmt::join(cells, ","));
    }
  }
  return text;
}

std::string to_json(const std::vector<Table>& tables) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Table& table : tables) {
    nlohmann::ordered_json columns = nlohmann::ordered_json::array();
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Column& column : table.columns) columns.push_back(column.name);
    for (const auto& row : table.rows) {
      nlohmann::ordered_json object = nlohmann::ordered_json::object();
      for (std::size_t c = 0; c < row.size(); ++c) {
        object[table.columns[c].name] = json_cell(row[c]);
      }
      rows.push_back(std::move(object));
    }
    json.push_back({{"title", table.title},
                    {"columns", std::move(columns)},
                    {"rows", std::move(rows)},
                    {"notes", table.notes}});
  }
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace fpsynth::results
