#pragma once
// The host's part of a search on one device. A template on the device's class, so that all of it is
// tested with the emulated one.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runners/device/device.hpp"
#include "runners/device/device_concept.hpp"
#include "runners/search/engine.hpp"
#include "runners/search/gpu/batches.hpp"
#include "runners/search/gpu/sum_kernel.hpp"
#include "runners/search/gpu/walk_kernel.hpp"
#include "runners/search/gpu/walk_memory.hpp"
#include "runners/search/gpu/work_items.hpp"
#include "synth/pipeline.hpp"

namespace fpsynth::search {

/// The walks on one device. There are two slots, each with its own memory and stream. One is filled
/// while the other one is walked, and its thread blocks use the multiprocessors that those of the
/// other one leave idle. A batch is walked in launches of some of its work items (LaunchPace),
/// which add to the same counters.
template <device::Device Device>
class DeviceWalker {
 public:
  /// Allocates the memory that it needs on the device: for four stages less than 2 GiB, for five
  /// some tens. `layout`: the index in walk_layouts() of the layout to use, if it is not to be
  /// chosen. Throws DeviceUnsuitable if the memory is not available.
  DeviceWalker(Device device, const synth::Plan& plan, std::size_t word_bytes, Mode mode,
               std::optional<std::size_t> layout = {})
      : device_(std::move(device)),
        word_bytes_(word_bytes),
        mode_(mode),
        leaves_(static_cast<std::uint32_t>(plan.leaves().size())),
        nodes_(static_cast<std::uint32_t>(plan.nodes().size())),
        totals_(plan) {
    refuse_other_components(plan.space());
    device_.use();
    lengths_ = plan.worst_case_bytes(word_bytes, plan.input_words());
    const std::size_t chunk_words = plan.space().chunk_words;
    // Bytes are walked as the words of which chunks are as long.
    kernel_bytes_ = word_bytes > 1
                        ? word_bytes
                        : std::clamp<std::size_t>(std::bit_floor(lengths_[0] / chunk_words), 2, 8);
    whole_bytes_ = kernel_bytes_ * chunk_words;
    host_edges_ = walk_edges(plan);
    with_kernel([&](auto body) { choose_layout<decltype(body)>(layout); });
    refuse_too_little_memory();
    edges_ = device_.template allocate<WalkEdge>(host_edges_.size());
    for (Slot& slot : slots_) make(slot);
    device_.to_device(slots_[0].stream, edges_.data(), host_edges_.data(), host_edges_.size());
    device_.wait(slots_[0].stream);
  }

  std::string name() const { return device_.name(); }
  /// Resident thread blocks.
  std::size_t blocks() const { return blocks_; }
  /// Chunks of a batch: one for every thread block. Items then repeat little, and a search that is
  /// stopped loses little.
  std::size_t batch_chunks() const { return blocks_; }
  /// Chunks that keep the device busy.
  std::size_t at_once() const {
    return kGroup * groups_to_fill(host_edges_.size(), (blocks_ + kGroup - 1) / kGroup);
  }
  const Totals& totals() const { return totals_; }

  /// Walks batches until none is left. Called by one thread at a time, whose current device becomes
  /// this one. If the search is stopped, the batches in progress are abandoned and not counted: at
  /// most some seconds of work are lost, and the user need not wait. If `leaf_bytes` is given,
  /// sizes are written there, block by block as in Engine::measure, and not added to the totals.
  void walk(Batches& batches, std::uint32_t* leaf_bytes = nullptr) {
    device_.use();
    measured_ = leaf_bytes;
    if (measured_) make_room_for_measures();
    for (bool busy = true; busy;) {
      busy = false;
      for (Slot& slot : slots_) {
        if (slot.batch.count > 0) wait_for(slot, batches);
        if (slot.batch.count == 0) start(slot, batches);
        if (slot.batch.count == 0) continue;
        launch(slot);
        busy = true;
      }
    }
  }

 private:
  template <class T>
  using Buffer = typename Device::template Buffer<T>;
  template <class T>
  using HostBuffer = typename Device::template HostBuffer<T>;

