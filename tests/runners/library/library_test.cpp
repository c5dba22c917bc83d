// The public interface, linked as programs link it. tests/cli/cases/install.sh tests that the bytes
// are the program's.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fpsynth/codec.hpp>
#include <fpsynth/results.hpp>
#include <fpsynth/search.hpp>

namespace fpsynth {
namespace {

namespace fs = std::filesystem;

template <class Value>
std::vector<Value> wave(std::size_t count) {
  std::vector<Value> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = Value(std::sin(double(i) / 50) * 1e3);
  return values;
}

/// The message of the Error that `call` throws, empty if it throws none.
template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// A folder that is removed with the object.
struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "fpsynth-library-XXXXXX").string();
    if (!mkdtemp(name.data())) std::abort();
    path = name;
  }
  ~Folder() { fs::remove_all(path); }
};

SearchOptions small_search() {
  SearchOptions options;
  options.space = {
      .stages = 2, .components = {"NUL", "BIT", "LNV1s"}, .last = {"ZE"}, .cuts = {1, 2}};
  return options;
}

TEST(LibraryCodec, ValuesRoundTrip) {
  const auto doubles = wave<double>(50001);
  const auto floats = wave<float>(50001);
  const auto packed = compress(doubles, "LNV1s BIT LNV1s ZE");
  EXPECT_EQ(packed, compress(std::as_bytes(std::span(doubles)), "LNV1s BIT LNV1s ZE"));
  EXPECT_EQ(packed, compress(doubles, "LNV1s BIT LNV1s ZE", {.threads = 3}));
  const auto bytes = decompress(packed, {.threads = 2});
  ASSERT_EQ(bytes.size(), 8 * doubles.size());
  EXPECT_EQ(std::memcmp(bytes.data(), doubles.data(), bytes.size()), 0);

  const auto single = compress(floats, "lnv1s bit | rle");
  EXPECT_EQ(single, compress({std::as_bytes(std::span(floats)), "float32"}, "LNV1s BIT | RLE"));
  std::vector<float> copy(floats.size());
  decompress_into(single, std::as_writable_bytes(std::span(copy)));
  EXPECT_EQ(copy, floats);
}

TEST(LibraryCodec, ContainersAreInspected) {
  const std::vector<std::byte> original(8195, std::byte{7});
  const auto packed = compress(original, "dim2   rle|ze");
  const ContainerInfo info = inspect(packed);
  EXPECT_EQ(info.pipeline, "DIM2 RLE | ZE");
  EXPECT_EQ(info.pipeline, canonical_pipeline("dim2 rle |ZE"));
  EXPECT_EQ(info.word_bytes, 8u);
  EXPECT_EQ(info.original_bytes, original.size());
  EXPECT_EQ(info.compressed_bytes, packed.size());
  EXPECT_EQ(info.chunks, 1u);
  EXPECT_EQ(info.chunk_words, 1024u);
  EXPECT_DOUBLE_EQ(info.ratio, double(original.size()) / double(packed.size()));
  EXPECT_EQ(decompress(packed), original);
}

