// The steps: documents, files and restored originals of the device beside the processor's.

#include <fmt/core.h>

#include <algorithm>

#include "runners/check/check.hpp"
#include "runners/codec/device_codec.hpp"
#include "runners/codec/format/content_hash.hpp"
#include "runners/codec/gpu/files.hpp"
#include "runners/data/synthetic/synthetic_sets.hpp"
#include "runners/search/gpu/cuda_engine.hpp"
#include "runners/search/gpu/walk_memory.hpp"
#include "runners/search/search.hpp"
#include "synth/common/precision.hpp"
#include "synth/common/raise.hpp"
#include "synth/common/words.hpp"
#include "synth/plan.hpp"

namespace fpsynth::check {
namespace {

using Bytes = std::vector<std::byte>;
using synth::Precision;

/// Those that GPUs have.
constexpr Precision kOnDevices[] = {Precision::Double, Precision::Single, Precision::Half};

std::string values_of(Precision precision) {
  return precision == Precision::Half ? "halves" : fmt::format("{}s", synth::to_string(precision));
}

/// `words` words of each made set one after the other, half as many of the first one, and a tail.
/// Halves are the upper ones of singles.
Bytes sample(std::size_t words, Precision precision) {
  const auto sets = data::synthetic_sets();
  const Precision made = precision == Precision::Half ? Precision::Single : precision;
  const std::size_t each = synth::word_bytes(made), kept = synth::word_bytes(precision);
  Bytes bytes;
  for (std::size_t i = 0; i <= sets.size(); ++i) {
    const std::size_t count = i < sets.size() ? words : (words + 1) / 2;
    const data::Input set = data::make_input(sets[i % sets.size()], 8 * count).in(made);
    for (std::size_t end = each; end <= set.bytes().size(); end += each) {
      const auto word = set.bytes().subspan(end - kept, kept);
      bytes.insert(bytes.end(), word.begin(), word.end());
    }
  }
  bytes.insert(bytes.end(), 3, std::byte{0x5a});
  return bytes;
}

/// Throws an Error, which names the first byte that differs, unless `found` is `expected`.
void expect_same(const std::string& what, std::span<const std::byte> found,
                 std::span<const std::byte> expected) {
  const std::size_t same = std::size_t(std::ranges::mismatch(found, expected).in1 - found.begin());
  if (same == found.size() && same == expected.size()) return;
  if (same == std::min(found.size(), expected.size())) {
    raise("{} {} bytes, not {}", what, found.size(), expected.size());
  }
  raise("{} differently: byte {} of {} is {:#04x}, not {:#04x}", what, same, expected.size(),
        unsigned(found[same]), unsigned(expected[same]));
}

/// Holds the device's file of `input` against the processor's, `file`, and what it restores of that
/// against `input`.
template <class Encode, class Restore>
void compare(const std::string& what, const Bytes& input, const Bytes& file, Encode encode,
             Restore restore) {
  expect_same(what + ": encodes", encode(), file);
  codec::MemorySink back;
  std::exception_ptr damage;
  try {
    restore(back);
  } catch (const device::DeviceError&) {
    throw;
  } catch (const Error&) {  // where bytes differ says more
    damage = std::current_exception();
  }
  expect_same(what + ": decodes", back.bytes(), input);
  if (damage) std::rethrow_exception(damage);
}

void compare_files(const Target& target, const synth::Method& method, Precision precision,
                   const Bytes& input, std::size_t chunk_words = synth::kChunkWords) {
  codec::CodecOptions options;
  options.chunk_words = chunk_words;
  const std::size_t word_bytes = synth::word_bytes(precision);
  const Bytes file = codec::compress(input, method, word_bytes, options);
  const std::string what =
      fmt::format("{}, {} of {} in chunks of {}", synth::to_string(method),
                  counted(input.size(), "byte"), values_of(precision), chunk_words);
  compare(
      what, input, file,
      [&] {
        codec::MemorySink sink;
        target.compress(input, method, word_bytes, sink, options);
        return sink.bytes();
      },
      [&](codec::Sink& back) { target.decompress(file, back); });
}

/// A component alone if it can end a pipeline, else in front of ZE, which passes on its input.
std::string stages(const Target& target, std::size_t word_bytes) {
  // Blocks of bytes are cut from doubles.
  const Precision precision =
      word_bytes == 1 ? Precision::Double : synth::precision_of_words(word_bytes);
  std::vector<Bytes> inputs;
  for (const std::size_t words : target.work.chunk_words) {
    inputs.push_back(sample(words, precision));
  }
  for (const synth::Component component : synth::registered_components()) {
    const bool ends = synth::family(component.family).frame_fields > 0;
    const synth::Pipeline pipeline = synth::parse_pipeline(
        (word_bytes == 1 ? "| " : "") + synth::to_string(component) + (ends ? "" : " ZE"));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      compare_files(target, pipeline, precision, inputs[i], target.work.chunk_words[i]);
    }
  }
  return fmt::format("{}, {} each", counted(synth::registered_components().size(), "component"),
                     counted(inputs.size(), "file"));
}

/// The documents of a search in each layout of a thread block's memory.
std::string searches(const Target& target, Precision precision, bool verify) {
  using search::Verification;
  const synth::Plan plan(target.work.space);
  const std::size_t word_bytes = synth::word_bytes(precision);
  const data::Input input("sample", sample(target.work.searched_words, precision), {precision});
  search::SearchOptions options;
  options.verification.kind = verify ? Verification::Kind::All : Verification::Kind::None;
  const results::Document expected = search::search(input, plan, options);
  const std::size_t layouts =
      search::walk_layouts(plan.worst_case_bytes(word_bytes, plan.input_words()),
                           plan.space().chunk_words * word_bytes, verify)
          .size();
  std::string unsuitable;
  std::size_t left_out = 0;
  for (std::size_t layout = 0; layout < layouts; ++layout) {
    options.engine = target.engine(layout);
    try {
      const results::Document found = search::search(input, plan, options);
      const std::string what = fmt::format("the walk in layout {} of {}", layout, layouts);
      const auto& sizes = expected.payload_bytes;
      const auto id =
          std::size_t(std::ranges::mismatch(sizes, found.payload_bytes).in1 - sizes.begin());
      if (id < sizes.size()) {
        raise("{}: '{}' gives {} bytes, not {}", what, expected.text_at(id),
              found.payload_bytes[id], sizes[id]);
      }
      if (found.failed != expected.failed) {
        raise("{} does not decode '{}', the first of {}", what,
              expected.text_at(found.failed.at(0)), counted(found.failed.size(), "pipeline"));
      }
    } catch (const device::DeviceUnsuitable& error) {
      unsuitable = error.what();
      ++left_out;
    }
  }
  if (left_out == layouts) throw device::DeviceUnsuitable(unsuitable);
  return fmt::format("{} of {} in {}{}", counted(expected.payload_bytes.size(), "pipeline"),
                     counted(expected.run.chunks_total, "chunk"),
                     counted(layouts - left_out, "layout"),
                     left_out ? fmt::format("; left out {}: {}", left_out, unsuitable) : "");
}

/// Each time of an input that lacks some more of the beginning, so that the bytes of an earlier
/// time, which the memory may still have, cannot pass for those of this one.
std::string lookback(const Target& target) {
  constexpr unsigned kTimes = 10;
  const std::size_t chunk_words = target.work.lookback_chunk_words;
  Bytes input = sample(target.work.lookback_words, Precision::Double);
  const std::size_t chunks = input.size() / (8 * chunk_words);
  for (unsigned i = 0; i < kTimes; ++i) {
    compare_files(target, synth::parse_pipeline("LNV1s ZE"), Precision::Double, input, chunk_words);
    input.erase(input.begin(), input.begin() + 7 * 8);
  }
  return fmt::format("{}, {} times", counted(chunks, "chunk"), kTimes);
}

/// Of files with preludes, devices compute checksums: lengths on both sides of where XXH3 changes
/// its ways, of a segment, and of the list of two.
std::string checksums(const Target& target) {
  constexpr std::size_t kSegment = codec::kSegmentBytes, kTwo = 2 * kSegment + 241;
  std::vector<std::size_t> lengths = {0,   1,   3,   4,   8,    9,    16,  17,
                                      128, 129, 240, 241, 1023, 1025, kTwo};
  for (const std::size_t past : {0, 1, 2}) lengths.push_back(kSegment - 1 + past);
  const Bytes bytes = sample(kSegment / 32, Precision::Double);
  for (const std::size_t length : lengths) {
    compare_files(target, synth::parse_method("LAGs:1 / ZE"), Precision::Double,
                  {bytes.begin(), bytes.begin() + std::ptrdiff_t(length)});
  }
  return counted(lengths.size(), "length");
}

std::string prelude(const Target& target, const std::string& text) {
  const synth::Method method = synth::parse_method(text + " / LNV1s ZE");
  std::string compared;
  for (const Precision precision : kOnDevices) {
    if (!synth::defect(method.prelude, synth::word_bytes(precision)).empty()) continue;
    compare_files(target, method, precision, sample(target.work.whole_words, precision));
    compared += (compared.empty() ? "" : ", ") + values_of(precision);
  }
  return compared;
}

auto restored_by(baselines::BaselineDevice& device, const Bytes& file, const Bytes& input) {
  return [&](codec::MemorySink& back) {
    back.bytes().resize(input.size());
    device.decode_into(file, "the processor's file", back.bytes());
  };
}

std::string gfc(const Target& target) {
  const auto device = target.gfc();
  Bytes doubles = sample(target.work.whole_words, Precision::Double);
  doubles.resize(doubles.size() / 8 * 8);
  for (const unsigned chunks : {1, 7, 100}) {
    for (const unsigned dimensionality : {1, 3, 32}) {
      const Bytes file = baselines::encode_gfc(doubles, chunks, dimensionality);
      compare(
          fmt::format("{}, dimensionality {}", counted(chunks, "chunk"), dimensionality), doubles,
          file, [&] { return device->encode(doubles, chunks, dimensionality); },
          restored_by(*device, file, doubles));
    }
  }
  return counted(doubles.size() / 8, "double");
}

std::string holt(const Target& target) {
  const auto device = target.holt();
  for (const Precision precision : synth::kPaperPrecisions) {
    const Bytes input = sample(target.work.whole_words, precision);
    for (const baselines::HoltParameters& parameters :
         {baselines::HoltParameters{}, baselines::HoltParameters{0.5, 0.25, 31},
          baselines::HoltParameters{0.5, 0.25, 31, true}}) {
      const Bytes file = baselines::encode_holt(input, precision, parameters);
      compare(
          fmt::format("{} in runs of {}", values_of(precision), parameters.run), input, file,
          [&] { return device->encode(input, precision, parameters); },
          restored_by(*device, file, input));
    }
  }
  return "doubles and singles";
}

}  // namespace

