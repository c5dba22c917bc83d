#include "runners/cli/type_option.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <vector>

#include "runners/data/file_type.hpp"
#include "runners/data/hdf5_chunks.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/standard_streams.hpp"
#include "synth/common/words.hpp"

namespace fpsynth::cli {

using synth::Precision;
using synth::ValueType;

std::optional<ValueType> TypeOption::said() const {
  return synth::type_called(type, &synth::NamedType::code);
}

data::Reading TypeOption::reading() const {
  data::Reading reading{
      .type = said(), .big_endian = endian == data::kBigEndian, .offset = offset, .count = count};
  if (!shape.empty()) reading.shape = data::parse_extents("--shape", shape);
  return reading;
}

void add_byte_order(Command command, TypeOption& option) {
  command
      .add_option("--endian", option.endian,
                  "The byte order of raw files: little (if left out) or big")
      .one_of({std::string(data::kLittleEndian), std::string(data::kBigEndian)});
  command
      .add_option("--offset", option.offset,
                  "Bytes before the first value; the file is then read as raw words, whatever it "
                  "begins with")
      .sizes();
}

void add_shape(Command command, TypeOption& option, const std::string& more) {
  command.add_option("--shape", option.shape,
                     "The extents of raw words, slowest first: 100x200" + more);
}

void add_reading(Command command, TypeOption& option) {
  add_byte_order(command, option);
  command
      .add_option("--count", option.count, "Take so many values, the first ones; all if left out")
      .range(std::uint64_t{1}, UINT64_MAX, "VALUES");
}

void add_type(Command command, TypeOption& option) {
  std::vector<std::string> codes;
  for (const synth::NamedType& named : synth::kValueTypes) codes.emplace_back(named.code);
  command
      .add_option(
          "--type", option.type,
          "What raw files hold: f64 (doubles), f32 (singles), f16 (half), bf16 (bfloat16), or "
          "integers: i64 to i8, unsigned u64 to u8. If left out, their names' endings decide: "
          ".f64, .d64, .dp and "
          ".double, .f32, .sp and .float, or .i64 and so on; files of other names are "
          "refused")
      .one_of(codes);
}

codec::Input open_bytes(const std::string& path) {
  const data::Place place = data::place_of(path);
  if (!place.variable.empty()) {
    raise<UsageError>(
        "{}: this command takes whole files, to the byte; write the variable to a raw file first: "
        "fpsynth data decode {} OUT",
        path, shell_word(path));
  }
  return codec::Input::open(path);
}

ValueType type_of(const codec::Input& input, const TypeOption& option) {
  const std::optional<ValueType> said = option.said();
  const ValueType held = data::held_type(input.name(), input.bytes(), said);
  if (!said && data::is_fpc_name(input.name())) {
    raise<UsageError>(
        "{} is an FPC file, which this command does not decode; decode it first with fpsynth data "
        "decode, or use its bytes as they are with --type {}",
        input.name(), named(Precision::Double).code);
  }
  return held;
}

void add_force_and_verbose(Command command, bool& force, bool& verbose) {
  command.add_flag("--force", force, "Replace OUT if it exists");
  command.add_flag("--verbose", verbose,
                   "Print the summary line even if standard error is no terminal");
}

void summarize(bool verbose, std::uint64_t original, std::uint64_t compressed, bool compressing,
               Clock::time_point start, bool both_ratios) {
  if (!verbose && !::isatty(STDERR_FILENO)) return;
  const double seconds = seconds_since(start);
  const auto bytes = static_cast<double>(original), packed = static_cast<double>(compressed);
  print_error("{} -> {}, ratio {:.3f}, {}{:.3f} s, {:.2f} GB/s\n",
              compressing ? original : compressed,
              counted(compressing ? compressed : original, "byte"), bytes / packed,
              both_ratios ? fmt::format("compressed/original {:.3f}, ", packed / bytes) : "",
              seconds, bytes / seconds / 1e9);
}

}  // namespace fpsynth::cli
