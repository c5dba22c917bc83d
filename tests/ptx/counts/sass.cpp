#include "tests/ptx/counts/sass.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string_view>

#include "tests/ptx/interpreter/text.hpp"

namespace fpsynth::ptx {
namespace {

/// Fills in what ptxas decided, from the upper half of the 128 bits of an instruction: its bits
/// 105..108 are the stall count, 109 yields, then two scoreboards of 3 bits and a mask of 6.
void decode(std::uint64_t upper, SassInstruction& instruction) {
  instruction.stall = std::uint8_t(std::max<std::uint64_t>(upper >> 41 & 15, 1));
  instruction.when_written = upper >> 46 & 7;
  instruction.when_read = upper >> 49 & 7;
  instruction.waits = upper >> 52 & 63;
}

/// Opcodes that are not listed are taken for instructions of integers.
Pipe pipe_of(const std::string& opcode) {
  using Opcodes = std::set<std::string>;
  static const Opcodes multiply{"IMAD", "IMUL", "IDP", "FFMA", "FMUL", "FADD"};
  static const Opcodes special{"POPC", "FLO", "BREV", "REDUX", "MUFU", "I2F", "F2I", "F2F", "I2I"};
  static const Opcodes none{
      "LD",     "LDG",    "LDL",    "LDS",           "LDC",   "LDGSTS", "LDSM",     "ST",
      "STG",    "STL",    "STS",    "ATOM",          "ATOMG", "ATOMS",  "RED",      "CCTL",
      "NOP",    "MEMBAR", "FENCE",  "BAR",           "BRA",   "BRX",    "CALL",     "RET",
      "EXIT",   "BSSY",   "BSYNC",  "BREAK",         "YIELD", "S2R",    "WARPSYNC", "NANOSLEEP",
      "ERRBAR", "CS2R",   "DEPBAR", "ENDCOLLECTIVE", "BMOV",  "REDG"};
  if (multiply.contains(opcode)) return Pipe::Multiply;
  if (special.contains(opcode)) return Pipe::Special;
  if (opcode == "SHFL") return Pipe::Shuffle;
  // Uniform instructions have a pipe of their own.
  return none.contains(opcode) || opcode.starts_with('U') || opcode == "R2UR" || opcode == "S2UR"
             ? Pipe::None
             : Pipe::Integer;
}

bool ends_block(const std::string& opcode) {
  static const std::set<std::string> ends{"BRA", "BRX", "CALL", "RET", "EXIT", "BREAK", "BSYNC"};
  return ends.contains(opcode);
}

/// The waits for an instruction, in cycles from its issue: until its result is there, and until its
/// operands are read.
struct Latency {
  const char* opcode;
  double written, read;
};
constexpr Latency kShared{"LDS", 24, 9};
constexpr Latency kGlobal{"LDG", 32, 11};
constexpr Latency kTable[] = {
    kShared,         kGlobal,         {"LD", 32, 11}, {"LDL", 32, 11}, {"LDC", 29, 29},
    {"STS", 12, 12}, {"STG", 14, 14}, {"ST", 14, 14}, {"STL", 14, 14},
};
Latency latency_of(const std::string& opcode) {
  const auto* const found = std::find_if(std::begin(kTable), std::end(kTable),
                                         [&](const Latency& l) { return opcode == l.opcode; });
  return found != std::end(kTable) ? *found : kShared;
}

/// A warp that issues the code in the order in which it is laid out.
class Issue {
 public:
  /// `global`: the latency of global memory.
  explicit Issue(double global) : global_(global) {}
  /// The cycles of an instruction. `runs`: of its line.
  double operator()(const SassInstruction& instruction, const Runs& runs) {
    if (!instruction.joins) ready_.fill(0);
    const double earliest = now_;
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      if (instruction.waits >> i & 1) now_ = std::max(now_, ready_[i]);
    }
    Latency latency = latency_of(instruction.opcode);
    if (instruction.opcode == "LD" || instruction.opcode == "LDG") {
      const double part = runs.warps ? double(runs.global) / double(runs.warps) : 1;
      latency.written = part * global_ + (1 - part) * kShared.written;
    } else if (instruction.opcode.starts_with("ATOMG")) {
      latency.written = global_;
    }
    set(instruction.when_written, latency.written);
    set(instruction.when_read, latency.read);
    now_ += instruction.stall;
    return now_ - earliest;
  }

