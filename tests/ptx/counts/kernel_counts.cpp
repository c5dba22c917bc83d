#include "tests/ptx/counts/kernel_counts.hpp"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <span>
#include <thread>

#include "runners/baselines/gfc/device_host.hpp"
#include "runners/baselines/holt/device_host.hpp"
#include "runners/codec/codec.hpp"
#include "runners/codec/gpu/codec_on.hpp"
#include "runners/search/gpu/device_engine.hpp"
#include "synth/common/error.hpp"
#include "synth/plan.hpp"
#include "tests/ptx/interpreter/device.hpp"

namespace fpsynth::ptx {
namespace {

using ptx::PtxDevice;
using Counts = std::map<std::string, ptx::KernelCounts>;
using Bytes = std::vector<std::byte>;

/// The device that is counted on: few blocks, each with the memory that it has on an H100.
PtxDevice::Options counting(Counts& counts) {
  PtxDevice::Options options;
  options.resident_blocks = 3;
  options.shared_per_block = std::size_t{227} << 10;
  options.shared_per_multiprocessor = std::size_t{228} << 10;
  options.checks.races = false;
  options.checks.wavefronts = true;
  options.checks.most_instructions = std::uint64_t{1} << 40;
  options.kernels = &counts;
  return options;
}

void add(std::vector<KernelCount>& rows, const std::string& work, double bytes, bool pipeline_bytes,
         const Counts& counts) {
  for (const auto& [name, kernel] : counts) {
    const ptx::Statistics& statistics = kernel.statistics;
    const ptx::Kernel& code = ptx::kernel_of(name);
    std::map<std::uint32_t, Runs> lines;
    for (std::size_t pc = 0; pc < code.code.size(); ++pc) {
      lines[code.code[pc].line] = statistics.kernels.at(name)[pc];
    }
    rows.push_back({.work = work,
                    .kernel = name,
                    .bytes = bytes,
                    .pipeline_bytes = pipeline_bytes,
                    .launches = kernel.launches,
                    .lanes = kernel.lanes,
                    .shared_bytes = kernel.shared_bytes,
                    .instructions = statistics.instructions,
                    .wavefronts = statistics.shared_wavefronts,
                    .ideal_wavefronts = statistics.ideal_wavefronts,
                    .barriers = statistics.block_barriers,
                    .lines = std::move(lines)});
  }
}

std::size_t bytes_of(const KernelWork::Chunks& chunks) {
  std::size_t bytes = 0;
  for (const Bytes& chunk : chunks) bytes += chunk.size();
  return bytes;
}

Bytes joined(const KernelWork::Chunks& chunks) {
  Bytes bytes;
  for (const Bytes& chunk : chunks) bytes.insert(bytes.end(), chunk.begin(), chunk.end());
  return bytes;
}

void expect_same(bool same, const std::string& work) {
  if (!same) throw Error(fmt::format("{}: PTX does not give the processor's bytes", work));
}

void count_search(const synth::Plan& plan, const KernelWork::Chunks& chunks, std::size_t word_bytes,
                  search::Mode mode, const std::string& work, std::vector<KernelCount>& rows) {
  const std::vector<std::span<const std::byte>> spans(chunks.begin(), chunks.end());
  const search::WalkCallbacks callbacks{[] { return false; }, [](std::uint64_t) {}};
  search::Totals found(plan), expected(plan);
  Counts counts;
  {
    // The search chooses its layout by the blocks that are resident: as many as a GPU has.
    PtxDevice::Options options = counting(counts);
    options.resident_blocks = 32;
    std::vector<PtxDevice> devices{PtxDevice(options)};
    search::DeviceEngine<PtxDevice> engine(std::move(devices), plan, word_bytes, mode);
    std::vector<std::uint8_t> finished(spans.size());
    engine.walk(spans, finished, callbacks);
    engine.add_to(found);
  }
  const auto check = search::cpu_engine(1, components::default_stages(), true)(plan, word_bytes,
                                                                               search::Mode::Count);
  std::vector<std::uint8_t> finished(spans.size());
  check->walk(spans, finished, callbacks);
  check->add_to(expected);
  expect_same(found.block_bytes == expected.block_bytes &&
                  found.failed_nodes == expected.failed_nodes &&
                  found.failed_leaves == expected.failed_leaves,
              work);
  add(rows, work, double(plan.space().size()) * double(bytes_of(chunks)), true, counts);
}

void count_codec(const char* text, const Bytes& original, std::size_t word_bytes,
                 const std::string& work, std::vector<KernelCount>& rows) {
  const synth::Pipeline pipeline = synth::parse_pipeline(text);
  Counts encoding, decoding;
  const auto codec_with = [&](Counts& counts) {
    return codec::device_codec(PtxDevice(counting(counts)), pipeline, word_bytes,
                               synth::kChunkWords);
  };
  const auto compressing = codec_with(encoding);
  const std::size_t room = compressing->bound(original.size());
  const auto values = compressing->buffer(original.size()), file = compressing->buffer(room);
  values->write(original);
  compressing->encode(values->data(), original.size(), file->data(), room, nullptr);
  const Bytes compressed = file->read(compressing->finish_encode());
  expect_same(codec::decompress(compressed) == original, work);
  add(rows, work + ", compressed", double(original.size()), false, encoding);

  const auto decompressing = codec_with(decoding);
  const auto in = decompressing->buffer(compressed.size());
  const auto out = decompressing->buffer(original.size());
  in->write(compressed);
  const auto header = decompressing->header(in->data(), compressed.size(), nullptr);
  decompressing->decode(in->data(), compressed.size(), header, out->data(), nullptr);
  decompressing->finish_decode();
  expect_same(out->read(original.size()) == original, work);
  add(rows, work + ", decompressed", double(original.size()), false, decoding);
}

/// Counts what `encode` and `decode` do on devices of their own.
void count_baseline(const Bytes& original, const std::string& work, auto encode, auto decode,
                    std::vector<KernelCount>& rows) {
  Counts encoding, decoding;
  const Bytes file = encode(counting(encoding));
  expect_same(decode(counting(decoding), file) == original, work);
  add(rows, work + ", compressed", double(original.size()), false, encoding);
  add(rows, work + ", decompressed", double(original.size()), false, decoding);
}

void count_gfc(const Bytes& original, std::vector<KernelCount>& rows) {
  count_baseline(
      original, "GFC of doubles",
      [&](const PtxDevice::Options& options) {
        return baselines::GfcOn<PtxDevice>(options).encode(original, 64, 2);
      },
      [](const PtxDevice::Options& options, const Bytes& file) {
        return baselines::GfcOn<PtxDevice>(options).decode(file, "GFC");
      },
      rows);
}

void count_holt(const Bytes& original, synth::Precision precision, const std::string& work,
                std::vector<KernelCount>& rows) {
  count_baseline(
      original, work,
      [&](const PtxDevice::Options& options) {
        return baselines::HoltOn<PtxDevice>(options).encode(original, precision,
                                                            baselines::HoltParameters());
      },
      [](const PtxDevice::Options& options, const Bytes& file) {
        return baselines::HoltOn<PtxDevice>(options).decode(file, "Holt");
      },
      rows);
}

}  // namespace

std::vector<KernelCount> count_kernels(const KernelWork& work) {
  if (const std::string why = ptx::why_no_ptx(); !why.empty()) {
    throw UsageError("nothing to count: " + why);
  }
  synth::Space space = synth::Space::paper();
  space.stages = work.stages;
  space.cuts.clear();
  for (unsigned cut = 0; cut <= work.stages; ++cut) space.cuts.push_back(cut);
  const synth::Plan plan(space);

  // Each piece of work has a thread, and rows in the order of the list.
  std::vector<std::function<void(std::vector<KernelCount>&)>> pieces;
  const Bytes doubles = joined(work.coded_doubles), singles = joined(work.coded_singles);
  for (const std::size_t word_bytes : {std::size_t{8}, std::size_t{4}}) {
    const auto& chunks = word_bytes == 8 ? work.searched_doubles : work.searched_singles;
    if (chunks.empty()) continue;
    for (const search::Mode mode : {search::Mode::Count, search::Mode::Verify}) {
      pieces.emplace_back([&, word_bytes, mode](auto& rows) {
        count_search(plan, chunks, word_bytes, mode,
                     fmt::format("search of {}, {}", word_bytes == 8 ? "doubles" : "singles",
                                 mode == search::Mode::Count ? "counting" : "verified"),
                     rows);
      });
    }
  }
  pieces.emplace_back([&](auto& rows) {
    for (const char* text : {"LNV6s BIT LNV1s ZE", "LNV2s LNV2s LNV2x | ZE"}) {
      if (!doubles.empty()) count_codec(text, doubles, 8, fmt::format("{} of doubles", text), rows);
      if (!singles.empty()) count_codec(text, singles, 4, fmt::format("{} of singles", text), rows);
    }
    if (!doubles.empty()) {
      count_gfc(doubles, rows);
      count_holt(doubles, synth::Precision::Double, "Holt of doubles", rows);
    }
    if (!singles.empty()) count_holt(singles, synth::Precision::Single, "Holt of singles", rows);
  });

  std::vector<std::vector<KernelCount>> rows(pieces.size());
  std::vector<std::exception_ptr> errors(pieces.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          pieces[i](rows[i]);
        } catch (...) {
          errors[i] = std::current_exception();
        }
      });
    }
  }
  std::vector<KernelCount> all;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (errors[i]) std::rethrow_exception(errors[i]);
    all.insert(all.end(), rows[i].begin(), rows[i].end());
  }
  return all;
}

}  // namespace fpsynth::ptx
