#include "runners/codec/format/container.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <sstream>

#include "runners/codec/inspect.hpp"
#include "synth/common/error.hpp"
#include "tests/runners/codec/support.hpp"
#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::codec {
namespace {

using components::Extent;

std::string hex(std::span<const std::byte> bytes) {
  std::ostringstream out;
  out << std::hex;
  for (const std::byte byte : bytes) {
    out << "0123456789abcdef"[std::to_integer<int>(byte) >> 4]
        << "0123456789abcdef"[std::to_integer<int>(byte) & 15];
  }
  return out.str();
}

Header sample_header() {
  Header header;
  header.pipeline = synth::parse_pipeline("LNV6s BIT | DIM64 RLE");
  header.word_bytes = 4;
  header.original_bytes = 0x0102030405;
  header.checksum = 0x1122334455667788;
  return header;
}

PipelineFrames frames_of(const char* text, std::size_t word_bytes) {
  Header header;
  header.pipeline = synth::parse_pipeline(text);
  header.word_bytes = word_bytes;
  return PipelineFrames(header);
}

std::uint8_t wire(const char* name) {
  return synth::family(synth::parse_component(name)->family).wire;
}

std::string byte_hex(unsigned value) { return hex(std::array{static_cast<std::byte>(value)}); }

TEST(Container, HeaderIsTheDocumentedBytes) {
  EXPECT_EQ(hex(serialize(sample_header())),
            "46505359"  // FPSY
            "02"
            "04"
            "04"
            "02"                                  // version, word size, stages, cut
                + byte_hex(wire("LNV6s")) + "06"  //
                + byte_hex(wire("BIT")) + "00"    //
                + byte_hex(wire("DIM64")) + "40"  //
                + byte_hex(wire("RLE")) + "00"    //
                + "00040000"                      // chunk length
                + "0504030201000000"              // original size
                + "8877665544332211");            // checksum
}

TEST(Container, HeaderIsRestored) {
  const Header header = sample_header();
  const Header parsed = parse_header(serialize(header), "x");
  EXPECT_EQ(parsed.pipeline, header.pipeline);
  EXPECT_EQ(parsed.word_bytes, header.word_bytes);
  EXPECT_EQ(parsed.chunk_words, header.chunk_words);
  EXPECT_EQ(parsed.original_bytes, header.original_bytes);
  EXPECT_EQ(parsed.checksum, header.checksum);
}

TEST(Container, OverheadIsHeaderAndTail) {
  for (const auto& pipeline : sample_pipelines()) {
    EXPECT_EQ(header_bytes(pipeline), 28 + 2 * pipeline.stages.size());
    EXPECT_EQ(overhead_bytes(pipeline, 8003, 8), header_bytes(pipeline) + 3);
    EXPECT_EQ(overhead_bytes(pipeline, 8003, 4), header_bytes(pipeline) + 3);
    EXPECT_EQ(overhead_bytes(pipeline, 8000, 8), header_bytes(pipeline));
  }
}

TEST(Container, BadHeadersAreErrorsThatNameTheFileAndTheValue) {
  const Bytes good = serialize(sample_header());
  struct Case {
    std::size_t at;
    unsigned value;
    const char* says;
  };
  for (const auto& [at, value, says] :
       {Case{0, 'G', "FPSY"},
        Case{4, 7, "format version 7, this program reads versions 2 to 6; use the program"},
        Case{4, 5, "it has sections, each with its method (format version 5)"},
        Case{4, 4, "it begins with a description of its values (format version 4)"},
        Case{4, 3, "it was compressed with a prelude (format version 3)"},
        Case{4, 1, "compress the original again"}, Case{5, 3, "words of 3 bytes"},
        Case{5, 0, "words of 0 bytes"}, Case{6, 0, "0 stages"}, Case{6, 9, "9 stages"},
        Case{6, 255, "255 stages"}, Case{7, 5, "cut of 5"}, Case{8, 200, "family 200"},
        Case{9, 0, "parameter 0"}, Case{9, 65, "parameter 65"}, Case{11, 1, "parameter 1"},
        Case{14, wire("BIT"), "last stage is BIT"}, Case{17, 0, "chunks of 0 words"},
        Case{18, 1, "chunks of 66560 words"}}) {
    Bytes bad = good;
    bad[at] = static_cast<std::byte>(value);
    const std::string said = tests::message_of([&] { parse_header(bad, "some.fps"); });
    EXPECT_TRUE(said.starts_with("some.fps: ")) << at << " = " << value << ": " << said;
    EXPECT_TRUE(tests::contains(said, says)) << at << " = " << value;
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(parse_header(std::span(good).first(size), "x"), Error) << size;
  }
}

TEST(Container, HeadersThatNoReaderAcceptsAreNotWritten) {
  const auto refused = [](const std::function<void(Header&)>& spoil) {
    Header header = sample_header();
    spoil(header);
    EXPECT_THROW(serialize(header), Error);
  };
  refused([](Header& header) { header.word_bytes = 3; });
  refused([](Header& header) { header.pipeline.stages.clear(); });
  refused([](Header& header) { header.pipeline.stages.resize(9); });
  refused([](Header& header) { header.pipeline.stages.pop_back(); });
  refused([](Header& header) { header.pipeline.cut = 5; });
  refused([](Header& header) { header.pipeline.stages[0].family = 99; });
  refused([](Header& header) { header.chunk_words = 0; });
}

TEST(Frames, HoldOneLengthForZeAndTwoForRle) {
  const PipelineFrames frames = frames_of("RLE LNV1s | ZE", 8);
  ASSERT_EQ(frames.bytes(), 6u);
  const std::array extents = {Extent{0x0102, 0x0091}, Extent{0x0102, 0}, Extent{0x0304, 0}};
  std::array<std::byte, 6> frame;
  frames.write(extents, frame.data());
  EXPECT_EQ(hex(frame), "020191000403");
  std::array<Extent, 3> back;
  EXPECT_EQ(frames.read(frame.data(), 1024, back), kGoodFrame);
  EXPECT_EQ(back, extents);
}

TEST(Frames, AreWideIfAStageMayExceed65535Words) {
  const char* const text = "| RLE RLE RLE RLE RLE RLE";
  const PipelineFrames frames = frames_of(text, 8);
  ASSERT_TRUE(frames.wide());
  ASSERT_EQ(frames.bytes(), 6u * 2 * 4);
  EXPECT_FALSE(frames_of(text, 4).wide());  // 4096 * 1.5^6 = 46656
  // Each at most one and a half times as long as the previous one, beginning with 8192 bytes.
  const std::array extents = {Extent{12000, 11000}, Extent{18000, 1},     Extent{27000, 27000},
                              Extent{40000, 5},     Extent{60000, 40000}, Extent{70000, 66000}};
  std::array<std::byte, 48> frame;
  frames.write(extents, frame.data());
  std::array<Extent, 6> back;
  EXPECT_EQ(frames.read(frame.data(), 1024, back), kGoodFrame);
  EXPECT_EQ(back, extents);
}

TEST(Frames, LengthsAreRescaledAtTheCut) {
  const PipelineFrames frames = frames_of("ZE LNV1s | DIM8 NUL RLE", 8);
  const std::array<std::byte, 6> frame = {std::byte{100}, {}, std::byte{200}, {}, std::byte{7}, {}};
  std::array<Extent, 5> extents;
  EXPECT_EQ(frames.read(frame.data(), 1000, extents), kGoodFrame);
  EXPECT_EQ(extents, (std::array{Extent{100, 0}, Extent{100, 0}, Extent{800, 0}, Extent{800, 0},
                                 Extent{200, 7}}));
}

TEST(Frames, ImpossibleLengthsAreFound) {
  const auto pipeline = synth::parse_pipeline("LNV1s RLE | BIT ZE");
  const synth::PipelineStages stages(pipeline, 8);
  using Extents = std::array<Extent, 4>;
  const Extents good = {Extent{100, 0}, Extent{50, 40}, Extent{400, 0}, Extent{300, 0}};
  ASSERT_EQ(check_extents(stages, 100, good.data()), kGoodFrame);
  const auto first_bad = [&](std::size_t stage, Extent extent) {
    Extents changed = good;
    changed[stage] = extent;
    return check_extents(stages, 100, changed.data());
  };
  EXPECT_EQ(first_bad(0, {99, 0}), 0u);   // keeps its length
  EXPECT_EQ(first_bad(0, {100, 1}), 0u);  // has no values
  EXPECT_EQ(first_bad(1, {0, 0}), 1u);
  EXPECT_EQ(first_bad(1, {50, 51}), 1u);
  EXPECT_EQ(first_bad(1, {50, 0}), 1u);
  const auto rle = pipeline.stages[1];
  const auto most = static_cast<std::uint32_t>(synth::worst_case(rle, 8, 100));
  EXPECT_EQ(first_bad(1, {most + 1, 40}), 1u);
  EXPECT_EQ(first_bad(1, {most, 40}), 2u);  // itself possible, but BIT's length no longer fits
  EXPECT_EQ(first_bad(2, {50, 0}), 2u);     // not rescaled
  EXPECT_EQ(first_bad(3, {451, 0}), 3u);    // more than 400 + 400 / 8
  EXPECT_EQ(first_bad(3, {450, 0}), kGoodFrame);
}

/// The hex dump in FORMAT.md that follows the line `begin`.
Bytes documented_file(const std::string& document, const std::string& begin) {
  Bytes bytes;
  std::istringstream lines(document.substr(document.find(begin)));
  std::string line;
  bool inside = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("```")) {
      if (inside) break;
      inside = true;
    } else if (inside) {
      std::istringstream fields(line.substr(0, line.find("  ")));
      for (std::string field; fields >> field;) {
        bytes.push_back(static_cast<std::byte>(std::stoul(field, nullptr, 16)));
      }
    }
  }
  return bytes;
}

