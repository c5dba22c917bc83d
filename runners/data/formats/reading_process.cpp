#include "runners/data/formats/reading_process.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "synth/common/child_program.hpp"
#include "synth/common/json.hpp"
#include "synth/common/mapped_file.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"

template <>
struct nlohmann::adl_serializer<std::optional<fpsynth::synth::ValueType>> {
  static void to_json(json& value, const std::optional<fpsynth::synth::ValueType>& type) {
    if (type) value = to_string(*type);
  }
  static void from_json(const json& value, std::optional<fpsynth::synth::ValueType>& type) {
    using fpsynth::synth::NamedType;
    if (!value.is_null()) type = type_called(value.get<std::string>(), &NamedType::name);
  }
};

namespace fpsynth::data {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Attribute, name, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Variable, name, alias, type, held, refusal, note, damaged, shape,
                                   storage, bytes_elsewhere, files, big_endian, hdf5_chunk,
                                   hdf5_fill, fortran_order, attributes)

namespace {

using nlohmann::json;

/// The command of a process that reads: the format, the descriptors for its answer and for values
/// (-1 to list variables), the file and the variable.
constexpr std::string_view kCommand = "read-for-another-process";
constexpr int kArguments = 7;
constexpr const char* kProgram = "/proc/self/exe";

std::atomic<bool> processes_read = false;

/// Memory with a descriptor, which another process can have too.
class Shared {
 public:
  Shared() : descriptor_(::memfd_create("fpsynth", MFD_CLOEXEC)) {
    if (descriptor_ < 0) {
      throw Error(reason_and_advice(errno, "end other programs"));
    }
  }
  ~Shared() { ::close(descriptor_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Maps the memory of a descriptor, which must have these bytes.
Memory mapped(int descriptor, std::size_t bytes) {
  if (bytes == 0) return {};
  void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
  const auto unmap = [bytes](void* memory) { ::munmap(memory, bytes); };
  return {{static_cast<std::byte*>(begin), bytes}, std::shared_ptr<void>(begin, unmap)};
}

/// Gives the memory of a descriptor a size, and maps it.
Memory sized(int descriptor, std::size_t bytes) {
  if (::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
    if (errno == ENOMEM) throw std::bad_alloc();
    raise("{} of memory for its values: {}", counted(bytes, "byte"),
          reason_and_advice(errno, "free some memory"));
  }
  return mapped(descriptor, bytes);
}

/// The answer of a process that reads.
json answer(FileKind kind, int values, const Place& place) {
  const auto file = map_file(opened_file(place.file));
  return while_unchanged(*file, [&]() -> json {
    if (values < 0) {
      return {{"variables", list_here(place, file->bytes(), kind)}};
    }
    const auto allocate = [values](std::size_t size) { return sized(values, size); };
    const auto [variable, read] = read_here(place, file->bytes(), kind, allocate);
    return {{"variable", variable}, {"bytes", read.bytes.size()}};
  });
}

int answer_for(char** arguments) {
  const auto number = [&](int i) { return std::atoi(arguments[i]); };
  // This process ends with the one that waits for it, not before it, and leaves no core behind.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  guard_mapped_files();
  json result;
  try {
    result = answer(static_cast<FileKind>(number(2)), number(4), {arguments[5], arguments[6]});
  } catch (const Error& error) {
    result = {{"error", error.what()}, {"status", error.status()}};
  } catch (const std::bad_alloc&) {
    result = {{"no_memory", true}};
  } catch (const std::exception& error) {
    result = {{"error", error.what()}, {"status", 1}};
  }
  const std::vector<std::uint8_t> text = to_cbor(result);
  std::ranges::copy(text,
                    reinterpret_cast<std::uint8_t*>(sized(number(3), text.size()).bytes.data()));
  std::_Exit(0);  // a library that met a damaged file may crash where it ends
}

/// The answer of a process that is started for it. `values`: for them, or -1.
json answer_of_process(const Place& place, const Reader& reader, int values) {
  const Shared text;
  std::vector<int> descriptors = {text.descriptor()};
  if (values >= 0) descriptors.push_back(values);
  const int status = exit_status_of(
      {kProgram, std::string(kCommand), std::to_string(static_cast<int>(reader.kind)),
       std::to_string(text.descriptor()), std::to_string(values), place.file.string(),
       place.variable},
      {.output_to_errors = true, .descriptors = descriptors});
  struct stat state;
  if (::fstat(text.descriptor(), &state) != 0 || state.st_size == 0 || status != 0) {
    constexpr int kSignalled = 128;
    if (status == kSignalled + SIGKILL) {
      throw Error(
          "the process that read it was killed, as systems do where memory is short; free some");
    }
    raise("{} crashed while reading it ({}): it is damaged", reader.library,
          status > kSignalled ? ::strsignal(status - kSignalled)
                              : fmt::format("exit status {}", status));
  }
  const Memory bytes = mapped(text.descriptor(), static_cast<std::size_t>(state.st_size));
  json result =
      from_cbor({reinterpret_cast<const std::uint8_t*>(bytes.bytes.data()), bytes.bytes.size()});
  if (result.contains("no_memory")) throw std::bad_alloc();
  if (result.contains("error")) throw Error(result["error"], result["status"]);
  return result;
}

}  // namespace

std::optional<int> read_in_processes(int argc, char** argv) {
  if (argc == kArguments && argv[1] == kCommand) return answer_for(argv);
  processes_read = true;
  return std::nullopt;
}

bool is_read_apart(const Reader& reader) {
  if (!processes_read || !reader.library) return false;
  // Memory that processes share counts as a file.
  rlimit files;
  const bool limited = ::getrlimit(RLIMIT_FSIZE, &files) != 0 || files.rlim_cur != RLIM_INFINITY;
  return !limited && ::access(kProgram, X_OK) == 0;
}

std::vector<Variable> list_apart(const Place& place, const Reader& reader) {
  return answer_of_process(place, reader, -1)["variables"].get<std::vector<Variable>>();
}

std::pair<Variable, Values> read_apart(const Place& place, const Reader& reader) {
  const Shared values;
  const json read = answer_of_process(place, reader, values.descriptor());
  const Memory memory = mapped(values.descriptor(), read["bytes"]);
  return {read["variable"].get<Variable>(), {memory.bytes, memory.owner}};
}

}  // namespace fpsynth::data
