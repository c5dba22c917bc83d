#include "tests/ptx/interpreter/parser.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

#include "tests/ptx/interpreter/operations.hpp"
#include "tests/ptx/interpreter/text.hpp"

namespace fpsynth::ptx {
namespace {

Width width_of_declaration(std::string_view type) {
  if (type == "pred") return Width::Predicate;
  if (type == "b16") return Width::B16;
  if (type == "b32" || type == "f32") return Width::B32;
  if (type == "b64" || type == "f64") return Width::B64;
  return Width::None;
}

/// Parses one kernel.
class Parser {
 public:
  Parser(std::string_view file, std::size_t begin, Kernel& kernel)
      : kernel_(kernel), rest_(file.substr(begin)) {
    line_ = 1 + std::uint32_t(std::count(file.begin(), file.begin() + std::ptrdiff_t(begin), '\n'));
    kernel_.places.emplace_back();
  }

  void run() {
    head();
    scopes_.emplace_back();
    const char* const specials[] = {"%tid.x", "%ctaid.x", "%nctaid.x", "%ntid.x"};
    for (std::size_t i = 0; i < kernel_.specials.size(); ++i) {
      kernel_.specials[i] = declare(specials[i], Width::B32);
    }
    while (!scopes_.empty()) item();
    for (const auto& [index, label] : branches_) {
      const auto found = labels_.find(label);
      if (found == labels_.end()) fail("no label " + std::string(label));
      kernel_.code[index].target = found->second;
    }
    allocate_registers(kernel_, widths_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Fault("PTX, line " + std::to_string(line_) + ": " + what);
  }
  [[noreturn]] void unknown(std::string_view what) const {
    fail("unknown: " + std::string(trimmed(what)));
  }

  /// Parses up to the body: the kernel has one parameter, a struct.
  void head() {
    const std::string_view head = advance(rest_.find('{') + 1);
    const auto parameter = head.find(".param .align");
    if (parameter == head.npos || head.find(".param", parameter + 1) != head.npos) {
      fail("the kernel has not one parameter, a struct");
    }
    std::string_view declaration = head.substr(parameter, head.find(']', parameter) - parameter);
    const auto open = declaration.find('[');
    kernel_.parameter_bytes = std::size_t(number(declaration.substr(open + 1)));
    declaration = declaration.substr(0, open);
    symbols_[declaration.substr(declaration.rfind(' ') + 1)] = kParameterWindow;
  }
  std::string_view advance(std::size_t characters) {
    const std::string_view passed = rest_.substr(0, characters);
    line_ += std::uint32_t(std::count(passed.begin(), passed.end(), '\n'));
    rest_.remove_prefix(passed.size());
    return passed;
  }

  /// Parses the begin or end of a scope, a place in the source, a label or a statement.
  void item() {
    advance(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    if (rest_.empty()) fail("the kernel has no end");
    if (rest_.starts_with("//")) {
      advance(rest_.find('\n'));
    } else if (rest_[0] == '{') {
      advance(1);
      scopes_.emplace_back();
    } else if (rest_[0] == '}') {
      advance(1);
      scopes_.pop_back();
    } else if (rest_.starts_with(".loc")) {
      place(advance(rest_.find('\n')));
    } else if (rest_[0] == '$') {
      const auto label = advance(rest_.find(':') + 1);
      labels_[label.substr(0, label.size() - 1)] = std::uint32_t(kernel_.code.size());
    } else {
      const std::string_view text = rest_.substr(0, rest_.find(';'));
      text[0] == '.' ? directive(text) : statement(text);
      advance(text.size() + 1);
    }
  }

  void directive(std::string_view text) {
    if (text.starts_with(".pragma")) return;
    std::string_view declaration = text;
    if (!take_prefix(declaration, ".reg .")) unknown(text);
    const Width width = width_of_declaration(take(declaration, kBlanks));
    if (width == Width::None) unknown(text);
    while (!declaration.empty()) {
      std::string_view name = trimmed(take(declaration, ","));
      if (name.empty()) continue;
      const auto many = name.find('<');
      if (many == name.npos) {
        declare(name, width);
      } else {
        families_[name.substr(0, many)] = width;
      }
    }
  }
  Operand declare(std::string_view name, Width width) {
    const Operand made{std::uint32_t(widths_.size()), false, width};
    widths_.push_back(width);
    scopes_.back()[name] = made;
    return made;
  }
  Operand find_register(std::string_view name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto found = scope->find(name);
      if (found != scope->end()) return found->second;
    }
    const auto family = families_.find(name.substr(0, name.find_last_not_of("0123456789") + 1));
    if (family == families_.end()) unknown(name);
    const Operand made{std::uint32_t(widths_.size()), false, family->second};
    widths_.push_back(family->second);
    return scopes_.front()[name] = made;
  }

  /// .loc FILE LINE COLUMN[, function_name NAME, inlined_at FILE LINE COLUMN]
  void place(std::string_view text) {
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    const auto key_in = [&](std::string_view numbers) {
      std::int64_t parts[3];
      for (std::int64_t& part : parts) {
        numbers = trimmed(numbers);
        part = number(take(numbers, " ,"));
      }
      return Key(parts[0], parts[1], parts[2]);
    };
    const Key key = key_in(text.substr(4));
    Place made{std::uint32_t(std::get<0>(key)), std::uint32_t(std::get<1>(key)), 0};
    if (const auto at = text.find("inlined_at "); at != text.npos) {
      made.caller = place_at_[key_in(text.substr(at + 11))];
    }
    place_at_[key] = std::uint32_t(kernel_.places.size());
    kernel_.places.push_back(made);
  }

  std::int64_t number(std::string_view text) const {
    text = trimmed(text);
    const bool negative = take_prefix(text, "-");
    const int base = take_prefix(text, "0x") ? 16 : 10;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end == text.data()) unknown(text);
    return std::int64_t(negative ? 0 - value : value);
  }
  std::uint64_t constant_value(std::string_view text) const {
    const auto symbol = symbols_.find(text);
    if (symbol != symbols_.end()) return symbol->second;
    if (take_prefix(text, "0f") || take_prefix(text, "0d")) {
      return std::uint64_t(number("0x" + std::string(text)));
    }
    return std::uint64_t(number(text));
  }
  Operand constant(std::uint64_t value, Width width) {
    const auto [known, is_new] =
        constants_.emplace(std::pair(value, width), std::uint32_t(kernel_.constants.size()));
    if (is_new) {
      kernel_.constants.resize(kernel_.constants.size() + row_bytes(width));
      std::byte* const row = kernel_.constants.data() + known->second;
      const std::uint32_t mask = value & 1 ? kAllLanes : 0;
      if (width == Width::Predicate) std::memcpy(row, &mask, sizeof(mask));
      const std::size_t lane_bytes = std::size_t(width) / 8;
      for (std::size_t i = 0; i < kWarpLanes; ++i) {
        std::memcpy(row + i * lane_bytes, &value, lane_bytes);
      }
    }
    return {known->second, true, width};
  }
  Operand operand(std::string_view text, Width width) {
    if (!text.starts_with('%')) return constant(constant_value(text), width);
    const Operand found = find_register(text);
    if (found.width != width) fail(std::string(text) + " is a register of another width");
    return found;
  }

