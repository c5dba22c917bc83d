// In fpsynth-codec alone.

#include "runners/library/front.hpp"

namespace fpsynth::library {

std::vector<codec::Section> best_sections(const Values&, const CompressOptions&) {
  throw UsageError(
      "auto: fpsynth-codec does not search; link the library fpsynth as well (pkg-config fpsynth, "
      "in CMake fpsynth::fpsynth), or name a method");
}

}  // namespace fpsynth::library
