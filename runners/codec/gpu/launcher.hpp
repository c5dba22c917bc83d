#pragma once
// Launches of the codec's kernels, on any kind of device.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "components/teams/hardware.hpp"
#include "runners/codec/format/header.hpp"
#include "runners/codec/gpu/content_hash.hpp"
#include "runners/codec/gpu/kernels.hpp"
#include "runners/device/device_concept.hpp"
#include "runners/device/device_info.hpp"

namespace fpsynth::codec {

/// Runs a program on runs of chunks. The device must outlive it.
template <device::Device Device, ProgramSizes Program>
class ChunkLauncher {
 public:
  /// Device memory for one launch at a time, workspace_bytes() in all: `overflow`, overflow_bytes()
  /// long and aligned to kBlockAlignment, followed by `words`.
  struct WorkspaceView {
    std::byte* overflow;
    std::uint64_t* words;  ///< LaunchWords
  };
  /// The same, owned.
  struct Workspace {
    typename Device::template Buffer<std::byte> overflow;
    typename Device::template Buffer<std::uint64_t> words;
    operator WorkspaceView() { return {overflow.data(), words.data()}; }
  };
  /// Sets the program's block size in shared memory (blocks.shared); the caller sets everything
  /// else. `overflow_limit`: the most bytes of device memory in a workspace for blocks that do not
  /// fit into shared memory. Throws DeviceUnsuitable if the device cannot run even one thread
  /// block.
  ChunkLauncher(Device& device, const Program& program,
                std::size_t overflow_limit = std::size_t{256} << 20)
      : device_(device), program_(program) {
    program_.blocks.shared.tables = program_.blocks.spilled.tables;
    std::uint32_t bytes = program_.preferred_block_bytes();
    set_block_bytes(bytes);
    const std::uint32_t encode_blocks = encode_blocks_, decode_blocks = decode_blocks_;
    set_block_bytes(program_.blocks.spilled.bytes);
    // Room for blocks that are longer than most is not worth a thread block less.
    if (encode_blocks_ < encode_blocks || decode_blocks_ < decode_blocks) set_block_bytes(bytes);
    while (bytes > 0 && !program_.only_shared() && (encode_blocks_ == 0 || decode_blocks_ == 0)) {
      bytes = Program::fewer_block_bytes(bytes);
      set_block_bytes(bytes);
    }
    if (spills()) {
      const std::uint32_t lanes = std::max(device_.template lanes<Spilling<EncodeKernel>>(),
                                           device_.template lanes<Spilling<DecodeKernel>>());
      overflow_bytes_ =
          components::round_up_to_alignment(area_bytes(program_.blocks.spilled, lanes));
      const std::size_t most = std::max<std::size_t>(1, overflow_limit / overflow_bytes_);
      encode_blocks_ = static_cast<std::uint32_t>(std::min<std::size_t>(encode_blocks_, most));
      decode_blocks_ = static_cast<std::uint32_t>(std::min<std::size_t>(decode_blocks_, most));
    }
    if (encode_blocks_ == 0 || decode_blocks_ == 0) {
      throw device::DeviceUnsuitable(device_.name() +
                                     ": the codec's kernels need more than this GPU has; use the "
                                     "CPU's codec (fpsynth: --backend cpu)");
    }
  }

  const Program& program() const { return program_; }
  std::size_t chunk_bytes() const {
    return std::size_t{program_.chunk_words} * sizeof(typename Program::Word);
  }
  /// The most bytes of a chunk's block.
  std::size_t worst_block() const { return program_.worst_block; }
  std::uint64_t chunks(std::uint64_t words) const {
    return chunk_count(words, program_.chunk_words);
  }

  /// Bytes of device memory of a workspace for launches of up to `words` words.
  std::size_t workspace_bytes(std::uint64_t words) const {
    return overflow_bytes(words) + 8 * word_count(words);
  }
  /// The part of them that is for blocks that do not fit into shared memory.
  std::size_t overflow_bytes(std::uint64_t words) const {
    return overflow_blocks(words) * overflow_bytes_;
  }
  Workspace workspace(std::uint64_t words) {
    Workspace result;
    result.overflow = device_.template allocate<std::byte>(overflow_bytes(words));
    result.words = device_.template allocate<std::uint64_t>(word_count(words));
    return result;
  }

