#include "synth/generator/project.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

#include "components/words/word_type.hpp"
#include "synth/common/precision.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/version.hpp"
#include "synth/common/words.hpp"
#include "synth/generator/amalgamate.hpp"
#include "synth/generator/texts.hpp"
#include "synth/parsing.hpp"

namespace fpsynth::synth {
namespace {

using Files = std::vector<std::pair<std::string_view, std::string_view>>;

/// The files of a target. `headers` are the codec's headers besides those of the stages; `files`
/// are pairs of a template and the file's name.
struct TargetFiles {
  Target target;
  std::vector<std::string_view> headers;
  Files files;
};

const std::vector<TargetFiles>& targets() {
  static const std::vector<TargetFiles> all = [] {
    const TargetFiles cpp{
        Target::Cpp,
        {"components/teams/simd/native.hpp", "components/static_pipeline.hpp",
         "runners/codec/cpu/static_codec.hpp", "runners/codec/cpu/static_codec_vectors.hpp"},
        {{"codec.hpp.in", "@NAME@.hpp"},
         {"interface.h.in", "@NAME@.h"},
         {"levels.hpp.in", "@NAME@_levels.hpp"},
         {"level.cpp.in", "@NAME@_level.cpp"},
         {"interface.cpp.in", "@NAME@.cpp"},
         {"program.cpp.in", "@NAME@_main.cpp"},
         {"CMakeLists.txt.in", "CMakeLists.txt"},
         {"config.cmake.in", "@NAME@-config.cmake.in"},
         {"package.pc.in", "@NAME@.pc.in"},
         {"README.md.in", "README.md"},
         {"FORMAT.md.in", "FORMAT.md"},
         {"LICENSE.in", "LICENSE"}}};
    TargetFiles hdf5 = cpp;
    hdf5.target = Target::Hdf5;
    hdf5.files.emplace_back("hdf5.cpp.in", "@NAME@_hdf5.cpp");
    const TargetFiles cuda{Target::Cuda,
                           {"runners/device/cuda_device.cuh", "runners/codec/gpu/static_codec.hpp"},
                           {{"cuda_codec.cuh.in", "@NAME@.cuh"},
                            {"cuda_interface.h.in", "@NAME@.h"},
                            {"cuda_interface.cu.in", "@NAME@.cu"},
                            {"program.cpp.in", "@NAME@_main.cpp"},
                            {"CMakeLists.txt.in", "CMakeLists.txt"},
                            {"cuda_config.cmake.in", "@NAME@-config.cmake.in"},
                            {"package.pc.in", "@NAME@.pc.in"},
                            {"cuda_README.md.in", "README.md"},
                            {"FORMAT.md.in", "FORMAT.md"},
                            {"LICENSE.in", "LICENSE"}}};
    return std::vector<TargetFiles>{cpp, cuda, hdf5};
  }();
  return all;
}

const TargetFiles& files_of(Target target) {
  return *std::ranges::find(targets(), target, &TargetFiles::target);
}

std::string template_text(std::string_view name) {
  return std::string(source_text(fmt::format("synth/generator/templates/{}", name)));
}

/// The method, and those besides it.
std::vector<Method> methods_of(const ProjectRequest& request) {
  std::vector<Method> methods = {request.method};
  methods.insert(methods.end(), request.others.begin(), request.others.end());
  return methods;
}

/// The rows of the methods' components in the table of components/README.md, and their definitions.
std::string component_sections(const std::vector<Method>& methods) {
  std::vector<Component> components;
  for (const Method& method : methods) {
    std::ranges::copy(method.pipeline.stages, std::back_inserter(components));
    std::ranges::copy(side_components(method.prelude), std::back_inserter(components));
  }
  constexpr std::string_view path = "components/README.md";
  const std::string_view document = source_text(path);
  std::string rows = "| family | number | index | length | at worst |\n|---|---:|---|---|---|\n";
  std::vector<std::string_view> titles;
  std::set<std::size_t> families;
  for (const Component component : components) {
    const FamilyTraits& traits = family(component.family);
    titles.push_back(traits.name);
    if (!families.insert(component.family).second) continue;
    const std::string name =
        fmt::format("\n| {}{}{} |", traits.name, traits.parametric ? "n" : "", traits.suffix);
    const std::size_t row = document.find(name) + 1;
    if (row == 0) throw std::logic_error(fmt::format("{}: no row \"{}\"", path, name.substr(1)));
    rows += document.substr(row, document.find('\n', row) + 1 - row);
  }
  return rows + "\n" + sections(path, titles);
}

/// The declaration of the pipeline as a type, one stage per line.
std::string pipeline_type(const ProjectRequest& request) {
  const Pipeline& pipeline = request.method.pipeline;
  std::vector<std::pair<std::string, std::string>> lines = {
      {fmt::format("std::uint{}_t, {},", 8 * request.word_bytes, pipeline.cut),
       "the word type and the cut"}};
  const bool usual = request.chunk_words == kChunkWords;
  if (!usual) lines.emplace_back(fmt::format("{},", request.chunk_words), "words of a chunk");
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const bool last = i + 1 == pipeline.stages.size();
    lines.emplace_back(stage_type(pipeline.stages[i]) + (last ? ">;" : ","),
                       fmt::format("{} on {}", to_string(pipeline.stages[i]),
                                   i < pipeline.cut ? "words" : "bytes"));
  }
  std::size_t width = 0;
  for (const auto& [code, comment] : lines) width = std::max(width, code.size());
  std::string before =
      usual ? "using Pipeline = StaticPipeline<" : "using Pipeline = ChunkedPipeline<";
  std::string result;
  for (const auto& [code, comment] : lines) {
    result += fmt::format("{}{:<{}}  // {}\n", before, code, width, comment);
    before.assign(before.size(), ' ');
  }
  return result;
}

/// A line for each method, made of its text and number.
std::string method_lines(const ProjectRequest& request, const char* line) {
  std::string lines;
  int number = 0;
  for (const Method& method : methods_of(request)) {
    lines += fmt::format(fmt::runtime(line), to_string(method), ++number);
  }
  return lines;
}

/// The values of a project of several methods, in place of those of one.
Values choice_values(const ProjectRequest& request) {
  Values values;
  if (request.others.empty()) {
    for (const char* key : {"CHOICE", "METHOD_FILES", "METHOD_LINES", "METHOD_COMMENT",
                            "METHOD_USAGE", "METHOD_TEXTS"}) {
      values[key] = "";
    }
    return values;
  }
  const std::vector<Method> methods = methods_of(request);
  Method all = request.method;  // the steps of all preludes
  std::vector<std::string> texts, preludes, pipelines;
  const auto add = [](std::vector<std::string>& to, std::string text) {
    if (!std::ranges::count(to, text)) to.push_back(std::move(text));
  };
  for (const Method& method : methods) {
    texts.push_back(to_string(method));
    add(pipelines, to_string(method.pipeline));
    if (!method.prelude.empty()) add(preludes, to_string(method.prelude));
    for (const PreludeStep& step : method.prelude.steps) {
      if (!std::ranges::count(all.prelude.steps, step)) all.prelude.steps.push_back(step);
    }
  }
  values = prelude_values(all);
  values["CHOICE"] = std::to_string(methods.size());
  values["METHOD"] = joined(texts, "; ");
  values["METHOD_KIND"] = "best of these methods";
  values["PIPELINE"] = joined(pipelines, "; ");
  values["PRELUDE"] = joined(preludes, "; ");
  values["METHOD_LINES"] = method_lines(request, "{1}: {0}\n");
  values["METHOD_LIST"] = method_lines(request, "//     {1}: {0}\n");
  values["METHOD_COMMENT"] = method_lines(request, " *     {1}: {0}\n");
  values["METHOD_USAGE"] = method_lines(request, "    \"  {1}: {0}\\n\"\n");
  values["METHOD_TEXTS"] = method_lines(request, "\n    \"{}\",");
  std::string includes, codecs, files;
  for (std::size_t i = 1; i <= methods.size(); ++i) {
    const std::string name = fmt::format("{}_{}", request.name, i);
    includes += fmt::format("#include \"{}.hpp\"\n", name);
    codecs += fmt::format("{}\n    {}::Codec", i == 1 ? "" : ",", name);
    files += fmt::format(" {}.hpp", name);
  }
  values["METHOD_INCLUDES"] = includes;
  values["METHOD_CODECS"] = codecs;
  values["METHOD_FILES"] = files;
  return values;
}

/// Words of a size in texts, by its column.
struct WordTexts {
  const char *plural, *element, *suffix, *dtype;
};
constexpr WordTexts kWordTexts[words::kColumns] = {
    {"bytes", "std::uint8_t", "u8", "u1"},
    {"half-precision floats", "std::uint16_t", "f16", "f2"},
    {"singles", "float", "f32", "f4"},
    {"doubles", "double", "f64", "f8"}};

Values values_of(const ProjectRequest& request, const TargetFiles& target) {
  const WordTexts& texts = kWordTexts[words::column(request.word_bytes)];
  const bool cuda = target.target == Target::Cuda;
  Values values{{"AT", "@"},
                {"NAME", request.name},
                {"UPPER", upper(request.name)},
                {"PIPELINE", to_string(request.method.pipeline)},
                {"WORD_BYTES", std::to_string(request.word_bytes)},
                {"CHUNK_WORDS", std::to_string(request.chunk_words)},
                {"WORD_BITS", std::to_string(8 * request.word_bytes)},
                {"WORDS", texts.plural},
                {"ELEMENT", texts.element},
                {"PRECISION", std::string(to_string(precision_of_words(request.word_bytes)))},
                {"SUFFIX", texts.suffix},
                {"DTYPE", texts.dtype},
                {"VERSION", kVersion},
                {"COMMIT", kCommit},
                {"FILTER", std::to_string(request.hdf5_filter)},
                {"ORIGIN", request.origin},
                {"CUDA", cuda ? "1" : ""},
                {"HDF5", target.target == Target::Hdf5 ? "1" : ""},
                {"CODEC_HEADING", heading(request.name)},
                {"LICENSE_TEXT", std::string(source_text("LICENSE"))},
                {"LICENSE", as_comment(source_text("LICENSE"))},
                {"COMPONENTS", component_sections(methods_of(request))},
                {"SIMD_LEVELS", std::string(source_text("components/teams/simd/levels.cmake"))}};
  values.merge(prelude_values(request.method));
  for (auto& [key, value] : choice_values(request)) values[key] = std::move(value);

  const std::map<std::string, bool> known =
      cuda ? std::map<std::string, bool>{{"__CUDACC__", true}}
           : std::map<std::string, bool>{{"__CUDACC__", false},
                                         {"__CUDA_ARCH__", false},
                                         {"FPSYNTH_SYSTEM_THREADS", false},
                                         {"FPSYNTH_INLINE", false}};
  Amalgamation detect(known);
  values["DETECT"] = detect.add("components/teams/simd/detect.hpp");
  values["DETECT_INCLUDES"] = detect.system_includes();
  values["PROGRAM_FILES"] = Amalgamation().add("synth/common/replacing.hpp");
  Amalgamation plugin;
  values["HDF5_CHUNK"] = plugin.add("runners/hdf5_filter/chunk.hpp");
  values["HDF5_INCLUDES"] = plugin.system_includes();

  Amalgamation headers(known);
  if (!cuda) values["LEVEL"] = headers.add("components/teams/simd/native_level.hpp");
  std::string body;
  if (!request.others.empty()) {
    for (const char* header : {"codec_choice.hpp", "static_codec_vectors.hpp"}) {
      body += headers.add(fmt::format("runners/codec/cpu/{}", header));
    }
  } else {
    for (const Component component : request.method.pipeline.stages) {
      body += headers.add(stage_header(component));
    }
    for (const std::string_view header : target.headers) body += headers.add(header);
    for (const std::string& header : prelude_headers(request.method.prelude, cuda)) {
      body += headers.add(header);
    }
  }
  values["BODY"] = std::move(body);
  values["SYSTEM_INCLUDES"] = headers.system_includes();
  values["UNDEFINES"] = headers.undefines();
  values["PIPELINE_TYPE"] = pipeline_type(request);
  return values;
}

/// Throws UsageError if a project for GPUs cannot have what is wanted.
void refuse_for_cuda(const ProjectRequest& request) {
  if (request.target != Target::Cuda) return;
  if (request.word_bytes == 1) {
    throw UsageError("projects for CUDA are of words of 8, 4 or 2 bytes; leave out --target cuda");
  }
  if (!request.others.empty()) {
    throw UsageError("a project of several methods is for processors; leave out --target cuda");
  }
  if (has_side_data(request.method.prelude)) {
    raise<UsageError>(
        "the processor executes the prelude '{}', which takes values out of the words; leave out "
        "--target cuda, or use fpsynth compress --backend cuda",
        to_string(request.method.prelude));
  }
}

}  // namespace

