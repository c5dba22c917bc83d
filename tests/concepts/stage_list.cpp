// Concept: StageList

#include "components/stage_list.hpp"
#include "components/registry.hpp"

using namespace fpsynth::components;

using Right = StaticStages<std::uint64_t, 1, Use<Bit>, Use<Ze>>;

/// It does not say how many stages run on words.
struct Wrong {
  using Length = std::size_t;
  std::size_t size() const { return 0; }
  std::size_t word_bytes() const { return 8; }
  template <class F>
  bool for_each(F) const {
    return true;
  }
};

template <StageList L>
std::size_t stages_of(const L& list);

std::size_t use(const TRIED& list) { return stages_of(list); }
