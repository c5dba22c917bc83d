#pragma once
// A PTX file, and those that are in this program.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/ptx/program.hpp"

namespace fpsynth::ptx {

/// The kernels of a PTX file that are `device::kernel<Body>` (runners/device/cuda_kernel.cuh), by
/// the name of their Body. A view of the text, which must outlive it.
class File {
 public:
  explicit File(std::string_view text);
  File(const File&) = delete;  // kernels point to the names of its files
  File& operator=(const File&) = delete;

  /// Whether the body is here, and how its kernel is parsed. Throws Fault.
  bool has(const std::string& body) const { return bodies_.count(body) > 0; }
  Kernel kernel(const std::string& body) const;

 private:
  std::string_view text_;
  std::map<std::string, std::size_t> bodies_;  ///< and where they begin
  std::vector<std::string> files_;
};

/// Why no PTX can be run here: the program was built without CUDA, or has no PTX that can be read.
/// Empty where it can.
std::string why_no_ptx();

/// The kernel of a Body in this program, parsed once; its name as Kernel::name has it, and that of
/// a type as typeid has it. Any thread may call them. Throw Fault where there is none.
const Kernel& kernel_of(const std::string& body);
std::string body_name(const char* type);

}  // namespace fpsynth::ptx
