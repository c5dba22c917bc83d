// Files made by cfitsio.

#include <fitsio.h>
#include <gtest/gtest.h>

#include "tests/runners/data/formats/support.hpp"

namespace fpsynth::data {
namespace {

using tests::contains;

/// A file that is being made.
class FitsWriter {
 public:
  explicit FitsWriter(const std::filesystem::path& path) {
    fits_create_file(&file_, ("!" + path.string()).c_str(), &status_);
  }
  ~FitsWriter() {
    fits_close_file(file_, &status_);
    EXPECT_EQ(status_, 0);
  }
  FitsWriter(const FitsWriter&) = delete;
  FitsWriter& operator=(const FitsWriter&) = delete;

  /// cfitsio lists the extents fastest first.
  void image(const char* name, int bitpix, std::vector<long> extents, int type,
             const void* values) {
    long count = 1;
    for (const long extent : extents) count *= extent;
    fits_create_img(file_, bitpix, static_cast<int>(extents.size()), extents.data(), &status_);
    if (name) text("EXTNAME", name);
    if (values) fits_write_img(file_, type, 1, count, const_cast<void*>(values), &status_);
  }
  void text(const char* key, const char* value) {
    fits_update_key(file_, TSTRING, key, const_cast<char*>(value), nullptr, &status_);
  }
  void number(const char* key, double value) {
    fits_update_key(file_, TDOUBLE, key, &value, nullptr, &status_);
  }
  void table(const char* name, const std::vector<double>& wide, const std::vector<float>& flux) {
    char names[4][8] = {"WIDE", "FLUX", "ID", "LIST"}, forms[4][8] = {"3D", "1E", "1J", "1PE"};
    char *columns[4], *types[4];
    for (int i = 0; i < 4; ++i) {
      columns[i] = names[i];
      types[i] = forms[i];
    }
    fits_create_tbl(file_, BINARY_TBL, 0, 4, columns, types, nullptr, name, &status_);
    fits_write_col(file_, TDOUBLE, 1, 1, 1, static_cast<LONGLONG>(wide.size()),
                   const_cast<double*>(wide.data()), &status_);
    fits_write_col(file_, TFLOAT, 2, 1, 1, static_cast<LONGLONG>(flux.size()),
                   const_cast<float*>(flux.data()), &status_);
  }
  fitsfile* file() { return file_; }
  int* status() { return &status_; }

