#pragma once
// PTX files, and those in this program.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/ptx/interpreter/program.hpp"

namespace fpsynth::ptx {

/// The kernels of a PTX file that are `device::kernel<Body>` (runners/device/cuda_kernel.cuh), by
/// the name of their Body. A view of the text, which must outlive it.
class File {
 public:
  explicit File(std::string_view text);
  File(const File&) = delete;  // kernels point to the names of its files
  File& operator=(const File&) = delete;

  std::string_view text() const { return text_; }
  bool empty() const { return bodies_.empty(); }
  /// has(): true if the file has a body. kernel(): that body's kernel, parsed; throws Fault.
  bool has(const std::string& body) const { return bodies_.count(body) > 0; }
  Kernel kernel(const std::string& body) const;

 private:
  std::string_view text_;
  std::map<std::string, std::size_t> bodies_;  ///< name and begin
  std::vector<std::string> files_;
};

/// Why no PTX can be run here: the program was built without CUDA, or has no PTX that can be read.
/// Empty if it can.
std::string why_no_ptx();

/// The kernel of a Body in this program, parsed once, by its name as in Kernel::name; and that name
/// from the name of a type as in typeid. Any thread may call them. They throw Fault if there is
/// none.
const Kernel& kernel_of(const std::string& body);
std::string body_name(const char* type);

/// The Body of a kernel by the name of its entry in PTX; none for other entries.
std::optional<std::string> body_of_entry(const std::string& entry);

/// The PTX files of this program that have kernels.
std::vector<std::string_view> texts();

}  // namespace fpsynth::ptx