  /// A batch in progress, and its memory.
  struct Slot {
    HostBuffer<std::byte> host_data;
    HostBuffer<std::uint32_t> host_lengths, host_failed;
    HostBuffer<std::uint64_t> host_sums;
    HostBuffer<std::uint32_t> host_leaf_bytes;  ///< of measures alone
    HostBuffer<WalkPart> host_parts;
    Buffer<WalkPart> parts;
    Buffer<std::byte> data, spilled;
    Buffer<std::uint32_t> lengths, leaf_bytes;
    Buffer<std::uint32_t> failed;  ///< nodes, then leaves, then the ticket
    Buffer<std::uint64_t> sums;
    Batches::Batch batch;
    std::uint32_t group = 1, groups = 0;  ///< of its chunks
    std::size_t part_count = 0;
    std::size_t begin = 0, end = 0;  ///< the items of the launch in progress

    std::size_t items() const { return part_count * groups; }
    typename Device::Event before, after;
    typename Device::Stream stream;  ///< last: its destructor waits for work on the members above
  };
  /// Chunks of a work item: as many as a thread block walks at a time.
  static constexpr std::size_t kGroup = 1;

  /// Memory of a block that is walked: thread blocks read whole vectors of 16 bytes.
  std::size_t chunk_bytes() const { return (lengths_[0] + 15) / 16 * 16; }
  /// Blocks of a batch whose leaves are measured one by one. Their lengths are copied to the host,
  /// through less than 64 MiB of page-locked memory for each slot.
  std::size_t measured_at_a_time() const {
    constexpr std::size_t kMostItems = std::size_t{16} << 20;
    return std::clamp<std::size_t>(kMostItems / leaves_, 1, batch_chunks());
  }
  void make_room_for_measures() {
    for (Slot& slot : slots_) {
      if (slot.host_leaf_bytes.size() > 0) continue;
      slot.host_leaf_bytes =
          device_.template allocate_host<std::uint32_t>(measured_at_a_time() * leaves_);
    }
  }

  void refuse_other_components(const synth::Space& space) const {
    for (const auto* list : {&space.components, &space.last}) {
      for (const synth::Component component : *list) {
        if (component.family < components::WalkedFamilies::size) continue;
        throw device::DeviceUnsuitable(device_.name() + ": searches on a GPU do not have " +
                                       synth::to_string(component) +
                                       "; leave it out of the space, or use --backend cpu");
      }
    }
  }

  /// Calls f with the kernel of this word size and mode.
  template <class F>
  void with_kernel(F f) {
    components::with_device_word(kernel_bytes_, [&]<class W>() {
      mode_ == Mode::Verify ? f(WalkBody<W, true>{}) : f(WalkBody<W, false>{});
    });
  }

