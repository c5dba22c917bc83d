#pragma once
// The common parts of the searches of scientists' formats.

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "runners/data/input.hpp"
#include "runners/search/search.hpp"
#include "tests/runners/search/support.hpp"
#include "tests/support/files.hpp"

namespace fpsynth::search {

/// A smooth signal of two chunks and a part.
template <class Float>
std::vector<Float> wave() {
  std::vector<Float> values(2500);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<Float>(std::sin(static_cast<double>(i) / 50));
  }
  return values;
}

/// Expects that a search of FILE or FILE:VARIABLE finds the same size for each pipeline as a search
/// of these values, and verifies it.
template <class Float>
void expect_sizes_of(const std::string& place, const std::vector<Float>& values,
                     synth::Precision precision) {
  const auto bytes = std::as_bytes(std::span(values));
  const auto document = search(data::open_input(place), small_plan(), {});
  const auto expected = search(input_of({bytes.begin(), bytes.end()}, precision), small_plan(), {});
  EXPECT_EQ(document.data.precision, precision);
  EXPECT_EQ(document.data.xxh3, expected.data.xxh3);
  EXPECT_EQ(document.payload_bytes, expected.payload_bytes);
  EXPECT_GT(document.run.edges_verified, 0u);
  EXPECT_EQ(document.run.failures, 0u);
}

}  // namespace fpsynth::search
