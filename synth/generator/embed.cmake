# cmake -DROOT=... -DOUT=... -DFILES=a,b,c -P embed.cmake: the texts of the files, named relative to
# ROOT, as a C++ source for sources.hpp.
string(REPLACE "," ";" FILES "${FILES}")
set(embedded "")
foreach(file ${FILES})
  file(READ ${ROOT}/${file} text)
  string(APPEND embedded "    {\"${file}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT
[[#include "synth/generator/sources.hpp"
namespace fpsynth::synth {
namespace {
constexpr Source kTexts[] = {
@embedded@};
}
const std::span<const Source> kSources = kTexts;
}
]])