  /// Chooses the layout with the most resident thread blocks, unless it is given.
  template <class Body>
  void choose_layout(std::optional<std::size_t> given) {
    static_assert(Body::kChunkWords == synth::kChunkWords);
    auto layouts = walk_layouts(lengths_, whole_bytes_, mode_ == Mode::Verify);
    if (given) layouts = {layouts.at(*given)};
    std::size_t least_bytes = 0;
    for (const WalkBlocks& layout : layouts) {
      least_bytes = Body::shared_bytes(layout, device_.template lanes<Body>());
      const std::uint32_t blocks = device_.template resident_blocks<Body>(least_bytes);
      if (blocks <= blocks_) continue;
      layout_ = layout;
      shared_bytes_ = least_bytes;
      blocks_ = blocks;
    }
    if (blocks_ > 0) return;
    throw device::DeviceUnsuitable(device_.name() + ": a search of this space, in chunks of " +
                                   std::to_string(lengths_[0] / word_bytes_) + " words, needs " +
                                   std::to_string(least_bytes >> 10) +
                                   " KiB of shared memory in a thread block, and there are " +
                                   std::to_string(device_.shared_per_block() >> 10) +
                                   "; use shorter chunks or fewer stages, or --backend cpu");
  }
  /// Mostly counters, one of a leaf for every thread block and slot. Fewer thread blocks would need
  /// less, but would leave multiprocessors idle for hours, which is not done unasked.
  void refuse_too_little_memory() {
    const std::size_t leaves = leaves_, available = device_.free_memory() / 10 * 9;
    const std::size_t counters = slots_.size() * blocks_ * leaves * sizeof(std::uint32_t);
    const std::size_t each = layout_.spilled_bytes + chunk_bytes() + 4;
    const std::size_t parts = most_parts(host_edges_.size(), blocks_) * sizeof(WalkPart);
    const std::size_t needed =
        host_edges_.size() * sizeof(WalkEdge) + counters +
        slots_.size() * (blocks_ * each + parts + (leaves * 3 + nodes_ + 64) * 4);
    if (needed <= available) return;
    const auto mebibytes = [](std::size_t bytes) {
      return std::to_string((bytes >> 20) + 1) + " MiB";
    };
    throw device::DeviceUnsuitable(
        device_.name() + ": a search of this space needs " + mebibytes(needed) +
        " of device memory, " + mebibytes(counters) + " of it for counters of " +
        std::to_string(leaves) + " leaves in " + std::to_string(blocks_) + " thread blocks, and " +
        std::to_string(available >> 20) +
        " MiB are available; end other programs on it, search fewer stages, or use --strategy "
        "race or --backend cpu");
  }
  void make(Slot& slot) {
    slot.stream = device_.make_stream();
    slot.host_data = device_.template allocate_host<std::byte>(batch_chunks() * chunk_bytes());
    slot.host_lengths = device_.template allocate_host<std::uint32_t>(batch_chunks());
    slot.host_failed = device_.template allocate_host<std::uint32_t>(nodes_ + leaves_);
    slot.host_sums = device_.template allocate_host<std::uint64_t>(leaves_);
    slot.data = device_.template allocate<std::byte>(batch_chunks() * chunk_bytes());
    slot.spilled =
        device_.template allocate<std::byte>(std::size_t{blocks_} * layout_.spilled_bytes);
    slot.lengths = device_.template allocate<std::uint32_t>(batch_chunks());
    slot.leaf_bytes = device_.template allocate<std::uint32_t>(std::size_t{blocks_} * leaves_);
    slot.failed = device_.template allocate<std::uint32_t>(nodes_ + leaves_ + 1);
    slot.sums = device_.template allocate<std::uint64_t>(leaves_);
    const std::size_t parts = most_parts(host_edges_.size(), blocks_);
    slot.host_parts = device_.template allocate_host<WalkPart>(parts);
    slot.parts = device_.template allocate<WalkPart>(parts);
  }

