#include "runners/data/input.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "runners/data/file_type.hpp"
#include "runners/data/fpc.hpp"
#include "synth/common/error.hpp"
#include "synth/common/system_reason.hpp"

namespace fpsynth::data {
namespace {

static_assert(std::endian::native == std::endian::little, "data files are little endian");

/// Endings of data files that do not say what the files hold.
constexpr std::array<std::string_view, 4> kSilentEndings = {".trace", ".bin", ".raw", ".dat"};

bool is_data_ending(std::string_view ending) {
  return type_of_ending(ending) ||
         std::ranges::find(kSilentEndings, ending) != kSilentEndings.end();
}

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view reason) {
  throw Error(fmt::format("cannot read {}: {}", path.string(), reason));
}

/// A whole file in memory.
std::shared_ptr<const MappedFile> map(const std::filesystem::path& path) {
  constexpr std::string_view kAdvice = "check the path and its permissions";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail(path, reason_and_advice(errno, kAdvice));
  struct stat status;
  const int error = fstat(file, &status) == 0 ? 0 : errno;
  const std::string refusal =
      error != 0                 ? reason_and_advice(error, kAdvice)
      : S_ISDIR(status.st_mode)  ? "it is a directory; name a file in it"
      : !S_ISREG(status.st_mode) ? "it is no regular file; copy the data to a file"
      : status.st_size <= 0      ? "it is empty; a data set has at least one byte"
                                 : "";
  if (!refusal.empty()) {
    close(file);
    fail(path, refusal);
  }
  return std::make_shared<const MappedFile>(file, path.string());
}

std::uint32_t single_bits(std::uint64_t bits) {
  constexpr std::uint64_t kInfinity = 0x7ff0'0000'0000'0000;
  if ((bits & ~(std::uint64_t{1} << 63)) > kInfinity) {
    const auto sign = static_cast<std::uint32_t>(bits >> 63) << 31;
    return sign | 0x7fc0'0000u | (static_cast<std::uint32_t>(bits >> 29) & 0x003f'ffffu);
  }
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
}

}  // namespace

View view_of(std::span<const std::byte> bytes, Precision precision) {
  const std::size_t word = synth::word_bytes(precision);
  return {bytes, bytes.size() / word, bytes.size() % word};
}

std::vector<std::byte> to_single(std::span<const std::byte> doubles) {
  const std::size_t words = doubles.size() / 8;
  const std::size_t tail = doubles.size() % 8;
  std::vector<std::byte> singles(4 * words + tail);
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, doubles.data() + 8 * i, sizeof bits);
    const std::uint32_t single = single_bits(bits);
    std::memcpy(singles.data() + 4 * i, &single, sizeof single);
  }
  std::copy_n(doubles.end() - static_cast<std::ptrdiff_t>(tail), tail, singles.data() + 4 * words);
  return singles;
}

std::string data_set_name(const std::filesystem::path& path) {
  std::filesystem::path name = path.filename();
  while (is_data_ending(ending_of(name))) name = name.stem();
  return name.string();
}

Input::Input(std::string name, std::vector<std::byte> bytes, Precision native,
             std::filesystem::path path)
    : name_(std::move(name)), path_(std::move(path)), native_(native) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  bytes_ = *owner;
  owner_ = std::move(owner);
}

Input Input::borrowed(std::string name, std::span<const std::byte> bytes, Precision native) {
  Input input;
  input.name_ = std::move(name);
  input.bytes_ = bytes;
  input.native_ = native;
  return input;
}

Input Input::in(Precision precision) const {
  if (precision == native_) return *this;
  if (native_ == Precision::Single) {
    throw Error(
        fmt::format("{} holds native single-precision values, not doubles; "
                    "use single precision",
                    path_.empty() ? name_ : path_.string()));
  }
  return while_unchanged(*this, [&] { return Input(name_, to_single(bytes_), precision, path_); });
}

void Input::check_unchanged() const {
  if (file_) file_->check_unchanged();
}

Input Input::named(std::string name) const {
  Input renamed = *this;
  renamed.name_ = std::move(name);
  return renamed;
}

Input open_input(const std::filesystem::path& path, std::optional<Precision> native) {
  auto file = map(path);
  const Precision held = held_type(path.string(), file->bytes(), native);
  if (is_fpc_name(path)) {
    if (held == Precision::Single) {
      throw Error(fmt::format("{} is an FPC file, which holds doubles; do not declare it single",
                              path.string()));
    }
    std::vector<std::byte> doubles =
        while_unchanged(*file, [&] { return decode_fpc(file->bytes(), path.string()); });
    if (doubles.empty()) {
      throw Error(fmt::format("{} holds no values; a data set has at least one", path.string()));
    }
    return Input(data_set_name(path), std::move(doubles), Precision::Double, path);
  }
  Input input;
  input.name_ = data_set_name(path);
  input.path_ = path;
  input.bytes_ = file->bytes();
  input.file_ = std::move(file);
  input.native_ = held;
  return input;
}

}  // namespace fpsynth::data
