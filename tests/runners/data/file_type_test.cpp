#include "runners/data/file_type.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "runners/data/synthetic/synthetic_sets.hpp"
#include "synth/common/error.hpp"
#include "tests/support/exact_memory.hpp"
#include "tests/support/files.hpp"

namespace fpsynth::data {
namespace {

using namespace std::string_literals;

std::optional<Format> format_of_text(const std::string& text) {
  return format_of(tests::ExactMemory(text).bytes());
}

struct Sample {
  std::string name;   ///< what messages call the format contains this
  std::string bytes;  ///< a file's beginning, made by hand
  std::size_t known;  ///< so many of them suffice to know it
};

std::string after(std::size_t count, char filler, const std::string& bytes) {
  std::string text(count, filler);
  for (const char c : bytes) text.push_back(c);
  return text;
}

std::vector<Sample> samples() {
  const std::string numpy =
      "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"s;
  const std::string hdf5 = "\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0"s;
  const std::string gzip = "\x1f\x8b\x08\x08\x12\x34\x56\x78\x00\x03x.f64\0"s;
  const std::string tensor = R"({"w": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]}})"
                             " valu";
  return {
      {"NumPy", numpy, 6},
      {"ZIP", "PK\x03\x04\x14\0\0\0\x08\0"s, 4},
      {"HDF5", hdf5, 8},
      {"HDF5", after(512, '\0', hdf5), 520},
      {"HDF5", after(4096, 'M', hdf5), 4104},
      {"netCDF", "CDF\x01\0\0\0\0"s, 4},
      {"netCDF", "CDF\x02\0\0\0\0"s, 4},
      {"netCDF", "CDF\x05\0\0\0\0\0\0\0\0"s, 4},
      {"FITS", "SIMPLE  =                    T / conforms to FITS standard"s, 9},
      {"GRIB", "GRIB\xff\xff\0\x02\0\0"s, 4},
      {"HDF4", "\x0e\x03\x13\x01\0\0"s, 4},
      {"MATLAB", "MATLAB 5.0 MAT-file, Platform: GLNXA64, Created on: \0"s, 19},
      {"gzip", gzip, 10},
      {"bzip2", "BZh91AY&SY\xab\xcd"s, 10},
      {"bzip2", "BZh1\x17\x72\x45\x38\x50\x90\0\0\0\0"s, 10},
      {"xz", "\xfd\x37zXZ\0\0\x04"s, 6},
      {"Zstandard", "\x28\xb5\x2f\xfd\x04\x58"s, 4},
      {"LZ4", "\x04\x22\x4d\x18\x64\x40"s, 4},
      {"fpsynth compress", "FPSY\x02\x08\x01\0"s, 4},
      {"TIFF", "II*\0\x08\0\0\0"s, 4},
      {"TIFF", "MM\0*\0\0\0\x08"s, 4},
      {"TIFF", "II+\0\x08\0\0\0"s, 4},
      {"TIFF", "MM\0+\0\x08\0\0"s, 4},
      {"PNG", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s, 8},
      {"safetensors", "\x3d\0\0\0\0\0\0\0"s + tensor, 69},
      {"text", "1.5,2.5\n3.5,4.5\n", 4},
      {"text", "-1e10 2\n", 6},
      {"text", "time;value\r\n0;1\r\n", 13},
      {"text",
       "\xef\xbb\xbf"
       "x\ty\n1\t2\n",
       8},
      {"text", after(2000, '7', " 8 \0"s), std::string::npos},
      {"text", "1 2 3 4 " + after(1016, '5', "\0\0"s), 2},
  };
}

TEST(FileType, FormatsAreKnownByTheirFirstBytes) {
  for (const auto& [name, bytes, known] : samples()) {
    const auto format = format_of_text(bytes);
    if (known == std::string::npos) {
      EXPECT_FALSE(format) << name;
      continue;
    }
    ASSERT_TRUE(format) << name << ": " << bytes.substr(0, 20);
    EXPECT_NE(format->name.find(name), std::string::npos) << format->name;
    EXPECT_FALSE(format->way_out.empty());
  }
}

TEST(FileType, EveryBeginningIsReadNoFurtherThanItGoes) {
  for (const auto& [name, bytes, known] : samples()) {
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      const auto format = format_of_text(bytes.substr(0, size));
      const bool named = format && format->name.find(name) != std::string::npos;
      EXPECT_EQ(named, known != std::string::npos && size >= known) << name << ' ' << size;
    }
  }
}

TEST(FileType, WordsAreNoOtherFormat) {
  for (const SyntheticSet& set : synthetic_sets()) {
    const Input doubles = make_input(set, 16384);
    EXPECT_FALSE(format_of(doubles.bytes())) << set.name;
    EXPECT_FALSE(format_of(doubles.in(Precision::Single).bytes())) << set.name;
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::array<std::uint64_t, 4> words;
    for (auto& word : words) word = random();
    EXPECT_FALSE(format_of(std::as_bytes(std::span(words))));
  }
  for (const std::string& text :
       {""s, "\0"s, "12345678"s, "words and, no more; of them\n"s, "BZh9\0\0\0\0\0\0\0\0"s,
        "\x1f\x8b\x08\xff\0\0\0\0\0\x03"s, "\x1f\x8b\x08\0\0\0\0\0\x01\x03"s,
        after(513, '\0', "\x89HDF\r\n\x1a\n")}) {
    EXPECT_FALSE(format_of_text(text)) << text;
  }
}

TEST(FileType, EndingsSayWhatFilesHold) {
  for (const char* ending : {".f32", ".sp", ".float"}) {
    EXPECT_EQ(type_of_ending(ending), Precision::Single) << ending;
  }
  for (const char* ending : {".f64", ".d64", ".dp", ".double", ".fpc"}) {
    EXPECT_EQ(type_of_ending(ending), Precision::Double) << ending;
  }
  for (const char* ending : {"", ".", ".bin", ".dat", ".raw", ".trace", ".F64", "f64", ".f", ".npy",
                             ".i24", ".i", "i32"})
    EXPECT_FALSE(type_of_ending(ending)) << ending;
  for (const synth::NamedType& named : synth::kValueTypes) {
    EXPECT_EQ(type_of_ending("." + std::string(named.code)), named.type) << named.code;
    EXPECT_EQ(synth::type_called(named.code, &synth::NamedType::code), named.type);
    EXPECT_EQ(synth::type_called(named.name, &synth::NamedType::name), named.type);
  }
  for (const char* name : {"", "double", "F64", "f8", "i24", "bf32", "int32"}) {
    EXPECT_FALSE(synth::type_called(name, &synth::NamedType::code)) << name;
  }
}

TEST(FileType, WhatIsSaidCountsThenTheEnding) {
  const std::vector<std::byte> bytes(16);
  EXPECT_EQ(held_type("a.f32", bytes, {}), Precision::Single);
  EXPECT_EQ(held_type("b/a.F64", bytes, {}), Precision::Double);
  EXPECT_EQ(held_type("a.f32", bytes, Precision::Double), Precision::Double);
  EXPECT_EQ(held_type("a.bin", bytes, Precision::Single), Precision::Single);
  for (const char* name :
       {"a.bin", "b/a.dat", "a.raw", "a", "standard input", ".f64", "a.f64/b", "a.f64.bin"}) {
    try {
      held_type(name, bytes, {});
      ADD_FAILURE() << name;
    } catch (const UsageError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.find(name + ": nothing says"s), 0u) << message;
      EXPECT_NE(message.find("--type, f64, f32, i64, i32, u64, u32, f16, bf16, i16, u16, i8 or u8"),
                std::string::npos)
          << message;
    }
  }
}

TEST(FileType, OtherFormatsAreRefusedWhateverIsSaid) {
  const std::string text = "1.5 2.5\n";
  const auto bytes = std::as_bytes(std::span(text));
  for (const auto said : {std::optional<Precision>(), std::optional(Precision::Double)}) {
    try {
      held_type("a.f64", bytes, said);
      ADD_FAILURE();
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(error.status(), 1);
      EXPECT_EQ(message.find("a.f64 is text with numbers"), 0u) << message;
      EXPECT_NE(message.find("tofile"), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace fpsynth::data