 private:
  void set(std::uint8_t scoreboard, double cycles) {
    if (scoreboard < ready_.size())
      ready_[scoreboard] = std::max(ready_[scoreboard], now_ + cycles);
  }
  double global_, now_ = 0;
  std::array<double, 6> ready_{};
};

/// Counts of how often each basic block ran. All its instructions run equally often, but their
/// lines did not always: ptxas moves, copies and merges. A line whose instructions are in several
/// blocks was copied, so its count is shared out among them; the median of a block's instructions
/// is the block's.
std::vector<double> runs_of_blocks(const std::vector<SassInstruction>& code,
                                   const std::map<std::uint32_t, Runs>& lines) {
  std::map<std::uint32_t, std::set<std::uint32_t>> blocks_of;
  for (const SassInstruction& instruction : code) {
    blocks_of[instruction.line].insert(instruction.block);
  }
  std::vector<double> blocks(code.empty() ? 0 : code.back().block + 1u), counts;
  for (std::size_t i = 0; i < code.size();) {
    const std::uint32_t block = code[i].block;
    counts.clear();
    for (; i < code.size() && code[i].block == block; ++i) {
      const auto line = lines.find(code[i].line);
      if (line == lines.end()) continue;
      counts.push_back(double(line->second.warps) / double(blocks_of[code[i].line].size()));
    }
    if (counts.empty()) continue;
    const auto middle = counts.begin() + std::ptrdiff_t(counts.size() / 2);
    std::nth_element(counts.begin(), middle, counts.end());
    blocks[block] = *middle;
  }
  return blocks;
}

}  // namespace

const char* const kLatencies =
    "LDS 24, LDG, LD and LDL in L1 32, LDC 29, operands of stores 12 and 14: Huerta et al., "
    "Dissecting and Modeling the Architecture of Modern GPU Cores, MICRO 2025, table 2 (Ampere); "
    "L2: about, after Luo et al., arXiv:2402.13499; all else that sets a scoreboard (SHFL, POPC, "
    "FLO, ...) is "
    "taken for an LDS";

std::map<std::string, std::vector<SassInstruction>> read_sass(const std::filesystem::path& file) {
  constexpr std::string_view kSection = ".text.", kLine = ".nv_debug_ptx_txt\", line ";
  std::map<std::string, std::vector<SassInstruction>> functions;
  std::vector<SassInstruction>* code = nullptr;
  SassInstruction next;
  bool begins = true, always = false;
  std::ifstream in(file);
  for (std::string text; std::getline(in, text);) {
    std::string_view line = trimmed(text);
    if (line.starts_with(kSection) && line.ends_with(":")) {
      code =
          &functions[std::string(line.substr(kSection.size(), line.size() - kSection.size() - 1))];
      next = {};
    } else if (line.starts_with(".L_") && line.ends_with(":")) {
      begins = true;
    } else if (const auto at = line.find(kLine); at != line.npos) {
      next.line = std::uint32_t(std::atoi(std::string(line.substr(at + kLine.size())).c_str()));
    } else if (code && line.starts_with("/* 0x")) {  // the upper half of the instruction before
      decode(std::strtoull(std::string(line.substr(3)).c_str(), nullptr, 16), code->back());
    } else if (code && line.starts_with("/*")) {
      take(line, " \t");  // its address
      line = trimmed(line);
      const bool guarded = line.starts_with('@');
      if (guarded) take(line, " \t");
      next.opcode = take(line, " \t.;");
      next.joins = !always;
      if (begins && !code->empty()) ++next.block;
      code->push_back(next);
      begins = ends_block(next.opcode);
      always = !guarded && (next.opcode == "BRA" || next.opcode == "EXIT" || next.opcode == "RET");
    }
  }
  return functions;
}

SassEstimate estimate(const std::vector<SassInstruction>& code,
                      const std::map<std::uint32_t, Runs>& lines, double l2_cycles) {
  constexpr std::size_t kInstructionBytes = 16, kCacheLine = 128;
  const std::vector<double> blocks = runs_of_blocks(code, lines);
  Issue near(kGlobal.written), far(l2_cycles);
  SassEstimate sum;
  // Of each line of the cache, the instructions that run and how often it is fetched.
  std::vector<double> cache_lines(code.size() * kInstructionBytes / kCacheLine + 1);
  std::vector<double> fetches(cache_lines.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto line = lines.find(code[i].line);
    const Runs runs = line == lines.end() ? Runs() : line->second;
    const double count = blocks[code[i].block];
    sum.instructions += count;
    sum.by_stalls += count * code[i].stall;
    sum.by_latencies += count * near(code[i], runs);
    sum.from_l2 += count * far(code[i], runs);
    if (const Pipe pipe = pipe_of(code[i].opcode); pipe != Pipe::None) {
      sum.pipes[std::size_t(pipe)] += count;
    }
    const std::size_t of_cache = i * kInstructionBytes / kCacheLine;
    cache_lines[of_cache] += count;
    fetches[of_cache] = std::max(fetches[of_cache], count);
  }
  std::sort(fetches.rbegin(), fetches.rend());
  for (std::size_t i = kInstructionCache / kCacheLine; i < fetches.size(); ++i) {
    sum.misses += fetches[i];
  }
  std::sort(cache_lines.rbegin(), cache_lines.rend());
  double left = 0.9 * sum.instructions;
  for (std::size_t i = 0; i < cache_lines.size() && left > 0; ++i) {
    left -= cache_lines[i];
    sum.hot_bytes += kCacheLine;
  }
  const double all = std::max(sum.instructions, 1.0);
  for (double* const each : {&sum.by_stalls, &sum.by_latencies, &sum.from_l2, &sum.misses}) {
    *each /= all;
  }
  for (double& share : sum.pipes) share /= all;
  return sum;
}

}  // namespace fpsynth::ptx