  void statement(std::string_view text) {
    Instruction instruction;
    instruction.line = line_;
    instruction.place = std::uint32_t(kernel_.places.size() - 1);
    const std::string_view whole = text;
    if (take_prefix(text, "@")) {
      instruction.guard =
          take_prefix(text, "!") ? Instruction::Guard::Unless : Instruction::Guard::If;
      instruction.predicate = operand(take(text, kBlanks), Width::Predicate);
      text = trimmed(text);
    }
    const std::string_view name = take(text, kBlanks);
    fill(instruction, name, split_operands(text), whole);
  }
  void add(Instruction instruction, std::initializer_list<Operand> operands, unsigned outputs,
           std::string_view text) {
    for (const Operand& operand : operands) instruction.operands[instruction.count++] = operand;
    instruction.outputs = std::uint8_t(outputs);
    kernel_.code.push_back(instruction);
    kernel_.texts.push_back(text);
  }

  void fill(Instruction& made, std::string_view name, const std::vector<std::string_view>& operands,
            std::string_view text) {
    const auto has = [&](std::size_t count) {
      if (operands.size() != count) unknown(text);
    };
    std::string_view tail = name;
    if (name == "ret") {
      made.kind = Kind::Return;
      add(made, {}, 0, text);
    } else if (name == "bra" || name == "bra.uni") {
      has(1);
      made.kind = Kind::Branch;
      branches_.emplace_back(kernel_.code.size(), operands[0]);
      add(made, {}, 0, text);
    } else if (name == "bar.sync" || name == "barrier.sync") {
      has(1);
      if (operands[0] != "0") unknown(text);
      made.kind = Kind::Barrier;
      add(made, {}, 0, text);
    } else if (name == "bar.red.or.pred") {
      has(3);
      made.kind = Kind::BarrierOr;
      add(made, {operand(operands[0], Width::Predicate), operand(operands[2], Width::Predicate)}, 1,
          text);
    } else if (name == "bar.warp.sync") {
      has(1);
      made.kind = Kind::WarpBarrier;
      add(made, {operand(operands[0], Width::B32)}, 0, text);
    } else if (name == "nanosleep.u32") {
      made.kind = Kind::Pause;
      add(made, {}, 0, text);
    } else if (name == "vote.sync.ballot.b32") {
      has(3);
      made.kind = Kind::Ballot;
      add(made,
          {operand(operands[0], Width::B32), operand(operands[1], Width::Predicate),
           operand(operands[2], Width::B32)},
          1, text);
    } else if (take_prefix(tail, "redux.sync.")) {
      has(3);
      made.kind = Kind::Reduce;
      if (!(made.combine = combine(tail))) unknown(text);
      add(made,
          {operand(operands[0], Width::B32), operand(operands[1], Width::B32),
           operand(operands[2], Width::B32)},
          1, text);
    } else if (take_prefix(tail, "shfl.sync.")) {
      has(6);
      made.kind = Kind::Shuffle;
      if (!(made.source = source(take(tail, "."))) || tail != "b32") unknown(text);
      add(made,
          {operand(operands[0], Width::B32), operand(operands[1], Width::Predicate),
           operand(operands[2], Width::B32), operand(operands[3], Width::B32),
           operand(operands[4], Width::B32), operand(operands[5], Width::B32)},
          2, text);
    } else if (name.starts_with("ld.") || name.starts_with("st.")) {
      has(2);
      access(made, name, operands, text);
    } else if (name.starts_with("atom.")) {
      atomic(made, tail.substr(5), operands, text);
    } else if (name.starts_with("mov.b") && operands.size() == 2 && operands[0].starts_with('{')) {
      const auto halves = split_operands(operands[0].substr(1, operands[0].size() - 2));
      if (halves.size() != 2) unknown(text);
      compute(made, std::string(name) + ".0", {halves[0], operands[1]}, text);
      compute(made, std::string(name) + ".1", {halves[1], operands[1]}, text);
    } else if (name.starts_with("mov.b") && operands.size() == 2 && operands[1].starts_with('{')) {
      const auto halves = split_operands(operands[1].substr(1, operands[1].size() - 2));
      if (halves.size() != 2) unknown(text);
      compute(made, name, {operands[0], halves[0], halves[1]}, text);
    } else {
      compute(made, name, operands, text);
    }
  }

