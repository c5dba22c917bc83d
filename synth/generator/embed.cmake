# cmake -DROOT=... -DOUT=... -DFILES=a,b,c -P embed.cmake: writes the C++ source that defines
# kSources of texts.hpp, with the texts of the files. Their names are relative to ROOT.
string(REPLACE "," ";" FILES "${FILES}")
set(embedded "")
foreach(file ${FILES})
  file(READ ${ROOT}/${file} text)
  string(APPEND embedded "    {\"${file}\", R\"embedded(${text})embedded\"sv},\n")
endforeach()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT
[[#include "synth/generator/texts.hpp"
namespace fpsynth::synth {
namespace {
using namespace std::string_view_literals;  // lengths that compilers need not count
constexpr Source kTexts[] = {
@embedded@};
}
const std::span<const Source> kSources = kTexts;
}
]])