  /// Encodes `words` words (at least one) at `in` to `frames` and blocks[0..capacity). Puts work
  /// into the stream and does not wait. All pointers are to device memory.
  void encode(typename Device::Stream& stream, WorkspaceView workspace, const std::byte* in,
              std::uint64_t words, std::byte* frames, std::byte* blocks, std::uint64_t capacity) {
    EncodeArgs<Program> args{};
    args.chunks = prepare(stream, workspace, words);
    args.in = in;
    args.frames = frames;
    args.blocks = blocks;
    args.capacity = capacity;
    launch<EncodeKernel>(stream, encode_blocks_, args);
  }
  /// The inverse: decodes frames and blocks[0..block_bytes), which may hold anything, to `words`
  /// words at `out`.
  void decode(typename Device::Stream& stream, WorkspaceView workspace, const std::byte* frames,
              const std::byte* blocks, std::uint64_t block_bytes, std::uint64_t words,
              std::byte* out) {
    DecodeArgs<Program> args{};
    args.chunks = prepare(stream, workspace, words);
    args.frames = frames;
    args.blocks = blocks;
    args.block_bytes = block_bytes;
    args.out = out;
    launch<DecodeKernel>(stream, decode_blocks_, args);
  }
  /// Copies the LaunchWords::kCount words of a workspace's last launch to `host`, after the work
  /// that is in the stream.
  void fetch(typename Device::Stream& stream, WorkspaceView workspace, std::uint64_t* host) {
    device_.to_host(stream, host, workspace.words, LaunchWords::kCount);
  }

 private:
  template <template <class, class> class Kernel>
  using Spilling = Kernel<Program, device::EqualBlocks>;

  bool spills() const { return program_.blocks.shared.bytes < program_.blocks.spilled.bytes; }
  /// Calls f<Body>() with the kernel for the block size.
  template <template <class, class> class Kernel, class F>
  auto with_body(F f) const {
    return spills() ? f.template operator()<Spilling<Kernel>>()
                    : f.template operator()<Kernel<Program, typename Program::Fitting>>();
  }
  /// Sets the bytes of a block in shared memory, and how many thread blocks then run at a time.
  void set_block_bytes(std::uint32_t bytes) {
    const device::BlockArea& spilled = program_.blocks.spilled;
    device::BlockArea& shared = program_.blocks.shared;
    shared.bytes = bytes / components::kBlockAlignment * components::kBlockAlignment;
    shared.items =
        static_cast<std::uint32_t>(std::uint64_t{spilled.items} * shared.bytes / spilled.bytes);
    encode_blocks_ = resident<EncodeKernel>();
    decode_blocks_ = resident<DecodeKernel>();
  }
  template <class Body>
  std::size_t shared_bytes() const {
    return CurrentChunk::shared_bytes(program_.blocks.shared, device_.template lanes<Body>());
  }
  template <template <class, class> class Kernel>
  std::uint32_t resident() {
    return with_body<Kernel>(
        [&]<class Body>() { return device_.template resident_blocks<Body>(shared_bytes<Body>()); });
  }
  std::uint64_t word_count(std::uint64_t words) const {
    return LaunchWords::kCount + chunks(words);
  }
  std::uint64_t overflow_blocks(std::uint64_t words) const {
    return std::min<std::uint64_t>(std::max(encode_blocks_, decode_blocks_), chunks(words));
  }
  ChunkArgs<Program> prepare(typename Device::Stream& stream, WorkspaceView workspace,
                             std::uint64_t words) {
    device_.clear(stream, workspace.words, word_count(words));
    return {program_,
            words,
            chunks(words),
            {workspace.words},
            overflow_bytes_ ? workspace.overflow : nullptr,
            overflow_bytes_};
  }
  template <template <class, class> class Kernel, class Args>
  void launch(typename Device::Stream& stream, std::uint32_t blocks, const Args& args) {
    const auto wanted =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, args.chunks.chunks));
    with_body<Kernel>([&]<class Body>() {
      device_.template launch<Body>(stream, wanted, shared_bytes<Body>(), args);
    });
  }

  Device& device_;
  Program program_;
  std::uint32_t encode_blocks_ = 0, decode_blocks_ = 0;
  std::size_t overflow_bytes_ = 0;
};

/// Writes header[0..bytes) and, after it, the tail to `out`. Runs as one thread block.
struct HeaderKernel {
  static constexpr std::uint32_t kLanes = 32;
  /// Of a container, or of a prelude.
  static constexpr std::size_t kMostBytes = 128;
  static_assert(header_bytes(kMostStages) <= kMostBytes);

  struct Args {
    std::byte header[kMostBytes];
    std::uint32_t bytes, tail_bytes;
    const std::uint64_t* checksum;  ///< replaces the header's unless null
    const std::byte* tail;
    std::byte* out;
    /// Receives the container's length, blocks_at + *block_bytes, unless null.
    std::uint64_t* total = nullptr;
    const std::uint64_t* block_bytes = nullptr;
    std::uint64_t blocks_at = 0;
  };