  void compute(Instruction made, std::string_view name,
               const std::vector<std::string_view>& operands, std::string_view text) {
    std::vector<Width> widths;
    for (const std::string_view operand : operands) {
      widths.push_back(operand.starts_with('%') ? find_register(operand).width : Width::None);
    }
    for (const Operation& operation : ptx::operations(name)) {
      if (!operation.takes(widths)) continue;
      made.compute = operation.compute;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        made.operands[made.count++] = operand(operands[i], operation.widths[i]);
      }
      add(made, {}, 1, text);
      return;
    }
    unknown(text);
  }

  /// [register+offset], [symbol+offset] or [number]
  Operand address(std::string_view text, std::int64_t& offset) {
    if (!text.starts_with('[') || !text.ends_with(']')) unknown(text);
    text = text.substr(1, text.size() - 2);
    const std::string_view base = trimmed(take(text, "+"));
    offset = text.empty() ? 0 : number(text);
    return base.starts_with('%') ? find_register(base) : constant(constant_value(base), Width::B64);
  }
  Space space_in(std::string_view& name) const {
    if (take_prefix(name, "global.")) return Space::Global;
    if (take_prefix(name, "shared.")) return Space::Shared;
    if (take_prefix(name, "param.")) return Space::Parameter;
    return Space::Generic;
  }
  std::uint8_t bytes_of(std::string_view type) const {
    return std::uint8_t(number(type.substr(1)) / 8);
  }
  void access(Instruction& made, std::string_view name,
              const std::vector<std::string_view>& operands, std::string_view text) {
    const bool load = name.starts_with("ld.");
    name.remove_prefix(3);
    made.kind = load ? Kind::Load : Kind::Store;
    made.ordered = take_prefix(name, "relaxed.gpu.");
    made.space = space_in(name);
    made.elements = take_prefix(name, "v2.") ? 2 : take_prefix(name, "v4.") ? 4 : 1;
    std::string_view values = operands[load ? 0 : 1];
    if (made.elements > 1) values = values.substr(1, values.size() - 2);
    const auto elements = split_operands(values);
    if (elements.size() != made.elements) unknown(text);
    for (const std::string_view element : elements) {
      Width width = element.starts_with('%') ? find_register(element).width : Width::B64;
      made.transfer = transfer(load, name, width);
      if (!made.transfer) unknown(text);
      made.operands[made.count++] = operand(element, width);
    }
    made.bytes = bytes_of(name);
    made.operands[made.count++] = address(operands[load ? 1 : 0], made.offset);
    add(made, {}, load ? made.elements : 0, text);
  }
  void atomic(Instruction& made, std::string_view name,
              const std::vector<std::string_view>& operands, std::string_view text) {
    made.kind = Kind::Atomic;
    made.ordered = true;
    made.space = space_in(name);
    if (operands.size() != 3) unknown(text);
    if (!(made.combine = combine(name))) unknown(text);
    made.bytes = bytes_of(name.substr(name.find('.') + 1));
    const Width width = Width(8 * made.bytes);
    const Operand at = address(operands[1], made.offset);
    add(made, {operand(operands[0], width), operand(operands[2], width), at}, 1, text);
  }

  Kernel& kernel_;
  std::string_view rest_;
  std::uint32_t line_ = 1;
  std::vector<Width> widths_;  ///< of the registers
  std::vector<std::map<std::string_view, Operand>> scopes_;
  std::map<std::string_view, Width> families_;
  std::map<std::string_view, std::uint64_t> symbols_{{"_ZN7fpsynth5teams6memoryE", kSharedBase}};
  std::map<std::pair<std::uint64_t, Width>, std::uint32_t> constants_;
  std::map<std::string_view, std::uint32_t> labels_;
  std::vector<std::pair<std::size_t, std::string_view>> branches_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::uint32_t> place_at_;
};

}  // namespace

Kernel parse_kernel(std::string_view file, std::size_t begin) {
  Kernel kernel;
  Parser(file, begin, kernel).run();
  return kernel;
}

}  // namespace fpsynth::ptx