std::string_view to_string(Target target) {
  constexpr std::string_view kNames[] = {"cpp", "cuda", "hdf5"};
  return kNames[std::size_t(target)];
}

std::vector<Target> all_targets() { return {Target::Cpp, Target::Cuda, Target::Hdf5}; }

std::string stage_type(Component component) {
  const FamilyTraits& of = family(component.family);
  return of.parametric ? fmt::format("Use<{}, {}>", of.type, component.parameter)
                       : fmt::format("Use<{}>", of.type);
}

std::string stage_header(Component component) {
  const auto& of = family(component.family);
  return fmt::format("components/{}/{}{}.hpp", lower(of.name), lower(of.name), lower(of.suffix));
}

std::string generate_header(const ProjectRequest& request) {
  check_codec_name(request.name);
  check(request.method.prelude, request.word_bytes);
  check_chunk_words(request.chunk_words);
  refuse_for_cuda(request);
  const TargetFiles& target = files_of(request.target);
  return fill(template_text(target.files.front().first), values_of(request, target));
}

std::string generate_kernels(const Pipeline& pipeline, std::size_t word_bytes) {
  ProjectRequest request;
  request.method.pipeline = pipeline;
  request.word_bytes = word_bytes;
  TargetFiles kernels = files_of(Target::Cuda);
  kernels.headers = {"runners/device/cuda_kernel.cuh", "runners/codec/gpu/static_program.hpp",
                     "runners/codec/gpu/kernels.hpp"};
  return fill(template_text("cuda_kernels.cu.in"), values_of(request, kernels));
}