  /// Gets a batch, if there is one, and copies it to the device.
  void start(Slot& slot, Batches& batches) {
    const Batches::Batch batch =
        batches.take(measured_ ? measured_at_a_time() : batch_chunks(), at_once());
    if (batch.count == 0) return;
    const Batches::Chunks chunks = batches.chunks();
    for (std::size_t i = 0; i < batch.count; ++i) {
      const auto chunk = chunks[batch.first + i];
      std::memcpy(slot.host_data.data() + i * chunk_bytes(), chunk.data(), chunk.size());
      slot.host_lengths.data()[i] = static_cast<std::uint32_t>(chunk.size());
    }
    slot.batch = batch;
    const Schedule schedule = schedule_of(host_edges_, batch.count, kGroup, blocks_);
    std::ranges::copy(schedule.parts, slot.host_parts.data());
    slot.part_count = schedule.parts.size();
    slot.group = schedule.group;
    slot.groups = schedule.groups;
    slot.end = 0;
    auto& stream = slot.stream;
    device_.to_device(stream, slot.data.data(), slot.host_data.data(), batch.count * chunk_bytes());
    device_.to_device(stream, slot.lengths.data(), slot.host_lengths.data(), batch.count);
    device_.to_device(stream, slot.parts.data(), slot.host_parts.data(), slot.part_count);
    device_.clear(stream, slot.leaf_bytes.data(), (measured_ ? batch.count : blocks_) * leaves_);
    device_.clear(stream, slot.failed.data(), slot.failed.size());
  }
  /// The edges of the slot's average item.
  double item_edges_of(const Slot& slot) const {
    return double(host_edges_.size()) * double(slot.group) / double(slot.part_count);
  }
  /// Launches the next items of the slot's batch and, after the last ones, the copies of its
  /// results.
  void launch(Slot& slot) {
    auto& stream = slot.stream;
    slot.begin = slot.end;
    slot.end += pace_.items(slot.items() - slot.begin, blocks_, item_edges_of(slot));
    std::uint32_t* const next = slot.failed.data() + nodes_ + leaves_;
    device_.clear(stream, next, 1);
    slot.before = device_.record(stream);
    with_kernel([&](auto body) {
      using Body = decltype(body);
      typename Body::Args args{};
      args.data = slot.data.data();
      args.chunk_lengths = slot.lengths.data();
      args.chunk_bytes = static_cast<std::uint32_t>(chunk_bytes());
      args.chunks = static_cast<std::uint32_t>(slot.batch.count);
      args.group = slot.group;
      args.groups = slot.groups;
      args.first_item = static_cast<std::uint32_t>(slot.begin);
      args.items = static_cast<std::uint32_t>(slot.end - slot.begin);
      args.next = next;
      args.parts = slot.parts.data();
      args.edges = edges_.data();
      args.leaves = leaves_;
      args.by_chunk = measured_ != nullptr;
      args.blocks = layout_;
      args.spilled = slot.spilled.data();
      args.leaf_bytes = slot.leaf_bytes.data();
      args.failed_nodes = slot.failed.data();
      args.failed_leaves = slot.failed.data() + nodes_;
      const auto blocks = static_cast<std::uint32_t>(std::min<std::size_t>(blocks_, args.items));
      device_.template launch<Body>(stream, blocks, shared_bytes_, args);
    });
    slot.after = device_.record(stream);
    if (slot.end < slot.items()) return;
    if (measured_) {
      device_.to_host(stream, slot.host_leaf_bytes.data(), slot.leaf_bytes.data(),
                      slot.batch.count * leaves_);
      return;
    }
    const SumBody::Args sum{slot.leaf_bytes.data(), leaves_, blocks_, slot.sums.data()};
    const std::uint32_t lanes = device_.template lanes<SumBody>();
    device_.template launch<SumBody>(stream, (leaves_ + lanes - 1) / lanes, 0, sum);
    device_.to_host(stream, slot.host_sums.data(), slot.sums.data(), leaves_);
    device_.to_host(stream, slot.host_failed.data(), slot.failed.data(), nodes_ + leaves_);
  }
  /// Waits for the slot's launch. If it was the batch's last one, adds its results. If it was the
  /// last one, or if the search shall stop, the slot has no batch any more.
  void wait_for(Slot& slot, Batches& batches) {
    device_.wait(slot.stream);
    // The time includes waiting for the other slot's launch.
    pace_.took(slot.end - slot.begin, blocks_, item_edges_of(slot),
               device_.seconds(slot.before, slot.after));
    const bool whole = slot.end == slot.items();
    if (!whole && !batches.stopped()) return;
    const Batches::Batch batch = std::exchange(slot.batch, {});
    if (!whole) return;
    if (measured_) {
      std::copy_n(slot.host_leaf_bytes.data(), batch.count * leaves_,
                  measured_ + batch.first * leaves_);
      return batches.done(batch);
    }
    totals_.add({slot.host_sums.data(), leaves_}, {slot.host_failed.data(), nodes_},
                {slot.host_failed.data() + nodes_, leaves_});
    batches.done(batch);
  }

  Device device_;
  std::size_t word_bytes_;
  std::size_t kernel_bytes_ = 0;  ///< of the kernel's words
  std::size_t whole_bytes_ = 0;   ///< the length of most blocks, that of chunks of such words
  Mode mode_;
  std::uint32_t leaves_, nodes_, blocks_ = 0;
  Totals totals_;
  std::vector<std::size_t> lengths_;
  WalkBlocks layout_;
  std::size_t shared_bytes_ = 0;
  LaunchPace pace_;
  std::vector<WalkEdge> host_edges_;
  Buffer<WalkEdge> edges_;
  std::array<Slot, 2> slots_;
  std::uint32_t* measured_ = nullptr;  ///< of the call of walk() in progress
};

}  // namespace fpsynth::search