std::vector<Step> all_steps() {
  std::vector<Step> steps;
  for (const std::size_t word_bytes : {8, 4, 2, 1}) {
    steps.push_back({fmt::format("stages of {}", counted(word_bytes, "byte")),
                     [=](const Target& target) { return stages(target, word_bytes); }});
  }
  for (const Precision precision : kOnDevices) {
    for (const bool verify : {true, false}) {
      steps.push_back(
          {fmt::format("search {} {}", values_of(precision), verify ? "verified" : "counted"),
           [=](const Target& target) { return searches(target, precision, verify); }});
    }
  }
  steps.push_back({"look-back", lookback});
  steps.push_back({"checksums", checksums});
  std::vector<std::string> texts;
  for (const synth::PreludeTraits& traits : synth::prelude_kinds()) {
    for (const std::uint64_t parameter : {0, 3, 256, 2401}) {
      if (!traits.range(4).has(parameter)) continue;
      const bool selected = traits.shape == preludes::Shape::Selected;
      texts.push_back(synth::to_string(synth::PreludeStep{
          traits.wire, parameter, selected ? preludes::Divisors(7, 100) : preludes::Divisors()}));
    }
  }
  texts.emplace_back("DICT LAGs:7 LAGx:300");
  for (const std::string& text : texts) {
    steps.push_back(
        {"prelude " + text, [=](const Target& target) { return prelude(target, text); }});
  }
  steps.push_back({"GFC", gfc});
  steps.push_back({"Holt", holt});
  return steps;
}

