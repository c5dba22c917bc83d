#include "runners/baselines/holt/format.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <cstring>
#include <utility>

#include "runners/baselines/compressor.hpp"
#include "synth/common/raise.hpp"

namespace fpsynth::baselines {
namespace {

constexpr char kMagic[] = {'H', 'O', 'L', 'T'};
constexpr std::uint8_t kVersion = 1;

}  // namespace

void refuse_holt(std::string_view name, std::string_view what) {
  raise("{}: {}; the file is damaged or not a Holt file; create it again", name, what);
}

void check_holt(const HoltParameters& parameters) {
  for (const auto& [name, value] :
       {std::pair{"alpha", parameters.alpha}, std::pair{"beta", parameters.beta}}) {
    if (!(value >= 0 && value <= 1)) {
      raise<UsageError>("Holt with {} {}; it must be 0 to 1", name, value);
    }
  }
  expect_allowed("Holt with runs of {} values", parameters.run, 1, kMaxHoltRun);
}

void put_holt_frame(const HoltLayout& layout, std::span<const std::byte> input,
                    std::vector<std::byte>& out) {
  out.assign(layout.runs_at(), std::byte{0});
  std::memcpy(out.data(), kMagic, sizeof kMagic);
  out[4] = static_cast<std::byte>(kVersion);
  out[5] = static_cast<std::byte>(layout.word_bytes);
  out[6] = std::byte(!layout.parameters.floats);
  store(out.data() + 8, layout.parameters.run);
  store(out.data() + 12, std::bit_cast<std::uint64_t>(layout.parameters.alpha));
  store(out.data() + 20, std::bit_cast<std::uint64_t>(layout.parameters.beta));
  store(out.data() + 28, static_cast<std::uint64_t>(input.size()));
  store(out.data() + 36, static_cast<std::uint64_t>(XXH3_64bits(input.data(), input.size())));
  store(out.data() + 44, static_cast<std::uint64_t>(layout.runs()));
  std::ranges::copy(input.last(layout.tail()), out.begin() + kHoltHeaderBytes);
}

void put_holt_sizes(const HoltLayout& layout, std::size_t first,
                    std::span<const std::uint32_t> sizes, std::byte* frame) {
  std::byte* at = frame + layout.sizes_at() + first * layout.size_bytes();
  for (const std::uint32_t size : sizes) {
    std::memcpy(at, &size, layout.size_bytes());
    at += layout.size_bytes();
  }
}

HoltLayout parse_holt(std::span<const std::byte> file, std::string_view name) {
  if (file.size() < kHoltHeaderBytes) {
    refuse_holt(name, fmt::format("a header needs {} bytes, the file has {}", kHoltHeaderBytes,
                                  file.size()));
  }
  if (std::memcmp(file.data(), kMagic, sizeof kMagic) != 0)
    refuse_holt(name, "it does not begin with HOLT");
  const auto version = std::to_integer<unsigned>(file[4]);
  const auto word_bytes = std::to_integer<unsigned>(file[5]);
  if (version != kVersion) {
    raise(
        "{}: version {} of the format; this program reads version {}; decompress it with the "
        "program that wrote it",
        name, version, kVersion);
  }
  if (word_bytes != 4 && word_bytes != 8) {
    refuse_holt(name, fmt::format("words of {} bytes; they have 4 or 8", word_bytes));
  }
  const auto integers = load<std::uint16_t>(file.data() + 6);
  if (integers > 1) refuse_holt(name, "bytes 6 and 7 are neither 0 nor 1");
  const HoltParameters parameters{std::bit_cast<double>(load<std::uint64_t>(file.data() + 12)),
                                  std::bit_cast<double>(load<std::uint64_t>(file.data() + 20)),
                                  load<std::uint32_t>(file.data() + 8), integers == 0};
  try {
    check_holt(parameters);
  } catch (const Error& error) {
    refuse_holt(name, error.what());
  }
  const HoltLayout layout{parameters, word_bytes, load<std::uint64_t>(file.data() + 28)};
  // Every value takes at least a byte. With this check, nothing below can overflow or allocate too
  // much memory.
  if (layout.values() > file.size()) {
    refuse_holt(name,
                fmt::format("{} values cannot fit into {} bytes", layout.values(), file.size()));
  }
  if (load<std::uint64_t>(file.data() + 44) != layout.runs()) {
    refuse_holt(name,
                fmt::format("{} runs, but its {} values need {}",
                            load<std::uint64_t>(file.data() + 44), layout.values(), layout.runs()));
  }
  if (layout.runs_at() > file.size()) {
    refuse_holt(name, fmt::format("{} bytes are too few for the sizes of {} runs", file.size(),
                                  layout.runs()));
  }
  return layout;
}

std::vector<std::size_t> holt_offsets(std::span<const std::byte> file, const HoltLayout& layout,
                                      std::string_view name) {
  std::vector<std::size_t> offsets;
  offsets.reserve(layout.runs() + 1);
  std::size_t offset = layout.runs_at();
  for (std::size_t run = 0; run < layout.runs(); ++run) {
    const std::byte* const at = file.data() + layout.sizes_at() + run * layout.size_bytes();
    const std::size_t size =
        layout.size_bytes() == 2 ? load<std::uint16_t>(at) : load<std::uint32_t>(at);
    const std::size_t values = layout.of(run);
    const std::size_t least = values + layout.in_precision([&](auto real) {
      return holt_code_bytes<decltype(real)>(values);
    });
    if (size < least || size > least + (layout.word_bytes - 1) * values) {
      refuse_holt(name, fmt::format("run {} of {} values cannot take {} bytes", run, values, size));
    }
    if (size > file.size() - offset) {
      refuse_holt(name,
                  fmt::format("run {} of {} bytes, {} are left", run, size, file.size() - offset));
    }
    offsets.push_back(offset);
    offset += size;
  }
  if (offset != file.size()) {
    refuse_holt(name, fmt::format("{} bytes follow the last run", file.size() - offset));
  }
  offsets.push_back(offset);
  return offsets;
}

void finish_holt(std::span<const std::byte> file, const HoltLayout& layout, std::string_view name,
                 std::span<std::byte> out) {
  std::ranges::copy(file.subspan(kHoltHeaderBytes, layout.tail()),
                    out.end() - static_cast<std::ptrdiff_t>(layout.tail()));
  if (XXH3_64bits(out.data(), out.size()) != load<std::uint64_t>(file.data() + 36)) {
    refuse_holt(name, "the checksum of its contents is wrong");
  }
}

}  // namespace fpsynth::baselines
