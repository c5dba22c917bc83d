#pragma once
// The code generator: turns a method into a stand-alone project.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synth/prelude.hpp"

namespace fpsynth::synth {

/// The kind of a generated project. project.cpp lists the files of each.
enum class Target { Cpp, Cuda, Hdf5 };

/// "cpp", "cuda", "hdf5".
std::string_view to_string(Target target);
/// All targets, in the order of their declaration.
std::vector<Target> all_targets();

inline constexpr std::size_t kMostOthers = 15;

struct ProjectRequest {
  Method method;
  /// Further ones, which programs choose from; kMostOthers or fewer, not with Target::Cuda.
  std::vector<Method> others = {};
  std::size_t word_bytes = 8;  ///< 8, 4, 2 or 1
  std::size_t chunk_words = kChunkWords;
  std::string name;  ///< check_codec_name()
  Target target = Target::Cpp;
  unsigned hdf5_filter = 256;  ///< HDF5 reserves 256 to 511 for testing
  std::string origin;          ///< a sentence for the README that says where the method comes from
};

struct ProjectFile {
  std::string name;  ///< in the project's folder
  std::string text;
};

/// Throws UsageError if `name` cannot name a generated codec: it becomes a namespace and part of
/// function names in C and C++, of file names, and a target of CMake.
void check_codec_name(std::string_view name);

/// The files of a project. Throws UsageError for a name that is not safe and for a filter id that
/// HDF5 reserves, or several methods or a prelude with side data for CUDA, and Error for a prelude
/// that does not suit the word size.
std::vector<ProjectFile> generate_project(const ProjectRequest& request);

/// The names of the files that projects of this name have, of all targets.
std::vector<std::string> project_files(std::string_view name);

/// The file by which a generated project is recognized. name_of_project() reads the project's name
/// from its text; nullopt if the file was not generated.
inline constexpr const char* kProjectMark = "CMakeLists.txt";
std::optional<std::string> name_of_project(std::string_view mark);

/// The codec's header alone: NAME.cuh of CUDA projects, NAME.hpp of the others.
std::string generate_header(const ProjectRequest& request);

/// The device code of a pipeline on words of `word_bytes` bytes, without host code: the kernels
/// fpsynth_encode and fpsynth_decode, which take the arguments of codec::EncodeKernel and
/// codec::DecodeKernel for codec::StaticProgram.
std::string generate_kernels(const Pipeline& pipeline, std::size_t word_bytes);

/// A stage's type in namespace fpsynth::components: "Use<LnvSub, 6>", "Use<Bit>".
std::string stage_type(Component component);
/// The header that defines that type.
std::string stage_header(Component component);

}  // namespace fpsynth::synth
