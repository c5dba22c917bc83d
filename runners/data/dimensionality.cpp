#include "runners/data/dimensionality.hpp"

#include <fmt/core.h>

namespace fpsynth::data {

std::string text_of(DimensionalityFrom from, std::string_view tried_for) {
  switch (from) {
    case DimensionalityFrom::Data:
      return "known";
    case DimensionalityFrom::Tables:
      return "known from the paper's tables";
    case DimensionalityFrom::Guess:
      return "a guess";
    case DimensionalityFrom::Tried:
      break;
  }
  return fmt::format("the best of all for {}", tried_for);
}

}  // namespace fpsynth::data
