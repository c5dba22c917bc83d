#include "tests/ptx/interpreter/file.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>

#include "runners/device/device.hpp"
#include "tests/ptx/interpreter/parser.hpp"
#include "tests/ptx/interpreter/text.hpp"

namespace fpsynth::ptx {
namespace {

/// A demangled C++ name.
std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

/// The PTX texts in the image of this program. Each ends with a zero.
std::vector<std::string_view> texts_of(std::string_view image) {
  constexpr std::string_view kVersion = "\n.version ", kTarget = ".target sm_";
  std::vector<std::string_view> texts;
  for (std::size_t at = 0; (at = image.find(kVersion, at)) != image.npos; ++at) {
    // The image also holds the search strings themselves.
    if (image.substr(at, 64).find(kTarget) == image.npos) continue;
    texts.push_back(image.substr(at, image.find('\0', at) - at));
  }
  return texts;
}

/// All PTX files of this program.
class Image {
 public:
  static Image& own() {
    static Image image;
    return image;
  }
  bool empty() const { return files_.empty(); }
  std::vector<std::string_view> texts() const {
    std::vector<std::string_view> texts;
    for (const auto& file : files_) {
      if (!file->empty()) texts.push_back(file->text());
    }
    return texts;
  }
  const Kernel& kernel(const std::string& body) {
    const std::lock_guard lock(mutex_);
    const auto known = kernels_.find(body);
    if (known != kernels_.end()) return known->second;
    for (const auto& file : files_) {
      if (file->has(body)) return kernels_.emplace(body, file->kernel(body)).first->second;
    }
    throw Fault("this program has no PTX of " + body);
  }

 private:
  Image() {
    const char* const path = "/proc/self/exe";
    image_.resize(std::filesystem::file_size(path));
    std::ifstream(path, std::ios::binary)
        .read(image_.data(), static_cast<std::streamsize>(image_.size()));
    for (const std::string_view text : texts_of(image_)) {
      files_.push_back(std::make_unique<File>(text));
    }
  }

  std::string image_;
  std::vector<std::unique_ptr<File>> files_;
  std::mutex mutex_;
  std::map<std::string, Kernel> kernels_;
};

}  // namespace

File::File(std::string_view text) : text_(text) {
  constexpr std::string_view kEntry = ".entry ";
  for (std::size_t at = 0; (at = text.find(kEntry, at)) != text.npos;) {
    at += kEntry.size();
    const auto body = body_of_entry(std::string(text.substr(at, text.find('(', at) - at)));
    if (body) bodies_.emplace(*body, at);
  }
  // .file INDEX "NAME"
  for (std::size_t at = 0; (at = text.find(".file\t", at)) != text.npos; ++at) {
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    const auto index = std::size_t(std::atoi(std::string(line.substr(6)).c_str()));
    take(line, "\"");
    std::string_view name = take(line, "\"");
    name.remove_prefix(name.rfind('/') + 1);
    if (files_.size() <= index) files_.resize(index + 1);
    files_[index] = name;
  }
}

Kernel File::kernel(const std::string& body) const {
  Kernel kernel = parse_kernel(text_, bodies_.at(body));
  kernel.name = body;
  kernel.files = &files_;
  return kernel;
}

std::string why_no_ptx() {
  if (!device::built_with_cuda()) return "built without CUDA: there is no PTX";
  if (!Image::own().empty()) return "";
  return "this program has no PTX, or compressed: build with preset dev (nvcc --no-compress)";
}

const Kernel& kernel_of(const std::string& body) { return Image::own().kernel(body); }

std::string body_name(const char* type) { return demangled(type); }

std::optional<std::string> body_of_entry(const std::string& entry) {
  constexpr std::string_view kKernel = "void fpsynth::device::kernel<";
  const std::string name = demangled(entry.c_str());
  // "void kernel<Body>(Body::Args)"
  const auto end = name.rfind(">(");
  if (!name.starts_with(kKernel) || end == name.npos) return std::nullopt;
  return std::string(trimmed(std::string_view(name).substr(kKernel.size(), end - kKernel.size())));
}

std::vector<std::string_view> texts() { return Image::own().texts(); }

std::string Kernel::describe(std::uint32_t pc) const {
  const Instruction& instruction = code[pc];
  std::string text("`");
  text.append(texts[pc]).append("` (line ").append(std::to_string(instruction.line));
  std::replace(text.begin(), text.end(), '\t', ' ');
  const char* before = "; ";
  for (std::uint32_t place = instruction.place; place != 0; place = places[place].caller) {
    const Place& at = places[place];
    text.append(before).append(at.file < files->size() ? (*files)[at.file] : "?");
    text.append(":").append(std::to_string(at.line));
    before = " < ";
  }
  return text + ")";
}

}  // namespace fpsynth::ptx
