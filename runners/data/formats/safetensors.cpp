// safetensors: the length of a header, the header (an object of JSON: the type, the shape and the
// place of each tensor, by its name), and the values, little-endian, one tensor behind the other.

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "runners/data/formats/variables.hpp"
#include "synth/common/json.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"
#include "synth/parsing.hpp"

namespace fpsynth::data {
namespace {

constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // as the format's own reader has it

struct Tensor {
  Variable variable;
  std::uint64_t begin, end;  ///< behind the header
};

/// A tensor that the header describes; its place is still to be compared with those of others.
Tensor tensor_of(std::string name, const JsonValue& entry) {
  const std::string dtype = entry["dtype"].text();
  Variable variable;
  variable.name = std::move(name);
  variable.held = synth::type_called(synth::lower(dtype), &synth::NamedType::code);
  variable.type = variable.held ? synth::to_string(*variable.held) : dtype;
  variable.shape = entry["shape"].wholes();
  const JsonValue offsets = entry["data_offsets"];
  const std::vector<std::uint64_t> place = offsets.wholes();
  if (place.size() != 2 || place[0] > place[1]) offsets.fail("where it begins and ends");
  entry.check([&] {
    const std::uint64_t values = variable.values(), bytes = place[1] - place[0];
    if (!variable.held || values * synth::word_bytes(*variable.held) == bytes) return;
    raise("its shape {} of {} does not make the {} of its place", shape_text(variable.shape),
          variable.type, counted(bytes, "byte"));
  });
  return {std::move(variable), place[0], place[1]};
}

class SafetensorsFile : public VariableFile {
 public:
  explicit SafetensorsFile(std::span<const std::byte> bytes) {
    std::uint64_t length = 0;
    if (bytes.size() < sizeof length) throw Error("it is cut off in the length of its header");
    std::memcpy(&length, bytes.data(), sizeof length);
    bytes = bytes.subspan(sizeof length);
    if (length > std::min<std::uint64_t>(bytes.size(), kMostHeaderBytes)) {
      raise("its header of {} is longer than {}; the file is cut off, damaged or of another format",
            counted(length, "byte"),
            length > bytes.size() ? "the file" : "the 100 MB that the format allows");
    }
    values_ = bytes.subspan(length);
    const std::string_view header(reinterpret_cast<const char*>(bytes.data()), length);
    const JsonFile parsed = JsonFile::parse(header, "its header", JsonAuthor::Person);
    for (const auto& [name, entry] : parsed.root().members()) {
      if (name != "__metadata__") tensors_.push_back(tensor_of(name, entry));
    }
    check_places();
  }

  std::vector<Variable> variables() override {
    std::vector<Variable> variables;
    for (const Tensor& tensor : tensors_) variables.push_back(tensor.variable);
    return variables;
  }

  void read(const Variable& variable, std::span<std::byte> values) override {
    std::ranges::copy(in_file(variable), values.begin());
  }

  std::span<const std::byte> in_file(const Variable& variable) override {
    const auto name_of = [](const Tensor& tensor) { return tensor.variable.name; };
    const Tensor& tensor = *std::ranges::find(tensors_, variable.name, name_of);
    return values_.subspan(tensor.begin, tensor.end - tensor.begin);
  }

 private:
  /// Sorts the tensors by their places, which have to be all of the values, and each value once.
  void check_places() {
    std::ranges::sort(tensors_, {},
                      [](const Tensor& one) { return std::tuple(one.begin, one.end); });
    std::uint64_t end = 0;
    std::string before = "the header";
    for (const Tensor& tensor : tensors_) {
      const auto refuse = [&](const std::string& reason) {
        raise("its tensor {} {}", tensor.variable.name, reason);
      };
      if (tensor.begin < end) refuse("overlaps " + before);
      if (tensor.begin > end) {
        refuse(fmt::format("begins {} behind {}, which no tensor has",
                           counted(tensor.begin - end, "byte"), before));
      }
      if (tensor.end > values_.size()) {
        refuse(fmt::format("ends at byte {} of the values, and the file has {}; it is cut off",
                           tensor.end, values_.size()));
      }
      end = tensor.end;
      before = tensor.variable.name;
    }
    if (end < values_.size()) {
      raise("{} follow {}, which no tensor has", counted(values_.size() - end, "byte"), before);
    }
  }

  std::span<const std::byte> values_;
  std::vector<Tensor> tensors_;
};

std::unique_ptr<VariableFile> open_safetensors(const std::filesystem::path&,
                                               std::span<const std::byte> bytes) {
  return std::make_unique<SafetensorsFile>(bytes);
}

}  // namespace

const ReaderFunctions kSafetensorsReader = {open_safetensors, nullptr};

}  // namespace fpsynth::data