TEST(LibraryCodec, DescribedValuesKeepTypeShapeAndName) {
  // numpy.arange(6, dtype=">i4").reshape(2, 3), the variable "/grid/t" of a file, as `fpsynth
  // compress` writes it with the pipeline LNV1s | ZE.
  const std::vector<unsigned char> file = {
      70,  80, 83,  89,  4,   4,   1,  1,   2, 2,  7,   0,  0,  0,  0,  0,   2,   0,
      0,   0,  0,   0,   0,   0,   3,  0,   0, 0,  0,   0,  0,  0,  47, 103, 114, 105,
      100, 47, 116, 71,  179, 8,   10, 112, 6, 34, 202, 70, 80, 83, 89, 2,   4,   2,
      1,   4,  1,   6,   0,   0,   4,  0,   0, 24, 0,   0,  0,  0,  0,  0,   0,   180,
      121, 46, 91,  159, 121, 245, 44, 8,   0, 16, 17,  17, 1,  1,  1,  1,   1};
  const auto packed = std::as_bytes(std::span(file));
  const ContainerInfo info = inspect(packed);
  EXPECT_EQ(info.type, "int32");
  EXPECT_EQ(info.shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(info.name, "/grid/t");
  EXPECT_FALSE(info.fortran_order);
  std::vector<std::int32_t> values(info.original_bytes / sizeof(std::int32_t));
  decompress_into(packed, std::as_writable_bytes(std::span(values)));
  EXPECT_EQ(values, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(inspect(compress(wave<double>(5), "ZE")).type.empty());
}

TEST(LibraryCodec, IntegersAndShapesAreDescribed) {
  const auto doubles = wave<double>(6);
  const ContainerInfo shaped = inspect(compress({doubles, {2, 3}}, "ZE"));
  EXPECT_EQ(shaped.type, "float64");
  EXPECT_EQ(shaped.shape, (std::vector<std::uint64_t>{2, 3}));
  const ContainerInfo longs = inspect(compress(std::vector<long long>(7), "ZE"));
  EXPECT_EQ(longs.type, "int64");
  EXPECT_EQ(longs.shape, std::vector<std::uint64_t>{7});
  EXPECT_EQ(inspect(compress(std::vector<unsigned>(7), "ZE")).type, "uint32");
}

TEST(LibraryCodec, ErrorsNameTheReason) {
  const auto values = wave<double>(5000);
  EXPECT_THROW(compress(values, "LNV1s FOO ZE"), UsageError);
  EXPECT_NE(message_of([&] { compress(values, "LNV1s FOO ZE"); }).find("FOO"), std::string::npos);
  EXPECT_THROW(canonical_pipeline("ZE BIT"), UsageError);
  EXPECT_TRUE(decompress(compress(std::span<const double>(), "ZE")).empty());
  const auto bytes = std::as_bytes(std::span(values));
  EXPECT_NE(message_of([&] {
              compress({bytes, "float31"}, "ZE");
            }).find("float31"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              compress({values, {2, 2501}}, "ZE");
            }).find("the shape 2x2501 makes 5002 values of 8 bytes, and the input has 5000 values"),
            std::string::npos);

  auto packed = compress(values, "LNV1s ZE");
  EXPECT_NE(message_of([&] { decompress(packed, {.limit = 39999}); }).find("39999"),
            std::string::npos);
  EXPECT_EQ(decompress(packed, {.limit = 40000}).size(), 40000u);
  std::vector<std::byte> short_buffer(39999);
  EXPECT_NE(message_of([&] { decompress_into(packed, short_buffer); }).find("39999"),
            std::string::npos);
  packed.back() ^= std::byte{1};
  EXPECT_THROW(decompress(packed), Error);
  packed.resize(packed.size() / 2);
  EXPECT_THROW(inspect(packed), Error);
  EXPECT_THROW(decompress({}), Error);
}

TEST(LibrarySearch, RanksTheSpace) {
  const auto values = wave<double>(10000);
  std::uint64_t last_done = 0;
  SearchOptions options = small_search();
  options.name = "wave";
  options.progress = [&](const SearchProgress& progress) { last_done = progress.chunks_done; };
  const Results found = search_pipelines(values, options);
  EXPECT_EQ(found.pipelines(), 6u);
  EXPECT_EQ(last_done, 10u);
  const auto ranking = found.ranking(100);
  ASSERT_EQ(ranking.size(), 6u);
  EXPECT_EQ(found.best().pipeline, ranking.front().pipeline);
  for (std::size_t i = 1; i < ranking.size(); ++i) {
    EXPECT_LE(ranking[i - 1].compressed_bytes, ranking[i].compressed_bytes);
  }
  // The size equals the file's size for every pipeline.
  for (const RankedPipeline& one : ranking) {
    EXPECT_EQ(compress(values, one.pipeline).size(), one.compressed_bytes) << one.pipeline;
    EXPECT_EQ(found.find(one.pipeline)->id, one.id);
  }
  EXPECT_EQ(found.find("ZE")->pipeline, "NUL ZE");
  EXPECT_EQ(found.find("BIT RLE"), std::nullopt);
  EXPECT_TRUE(found.failed().empty());
  EXPECT_EQ(found.data().bytes, 80000u);
  EXPECT_EQ(found.data().searched_bytes, 80000u);
  EXPECT_EQ(found.data().word_bytes, 8u);
  EXPECT_EQ(found.run().verification, "all");
  EXPECT_TRUE(found.run().complete);
}

TEST(LibrarySearch, SinglesSamplesAndVerification) {
  const auto values = wave<float>(10000);
  SearchOptions options = small_search();
  options.sample = 4;
  options.verification = "top=2";
  options.threads = 2;
  const Results found = search_pipelines(values, options);
  EXPECT_EQ(found.data().word_bytes, 4u);
  EXPECT_LT(found.data().searched_bytes, found.data().bytes);
  EXPECT_EQ(found.run().chunks_done, 3u);
  EXPECT_EQ(found.run().verification, "top=2");
}

/// Decimals that repeat with a period, a few of them changed.
template <class Value>
std::vector<Value> periodic(std::size_t count) {
  std::vector<Value> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = i < 700 || i % 53 == 0 ? Value(i * 7919 % 20'011) / 100 : values[i - 700];
  }
  return values;
}

template <class Value>
void expect_files_of_these_sizes(std::size_t chunk_words) {
  const auto values = periodic<Value>(20000);
  SearchOptions options = small_search();
  options.space.chunk_words = chunk_words;
  options.preludes = "lagx:700, DICT, LAGs:3";
  options.prelude_finalists = 2;
  const Results found = search_pipelines(values, options);
  EXPECT_EQ(found.pipelines(), 18u) << "alone and behind two";
  EXPECT_EQ(found.best().prelude, "LAGx:700");
  CompressOptions codec;
  codec.chunk_words = chunk_words;
  const auto ranking = found.ranking(100);
  EXPECT_EQ(ranking.size(), 18u);
  for (const RankedPipeline& one : ranking) {
    const auto packed = compress(values, one.pipeline, codec);
    EXPECT_EQ(packed.size(), one.compressed_bytes) << one.pipeline;
    EXPECT_EQ(inspect(packed).chunk_words, chunk_words);
    EXPECT_EQ(found.find(one.pipeline)->id, one.id);
    EXPECT_EQ(one.pipeline.find(" / "),
              one.prelude.empty() ? std::string::npos : one.prelude.size())
        << one.pipeline;
  }
  EXPECT_EQ(found.find("NUL ZE")->prelude, "");
}

TEST(LibrarySearch, PutsPreludesInFrontAndCutsIntoChunksOfAnyLength) {
  for (const std::size_t chunk_words : {1024, 2048, 4096}) {
    expect_files_of_these_sizes<double>(chunk_words);
    expect_files_of_these_sizes<float>(chunk_words);
  }
}

TEST(LibrarySearch, TakesPreludesThatTheValuesSuggest) {
  const auto values = periodic<double>(20000);
  SearchOptions options = small_search();
  options.preludes = "auto";
  options.prelude_finalists = 1;
  const Results found = search_pipelines(values, options);
  EXPECT_EQ(found.pipelines(), 12u);
  EXPECT_NE(found.best().prelude.find(":700"), std::string::npos) << found.best().prelude;
  options.preludes = "none";
  EXPECT_EQ(search_pipelines(values, options).best().prelude, "");
}

TEST(LibrarySearch, AutoIsAMethodOfAllTypes) {
  std::vector<std::int32_t> values;
  for (const double value : periodic<double>(6000)) values.push_back(std::int32_t(100 * value));
  const CompressOptions quick = {.effort = "quick"};
  const auto packed = compress({values, {60, 100}}, "auto", quick);
  const ContainerInfo info = inspect(packed);
  EXPECT_EQ(info.type, "int32");
  const auto restored = decompress(packed);
  ASSERT_EQ(restored.size(), 4 * values.size());
  EXPECT_EQ(std::memcmp(restored.data(), values.data(), restored.size()), 0);
  const BestMethod best = best_method({values, {60, 100}}, quick);
  EXPECT_EQ(info.pipeline, best.method);
  EXPECT_EQ(compress({values, {60, 100}}, best.method, {.chunk_words = best.chunk_words}), packed);
  EXPECT_EQ(inspect(compress(values, "auto", {.chunk_words = 2048, .effort = "quick"})).chunk_words,
            2048u);
  SearchOptions options = small_search();
  options.preludes = "LAGs:700";
  EXPECT_EQ(search_pipelines(values, options).best().prelude, "LAGs:700");
  EXPECT_THROW(compress(values, "auto", {.effort = "some"}), UsageError);
  EXPECT_TRUE(decompress(compress(std::vector<float>(), "auto")).empty());
}

TEST(LibrarySearch, HasAllComponents) {
  SearchOptions options;
  options.space = {
      .stages = 2,
      .components = {"NUL",   "INV",   "BIT",   "DIM1",  "DIM2",  "DIM3",  "DIM4",  "DIM5",
                     "DIM8",  "DIM32", "LNV1s", "LNV2s", "LNV3s", "LNV5s", "LNV6s", "LNV8s",
                     "LNV1x", "LNV2x", "LNV3x", "LNV5x", "LNV6x", "LNV8x", "ZE",    "RLE",
                     "RRE",   "ZEC",   "REC",   "CLOG",  "RLP",   "BINS"},
      .last = {"ZE", "RLE", "RRE", "ZEC", "REC", "CLOG", "RLP", "BINS"},
      .cuts = {0, 2}};
  const auto values = wave<float>(3000);
  const Results found = search_pipelines(values, options);
  EXPECT_EQ(found.pipelines(), 2u * 30 * 8);
  EXPECT_TRUE(found.failed().empty());
  const RankedPipeline best = found.best();
  EXPECT_EQ(compress(values, best.pipeline).size(), best.compressed_bytes) << best.pipeline;
}

TEST(LibrarySearch, StopsWhenAsked) {
  const auto values = wave<double>(2'000'000);
  std::stop_source source;
  SearchOptions options = small_search();
  options.threads = 1;
  options.stop = source.get_token();
  source.request_stop();
  EXPECT_FALSE(search_pipelines(values, options).run().complete);
}

TEST(LibrarySearch, WrongCallsAreErrors) {
  const auto values = wave<double>(2000);
  const struct {
    std::string names;  ///< in the message
    std::function<void(SearchOptions&)> change;
  } cases[] = {{"LNV3q", [](SearchOptions& o) { o.space.components = {"LNV3q"}; }},
               {"cuts 3", [](SearchOptions& o) { o.space.cuts = {3}; }},
               {"BIT", [](SearchOptions& o) { o.space.last = {"BIT"}; }},
               {"some", [](SearchOptions& o) { o.verification = "some"; }},
               {"sample 0", [](SearchOptions& o) { o.sample = 0; }},
               {"1000 words", [](SearchOptions& o) { o.space.chunk_words = 1000; }},
               {"give 1 to 8", [](SearchOptions& o) { o.space.stages = ~0u; }},
               {"../x",
                [](SearchOptions& o) {
                  o.name = "../x";
                  o.space.stages = ~0u;  // the name is looked at first
                }},
               {"LAGq", [](SearchOptions& o) { o.preludes = "LAGq:3"; }},
               {"prelude_candidates 0", [](SearchOptions& o) { o.prelude_candidates = 0; }},
               {"prelude_finalists 101", [](SearchOptions& o) { o.prelude_finalists = 101; }}};
  for (const auto& [names, change] : cases) {
    SearchOptions options = small_search();
    change(options);
    const std::string message = message_of([&] { search_pipelines(values, options); });
    EXPECT_NE(message.find(names), std::string::npos) << message;
  }
  for (const char* preludes :
       {"LAGq:3", "LAGs:1,LAGs:1", "LAGs:0", "all", "DEC:1 LAGs:4,", "DEC:40"}) {
    SearchOptions options = small_search();
    options.preludes = preludes;
    EXPECT_THROW(search_pipelines(values, options), UsageError) << preludes;
  }
  EXPECT_THROW(search_pipelines(std::span<const float>(), small_search()), Error);
}

TEST(LibraryResults, DocumentsRoundTrip) {
  const Folder folder;
  const auto values = wave<double>(3000);
  SearchOptions options = small_search();
  options.name = "wave";
  const Results found = search_pipelines(values, options);
  found.write(folder.path / "wave.double.json");
  search_pipelines(wave<float>(3000), options).write(folder.path / "wave.single.json");
  const Results read = read_results(folder.path / "wave.double.json");
  EXPECT_EQ(read.best().pipeline, found.best().pipeline);
  EXPECT_EQ(read.best().compressed_bytes, found.best().compressed_bytes);
  EXPECT_EQ(read.data().xxh3, found.data().xxh3);
  EXPECT_EQ(read.data().name, "wave");
  EXPECT_EQ(read.space(), found.space());
  const auto all = read_results_folder(folder.path);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].data().word_bytes, 8u);
  EXPECT_EQ(all[1].data().word_bytes, 4u);
  const std::string missing = message_of([&] { read_results(folder.path / "none.json"); });
  EXPECT_NE(missing.find("none.json"), std::string::npos);
}

}  // namespace
}  // namespace fpsynth
