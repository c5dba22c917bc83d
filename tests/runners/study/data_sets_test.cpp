// Devices of a rank, and precisions and documents of a study, as they are chosen.

#include "runners/study/data_sets.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/messages.hpp"

namespace fpsynth::study {
namespace {

using synth::Precision;
using tests::contains;
using tests::message_of;

cluster::Place place(std::size_t rank, std::size_t ranks) {
  cluster::Place place;
  place.local_rank = rank;
  place.local_ranks = ranks;
  return place;
}

TEST(DataSets, RanksOfANodeShareItsDevices) {
  EXPECT_EQ(devices_of_rank({0, 1, 4, 7}, place(0, 1)), "0,1,4,7");
  EXPECT_EQ(devices_of_rank({0, 1, 4, 7}, place(1, 2)), "1,7");
  EXPECT_EQ(devices_of_rank({0, 1, 4}, place(0, 2)), "0,4");
  EXPECT_EQ(devices_of_rank({3, 5}, place(4, 5)), "3") << "more ranks than devices";
}

TEST(DataSets, SinglesAreSearchedInSinglePrecisionAlone) {
  const data::Input singles("in", std::vector<std::byte>(4), Precision::Single);
  const data::Input doubles("in", std::vector<std::byte>(8), Precision::Double);
  const std::vector<Precision> both = {Precision::Double, Precision::Single};
  EXPECT_EQ(precisions_of({}, singles), std::vector{Precision::Single});
  EXPECT_EQ(precisions_of(both, singles), std::vector{Precision::Single});
  EXPECT_EQ(precisions_of({}, doubles), std::vector{Precision::Double});
  EXPECT_EQ(precisions_of(both, doubles), both);
}

TEST(DataSets, DataWithoutAWholeWordAreRefusedBeforeTheOthersAreSearched) {
  const tests::TemporaryFolder folder;
  data::Study study;
  for (const char* name : {"good", "short"}) {
    study.items.emplace_back();
    study.items.back().name = name;
    study.items.back().file = folder / (std::string(name) + ".f64");
    tests::write_bytes(study.items.back().file, std::string(name[0] == 'g' ? 20'000 : 7, 'x'));
  }
  EXPECT_TRUE(contains(message_of([&] { check_data(study, 1, 1024); }),
                       "short: a file of 7 bytes holds no whole word"));
  study.items.pop_back();
  const std::vector<results::PlannedDocument> planned = check_data(study, 2, 1024);
  ASSERT_EQ(planned.size(), 1u);
  EXPECT_EQ(planned.front(), (results::PlannedDocument{"good", Precision::Double, 2}));
}

}  // namespace
}  // namespace fpsynth::study
