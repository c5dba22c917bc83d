#pragma once
// The one list of the components. Ids, names, dispatch tables, tests and fuzzers come from it.

#include <cstddef>

#include "components/bins/bins.hpp"
#include "components/bit/bit.hpp"
#include "components/clog/clog.hpp"
#include "components/dim/dim.hpp"
#include "components/family.hpp"
#include "components/inv/inv.hpp"
#include "components/lnv/lnvs.hpp"
#include "components/lnv/lnvx.hpp"
#include "components/nul/nul.hpp"
#include "components/rec/rec.hpp"
#include "components/rle/rle.hpp"
#include "components/rlp/rlp.hpp"
#include "components/rre/rre.hpp"
#include "components/tcms/tcms.hpp"
#include "components/type_list.hpp"
#include "components/ze/ze.hpp"
#include "components/zec/zec.hpp"

namespace fpsynth::components {

/// In the order of the ids: never changed, only appended to.
using Registry = TypeList<Use<Nul>, Use<Inv>, Use<Bit>,                                     //
                          Use<Dim, 2>, Use<Dim, 3>, Use<Dim, 4>, Use<Dim, 5>, Use<Dim, 8>,  //
                          Use<Dim, 16>, Use<Dim, 32>,                                       //
                          Use<LnvSub, 1>, Use<LnvSub, 2>, Use<LnvSub, 3>, Use<LnvSub, 5>,   //
                          Use<LnvSub, 6>, Use<LnvSub, 8>,                                   //
                          Use<LnvXor, 1>, Use<LnvXor, 2>, Use<LnvXor, 3>, Use<LnvXor, 5>,   //
                          Use<LnvXor, 6>, Use<LnvXor, 8>,                                   //
                          Use<Ze>, Use<Rle>,                                                //
                          Use<Rre>, Use<Zec>, Use<Rec>, Use<Clog>, Use<Rlp>, Use<Bins>,     //
                          Use<Tcms>>;

/// The first 24 components are the MPC paper's search space. Pipelines and study files can name the
/// later ones, which do not change the paper's ids.
inline constexpr std::size_t kPaperComponents = 24;

template <class List>
struct FamiliesOf;
template <class... Uses>
struct FamiliesOf<TypeList<Uses...>> : UniqueOnto<TypeList<>, typename Uses::Family...> {};

/// The distinct families, in order of their first appearance: the rows of a stage table.
using Families = FamiliesOf<Registry>::type;

/// True if no two families have the same number in files.
template <class... Fs>
constexpr bool distinct_wires(TypeList<Fs...>) {
  const unsigned wires[] = {Fs::wire...};
  for (const unsigned a : wires) {
    int same = 0;
    for (const unsigned b : wires) same += a == b;
    if (same > 1) return false;
  }
  return true;
}
static_assert(distinct_wires(Families{}), "two families have the same wire number");

}  // namespace fpsynth::components