std::vector<ProjectFile> generate_project(const ProjectRequest& request) {
  check_codec_name(request.name);
  for (const Method& method : methods_of(request)) check(method.prelude, request.word_bytes);
  check_chunk_words(request.chunk_words);
  refuse_for_cuda(request);
  if (request.target == Target::Hdf5 &&
      (request.hdf5_filter < 256 || request.hdf5_filter > 65535)) {
    raise<UsageError>(
        "filter id {}: ids are 256 to 65535, since HDF5 reserves 0 to 255; use 256 to 511 for "
        "testing, or a registered id",
        request.hdf5_filter);
  }
  const Values values = values_of(request, files_of(request.target));
  std::vector<ProjectFile> files;
  for (const auto& [source, name] : files_of(request.target).files) {
    const bool codec = source == "codec.hpp.in" && !request.others.empty();
    files.push_back(
        {fill(name, values), fill(template_text(codec ? "choice.hpp.in" : source), values)});
  }
  std::size_t number = 0;
  for (const Method& method :
       request.others.empty() ? std::vector<Method>() : methods_of(request)) {
    ProjectRequest one = request;
    one.method = method;
    one.others.clear();
    one.name = fmt::format("{}_{}", request.name, ++number);
    files.push_back({one.name + ".hpp", generate_header(one)});
  }
  return files;
}

std::optional<std::string> name_of_project(std::string_view mark) {
  const std::string_view first = mark.substr(0, mark.find('\n'));
  const std::size_t end = first.find(':');
  if (!first.starts_with("# ") || end == first.npos ||
      first.find("Generated by fpsynth") == first.npos) {
    return std::nullopt;
  }
  const std::string_view name = first.substr(2, end - 2);
  const auto good = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (name.empty() || !std::ranges::all_of(name, good)) return std::nullopt;
  return std::string(name);
}

std::vector<std::string> project_files(std::string_view name) {
  std::set<std::string> files;
  for (const TargetFiles& target : targets()) {
    for (const auto& [source, file] : target.files) {
      files.insert(fill(file, {{"NAME", std::string(name)}}));
    }
  }
  for (std::size_t i = 1; i <= kMostOthers + 1; ++i)
    files.insert(fmt::format("{}_{}.hpp", name, i));
  return {files.begin(), files.end()};
}

}  // namespace fpsynth::synth