TEST(Container, WorkedExampleOfTheFormatDocument) {
  const std::string document =
      tests::read_bytes(tests::source_file("runners/codec/format/FORMAT.md"));
  const Bytes original = documented_file(document, "The original");
  const Bytes file = documented_file(document, "The file");
  ASSERT_EQ(original.size(), 43u);
  EXPECT_EQ(hex(compress(original, synth::parse_pipeline("LNV1s | RLE"), 8)), hex(file));
  EXPECT_EQ(hex(decompress(file)), hex(original));
}

TEST(Inspect, SizesAddUpToTheFile) {
  for (const std::size_t word_bytes : {8, 4, 2, 1}) {
    for (const auto& pipeline : sample_pipelines()) {
      for (const std::size_t size : {3, 9, 8192, 30003}) {
        const Bytes file = compress(signal(size, word_bytes), pipeline, word_bytes);
        const Inspection found = inspect(file, "x");
        EXPECT_EQ(found.overhead_bytes(), overhead_bytes(pipeline, size, word_bytes));
        EXPECT_EQ(found.overhead_bytes(), found.header_bytes + found.tail_bytes);
        EXPECT_EQ(found.payload_bytes(), found.frames_bytes + found.blocks_bytes);
        EXPECT_EQ(found.overhead_bytes() + found.payload_bytes(), file.size());
        EXPECT_EQ(found.header.pipeline, pipeline);
        EXPECT_EQ(found.ratio(), static_cast<double>(size) / static_cast<double>(file.size()));
        EXPECT_LE(static_cast<double>(found.blocks.shortest), found.mean_block());
        EXPECT_GE(static_cast<double>(found.blocks.longest), found.mean_block());
        EXPECT_NO_THROW(verify(file, "x"));
      }
    }
  }
}

TEST(Inspect, VerifyFindsWhatTheStructureDoesNotShow) {
  Bytes file = compress(noise(20000), synth::parse_pipeline("LNV1s ZE"), 8);
  file[file.size() - 3] ^= std::byte{4};
  EXPECT_NO_THROW(inspect(file, "x"));
  EXPECT_THROW(verify(file, "x"), Error);
}

}  // namespace
}  // namespace fpsynth::codec