  template <teams::Hardware Hardware>
  static FPSYNTH_INLINE void run(Hardware hardware, const Args& args) {
    for (std::uint32_t i = hardware.lane(); i < args.bytes; i += hardware.lanes()) {
      args.out[i] = args.header[i];
    }
    if (args.total && hardware.lane() == 0) *args.total = args.blocks_at + *args.block_bytes;
    hardware.barrier();
    if (args.checksum && hardware.lane() == 0) store(args.out + args.bytes - 8, *args.checksum);
    for (std::uint32_t i = hardware.lane(); i < args.tail_bytes; i += hardware.lanes()) {
      args.out[args.bytes + i] = args.tail[i];
    }
  }
};

/// Runs a program on whole containers: on their chunks, on what is in front of them, and on the
/// checksum. Calls put their work into the stream and do not wait. All pointers are to device
/// memory. The device must outlive it.
template <device::Device Device, ProgramSizes Program>
class ContainerLauncher {
 public:
  using Stream = typename Device::Stream;
  using Chunks = ChunkLauncher<Device, Program>;

  /// The parts of a workspace.
  struct Parts {
    typename Chunks::WorkspaceView chunks;
    std::uint64_t *hash, *sums;
    LaunchWords found() const {
      return LaunchWords{chunks.words};
    }  ///< what the kernels of the chunks found
  };

  ContainerLauncher(Device& device, const Program& program)
      : device_(device), chunks_(device, program) {}

  /// Bytes of device memory of the workspace of a call.
  std::size_t workspace_bytes(const ContainerLayout& layout) const {
    return chunks_.workspace_bytes(layout.words) + 8 * (1 + hash_words(layout.original_bytes));
  }
  /// `workspace` is aligned to kBlockAlignment.
  Parts parts(const ContainerLayout& layout, std::byte* workspace) const {
    auto* const words =
        reinterpret_cast<std::uint64_t*>(workspace + chunks_.overflow_bytes(layout.words));
    std::uint64_t* const hash = words + LaunchWords::kCount + layout.chunks;
    return {{workspace, words}, hash, hash + 1};
  }

  /// Sets the checksum of a workspace to that of in[0..bytes).
  void hash(Stream& stream, const Parts& at, const std::byte* in, std::size_t bytes) {
    launch_hash(device_, stream, in, bytes, at.sums, at.hash);
  }
  /// Compresses an original to a container of at most `capacity` bytes. `header`: its bytes, and
  /// where its checksum is; the rest is set here.
  void encode(Stream& stream, const Parts& at, const ContainerLayout& layout, const std::byte* in,
              std::byte* out, std::size_t capacity, HeaderKernel::Args header) {
    if (layout.words > 0) {
      chunks_.encode(stream, at.chunks, in, layout.words, out + layout.frames_at,
                     out + layout.blocks_at, capacity - layout.blocks_at);
    } else {
      device_.clear(stream, at.chunks.words, LaunchWords::kCount);
    }
    header.bytes = layout.shape.header_bytes;
    launch_tail(stream, layout, in + layout.original_bytes - layout.tail_bytes, out, header);
  }
  /// Decompresses the container in[0..bytes), whose frames are all there; it may hold anything.
  void decode(Stream& stream, const Parts& at, const ContainerLayout& layout, const std::byte* in,
              std::size_t bytes, std::byte* out) {
    if (layout.words > 0) {
      chunks_.decode(stream, at.chunks, in + layout.frames_at, in + layout.blocks_at,
                     bytes - layout.blocks_at, layout.words, out);
    } else {
      device_.clear(stream, at.chunks.words, LaunchWords::kCount);
    }
    if (layout.tail_bytes == 0) return;
    launch_tail(stream, layout, in + layout.shape.header_bytes,
                out + layout.original_bytes - layout.tail_bytes, {});
  }
  /// Copies what the kernels of the chunks found, LaunchWords::kCount words, to the host.
  void fetch(Stream& stream, const Parts& at, std::uint64_t* host) {
    chunks_.fetch(stream, at.chunks, host);
  }

 private:
  void launch_tail(Stream& stream, const ContainerLayout& layout, const std::byte* tail,
                   std::byte* out, HeaderKernel::Args args) {
    args.tail_bytes = std::uint32_t(layout.tail_bytes);
    args.tail = tail;
    args.out = out;
    device_.template launch<HeaderKernel>(stream, 1, 0, args);
  }

  Device& device_;
  Chunks chunks_;
};

}  // namespace fpsynth::codec
