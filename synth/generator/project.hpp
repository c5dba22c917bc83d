#pragma once
// The code generator: a pipeline becomes a stand-alone project.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synth/pipeline.hpp"

namespace fpsynth::synth {

/// What a project is generated for. A target is a list of files: see project.cpp.
enum class Target { Cpp, Cuda, Hdf5 };

/// "cpp", "cuda", "hdf5".
std::string_view to_string(Target target);
/// All targets, in the order of their declaration.
std::vector<Target> all_targets();

struct ProjectRequest {
  Pipeline pipeline;
  std::size_t word_bytes = 8;  ///< 8 or 4
  std::string name;            ///< check_codec_name()
  Target target = Target::Cpp;
  unsigned hdf5_filter = 256;  ///< HDF5 reserves 256 to 511 for testing
  std::string origin;          ///< where the pipeline comes from, as a sentence for the README
};

struct ProjectFile {
  std::string name;  ///< in the project's folder
  std::string text;
};

/// The files of a project. Throws UsageError for a name that is not safe, and a filter id that HDF5
/// gives to others.
std::vector<ProjectFile> generate_project(const ProjectRequest& request);

/// The names of all files that projects of this name have, whatever their target.
std::vector<std::string> project_files(std::string_view name);

/// The file that tells a generated project from others, and the name that its text gives to one;
/// nothing if it is another's.
inline constexpr const char* kProjectMark = "CMakeLists.txt";
std::optional<std::string> name_of_project(std::string_view mark);

/// The codec's header alone: NAME.cuh of CUDA projects, NAME.hpp of the others.
std::string generate_header(const ProjectRequest& request);

/// Device code of a pipeline on words of `word_bytes` bytes, without any of the host's: the kernels
/// fpsynth_encode and fpsynth_decode, whose arguments are those of codec::EncodeKernel and
/// codec::DecodeKernel for codec::StaticProgram.
std::string generate_kernels(const Pipeline& pipeline, std::size_t word_bytes);

/// The stages as types of the library: "Use<LnvSub, 6>", "Use<Bit>".
std::string stage_type(Component component);
/// The header in which that type is defined.
std::string stage_header(Component component);

}  // namespace fpsynth::synth