Target gpu_target(const device::DeviceInfo& info) {
  Target target;
  target.facts = {
      {"name", info.name},
      {"index", std::uint64_t(info.index)},
      {"compute_capability", std::to_string(info.major) + "." + std::to_string(info.minor)},
      {"memory_bytes", std::uint64_t(info.memory_bytes)},
      {"cache_bytes", std::uint64_t(info.cache_bytes)},
      {"machine_code", !info.compiles_ptx}};
  target.compiles = info.compiles_ptx;
  target.work = {.chunk_words = {1, 33, 127, 1024},
                 .space = synth::Space::paper(),
                 .searched_words = synth::kChunkWords,
                 .whole_words = (std::size_t{1} << 16) + 77,
                 .lookback_words = std::size_t{1} << 19};
  target.touch = [info] {
    codec::cuda_codec(synth::parse_pipeline("ZE"), 8, info)->buffer(64)->read(64);
  };
  target.engine = [info](std::size_t layout) { return search::cuda_engine({info}, layout); };
  target.compress = [info](std::span<const std::byte> input, const synth::Method& method,
                           std::size_t word_bytes, codec::PatchableSink& sink,
                           const codec::CodecOptions& options) {
    codec::compress_cuda(input, "sample", method, word_bytes, sink, info, options);
  };
  target.decompress = [info](std::span<const std::byte> file, codec::Sink& sink) {
    codec::decompress_cuda(file, "sample", sink, info);
  };
  target.gfc = [info] { return baselines::on_gpu<baselines::gfc_on>(info); };
  target.holt = [info] { return baselines::on_gpu<baselines::holt_on>(info); };
  return target;
}

}  // namespace fpsynth::check