 private:
  fitsfile* file_ = nullptr;
  int status_ = 0;
};

TEST(Fits, ImagesAndColumnsKeepEveryBit) {
  const tests::TemporaryFolder folder;
  const auto doubles = odd_values<double>(60);
  const auto singles = odd_values<float>(20);
  const std::string path = (folder / "a.fits").string();
  {
    FitsWriter file(path);
    file.image(nullptr, FLOAT_IMG, {5, 4}, TFLOAT, singles.data());
    file.image("SCI", DOUBLE_IMG, {10, 6}, TDOUBLE, doubles.data());
    const std::vector<short> shorts(4);
    file.image("MASK", SHORT_IMG, {4}, TSHORT, shorts.data());
    file.image("TWIN", FLOAT_IMG, {5, 4}, TFLOAT, singles.data());
    file.image("TWIN", FLOAT_IMG, {20}, TFLOAT, singles.data());
    file.table("CAT", doubles, singles);
    file.image("77", SHORT_IMG, {4}, TSHORT, shorts.data());
  }
  for (const char* name : {"SCI", "1"}) {
    EXPECT_EQ(opened(path + ":" + name), text_of_values(doubles)) << name;
  }
  for (const char* name : {"0", "3", "4", "CAT/FLUX", "5/FLUX"}) {
    EXPECT_EQ(opened(path + ":" + name), text_of_values(singles)) << name;
  }
  EXPECT_EQ(opened(path + ":CAT/WIDE"), text_of_values(doubles));
  EXPECT_EQ(listed(path, "CAT/WIDE").shape, (std::vector<std::uint64_t>{20, 3}));
  EXPECT_EQ(listed(path, "SCI").shape, (std::vector<std::uint64_t>{6, 10}));
  EXPECT_TRUE(contains(error_of(path), "SCI (float64, 6x10), MASK (int16, 4), 3 (float32, 4x5)"));
  EXPECT_EQ(opened(path + ":MASK"), std::string(8, '\0'));
  EXPECT_EQ(opened(path + ":CAT/ID"), std::string(80, '\0'));
  EXPECT_TRUE(contains(error_of(path + ":CAT/LIST"), "of variable length"));
  EXPECT_TRUE(contains(error_of(path + ":TWIN"), "is called by its number: 3, 4;"));
  EXPECT_TRUE(contains(error_of(path + ":77"), "is called by its number: 6;"));
  EXPECT_TRUE(contains(error_of(path + ":CAT"), "this is a table, not a column of one"));
  EXPECT_TRUE(contains(error_of(path + ":CAT/TWIN"), "no such variable"));
  EXPECT_TRUE(contains(error_of(path + ":9"), "no such variable"));
}

TEST(Fits, NamesWithQuotesAndSlashesHideNothing) {
  const tests::TemporaryFolder folder;
  const auto doubles = odd_values<double>(30);
  const auto singles = odd_values<float>(10), others = std::vector<float>(10, 2.5f);
  const std::string path = (folder / "a.fits").string();
  {
    FitsWriter file(path);
    file.image("IT'S", DOUBLE_IMG, {30}, TDOUBLE, doubles.data());
    file.image("2/FLUX", FLOAT_IMG, {10}, TFLOAT, others.data());
    file.table(nullptr, doubles, singles);
    file.image("CAT/FLUX", FLOAT_IMG, {10}, TFLOAT, others.data());
    file.table("CAT", doubles, singles);
  }
  EXPECT_EQ(opened(path + ":IT'S"), text_of_values(doubles));
  for (const char* name : {"2/FLUX", "4/FLUX"}) {
    EXPECT_EQ(opened(path + ":" + name), text_of_values(singles)) << name;
  }
  for (const char* name : {"1", "3"}) {
    EXPECT_EQ(opened(path + ":" + name), text_of_values(others)) << name;
  }
  EXPECT_TRUE(contains(error_of(path), "IT'S (float64, 30), 1 (float32, 10), 2/WIDE"));
  EXPECT_TRUE(contains(error_of(path + ":CAT/FLUX"), "is called by its number: 3, 4/FLUX;"));
}

TEST(Fits, ScalesAreListedAndNotApplied) {
  const tests::TemporaryFolder folder;
  const auto singles = odd_values<float>(20);
  const std::string path = (folder / "a.fits").string();
  {
    FitsWriter file(path);
    file.image(nullptr, FLOAT_IMG, {20}, TFLOAT, singles.data());
    file.number("BSCALE", 2);
    file.number("BZERO", 100);
    file.text("BUNIT", "Jy");
  }
  EXPECT_EQ(opened(path), text_of_values(singles));
  std::string attributes;
  for (const auto& [name, value] : listed(path, "0").attributes)
    attributes += name + "=" + value + ";";
  EXPECT_EQ(attributes, "BUNIT=Jy;BSCALE=2.;BZERO=100.;");
}

/// Unsigned integers are stored as signed ones, less 2^31 or 2^63, by FITS's own convention.
TEST(Fits, IntegersKeepEveryBitAndUnsignedOnesTheirValues) {
  const tests::TemporaryFolder folder;
  const auto wide = odd_values<double>(60);
  const auto narrow = odd_values<float>(20);
  const std::string path = (folder / "a.fits").string(), tiled = (folder / "t.fits").string();
  const auto write = [&](FitsWriter& file) {
    file.image("I32", LONG_IMG, {5, 4}, TINT, narrow.data());
    file.image("U32", ULONG_IMG, {5, 4}, TUINT, narrow.data());
  };
  {
    FitsWriter file(path);
    write(file);
    file.image("I64", LONGLONG_IMG, {10, 6}, TLONGLONG, wide.data());
    file.image("U64", LONGLONG_IMG, {10, 6}, TLONGLONG, wide.data());
    fits_write_record(file.file(), "BZERO   =  9223372036854775808", file.status());
    file.image("SCALED", LONG_IMG, {5, 4}, TINT, narrow.data());
    file.number("BSCALE", 0.5);
    file.number("BZERO", 2147483648);
    char name[] = "ID", form[] = "1V";
    char *names[] = {name}, *forms[] = {form};
    fits_create_tbl(file.file(), BINARY_TBL, 0, 1, names, forms, nullptr, "CAT", file.status());
    fits_write_col(file.file(), TUINT, 1, 1, 1, 20, const_cast<float*>(narrow.data()),
                   file.status());
  }
  {
    FitsWriter file(tiled);
    fits_set_compression_type(file.file(), RICE_1, file.status());
    write(file);
  }
  for (const std::string& file : {path, tiled}) {
    EXPECT_EQ(opened(file + ":I32"), text_of_values(narrow)) << file;
    EXPECT_EQ(opened(file + ":U32"), text_of_values(narrow)) << file;
    EXPECT_EQ(listed(file, "U32").type, "uint32");
  }
  EXPECT_EQ(opened(path + ":CAT/ID"), text_of_values(narrow));
  EXPECT_EQ(listed(path, "CAT/ID").type, "uint32");
  EXPECT_EQ(opened(path + ":I64"), text_of_values(wide));
  EXPECT_EQ(listed(path, "U64").type, "uint64");
  std::vector<double> flipped = wide;
  for (double& value : flipped) {
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ std::uint64_t{1} << 63);
  }
  EXPECT_EQ(opened(path + ":U64"), text_of_values(flipped));
  EXPECT_EQ(opened(path + ":SCALED"), text_of_values(narrow));  // as they are stored
  EXPECT_EQ(listed(path, "SCALED").type, "int32");
}

/// By the same convention, bytes are signed with a zero of -128.
TEST(Fits, WordsOfOneAndTwoBytesKeepEveryBitAndFlipNoneWithoutTheZeroThatSaysSo) {
  const tests::TemporaryFolder folder;
  const std::string path = (folder / "a.fits").string(), tiled = (folder / "t.fits").string();
  const std::string half = words_of(Precision::Half), byte = words_of(Precision::Byte);
  const auto write = [&](FitsWriter& file) {
    file.image("I16", SHORT_IMG, {256, 256}, TSHORT, half.data());
    file.image("U16", USHORT_IMG, {256, 256}, TUSHORT, half.data());
    file.image("U8", BYTE_IMG, {16, 16}, TBYTE, byte.data());
    file.image("I8", SBYTE_IMG, {16, 16}, TSBYTE, byte.data());
  };
  {
    FitsWriter file(path);
    write(file);
    file.image("SCALED", SHORT_IMG, {256, 256}, TSHORT, half.data());
    file.number("BZERO", 1000);
    file.image("OTHER", BYTE_IMG, {16, 16}, TBYTE, byte.data());
    file.number("BZERO", 128);
    char names[4][4] = {"I16", "U16", "U8", "I8"}, forms[4][4] = {"1I", "1U", "1B", "1S"};
    char *columns[4], *types[4];
    for (int i = 0; i < 4; ++i) {
      columns[i] = names[i];
      types[i] = forms[i];
    }
    fits_create_tbl(file.file(), BINARY_TBL, 0, 4, columns, types, nullptr, "CAT", file.status());
    const int codes[] = {TSHORT, TUSHORT, TBYTE, TSBYTE};
    for (int i = 0; i < 4; ++i) {
      fits_write_col(file.file(), codes[i], i + 1, 1, 1, 256,
                     const_cast<char*>((i < 2 ? half : byte).data()), file.status());
    }
  }
  {
    FitsWriter file(tiled);
    fits_set_compression_type(file.file(), RICE_1, file.status());
    write(file);
  }
  for (const auto& [name, type] : {std::pair("I16", "int16"), std::pair("U16", "uint16"),
                                   std::pair("U8", "uint8"), std::pair("I8", "int8")}) {
    const std::string& words = std::string_view(name).ends_with("16") ? half : byte;
    for (const std::string& file : {path, tiled}) {
      EXPECT_EQ(opened(file + ":" + name), words) << file << name;
      EXPECT_EQ(listed(file, name).type, type);
    }
    EXPECT_EQ(opened(path + ":CAT/" + name), words.substr(0, words == half ? 512 : 256)) << name;
    EXPECT_EQ(listed(path, std::string("CAT/") + name).type, type);
  }
  EXPECT_EQ(opened(path + ":SCALED"), half);
  EXPECT_EQ(listed(path, "SCALED").type, "int16");
  EXPECT_EQ(opened(path + ":OTHER"), byte);
  EXPECT_EQ(listed(path, "OTHER").type, "uint8");
}

TEST(Fits, TilesAreReadIfTheyHoldTheValues) {
  const tests::TemporaryFolder folder;
  std::vector<float> values(400);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1f * static_cast<float>(i % 37);
  const auto write = [&](const std::string& path, float quantum) {
    FitsWriter file(path);
    fits_set_compression_type(file.file(), GZIP_2, file.status());
    fits_set_quantize_level(file.file(), quantum, file.status());
    file.image("PACKED", FLOAT_IMG, {20, 20}, TFLOAT, values.data());
  };
  write((folder / "rounded.fits").string(), 4);
  write((folder / "exact.fits").string(), 0);
  EXPECT_EQ(opened(folder / "exact.fits"), text_of_values(values));
  EXPECT_TRUE(contains(listed(folder / "exact.fits", "PACKED").storage, "GZIP_2 tiles"));
  EXPECT_TRUE(
      contains(error_of(folder / "rounded.fits"), "PACKED: its tiles hold rounded integers"));
}

TEST(Fits, DamagedFilesAreErrors) {
  const tests::TemporaryFolder folder;
  const auto doubles = odd_values<double>(900);
  const std::string path = (folder / "a.fits").string();
  {
    FitsWriter file(path);
    file.image(nullptr, DOUBLE_IMG, {900}, TDOUBLE, doubles.data());
    file.table("CAT", odd_values<double>(30), odd_values<float>(10));
  }
  opened_when_damaged(path, "0", 97);
  opened_when_damaged(path, "CAT/WIDE", 97);
  const std::string bytes = tests::read_bytes(path);
  tests::write_bytes(path, bytes.substr(0, 5000));
  EXPECT_TRUE(contains(error_of(path + ":0"), "cannot read " + path + ":0: it is cut off"));
  // In the header of the second HDU, which begins behind the first one's 2880 + 8640 bytes.
  for (const std::size_t size : {11521u, 11540u, 14399u}) {
    tests::write_bytes(path, bytes.substr(0, size));
    const auto cut = variables_of(path);
    ASSERT_TRUE(cut && cut->size() == 2) << size;
    EXPECT_EQ(cut->back().name, "1");
    EXPECT_TRUE(contains(cut->back().refusal, "cut off in the header"));
    EXPECT_TRUE(contains(error_of(path), "a part of it is damaged (1: the file is cut off"));
    EXPECT_EQ(opened(path + ":0"), text_of_values(doubles));
  }
  tests::write_bytes(path, bytes.substr(0, 11520) + "notes on the end");
  EXPECT_EQ(opened(path), text_of_values(doubles));
  std::string large = bytes;
  large.replace(large.find("900", 200), 12, "900000000000");
  tests::write_bytes(path, large);
  EXPECT_TRUE(contains(error_of(path + ":0"), "cannot read"));
}

TEST(Fits, NothingBehindAFileThatEndsWithinARecordIsRead) {
  const tests::TemporaryFolder folder;
  const auto wide = odd_values<double>(30);
  const std::string path = (folder / "a.fits").string();
  {
    FitsWriter file(path);
    file.image(nullptr, DOUBLE_IMG, {}, TDOUBLE, nullptr);
    file.table("CAT", wide, odd_values<float>(10));
  }
  const std::string bytes = tests::read_bytes(path);
  int whole = 0;
  for (std::size_t size = bytes.size() - 2880; size <= bytes.size(); ++size) {
    const tests::ExactMemory exact(bytes.substr(0, size));
    try {
      const auto read = read_variable({path, "CAT/WIDE"}, exact.bytes(), FileKind::Fits);
      ++whole;
      ASSERT_EQ(read.second.bytes.size(), 240u);
      EXPECT_EQ(std::memcmp(read.second.bytes.data(), wide.data(), 240), 0) << size;
    } catch (const Error& error) {
      EXPECT_TRUE(contains(error.what(), "it is cut off")) << size << ": " << error.what();
    }
  }
  EXPECT_GT(whole, 1000);  // without the padding behind the data, too
  EXPECT_LT(whole, 2880);
}

}  // namespace
}  // namespace fpsynth::data
