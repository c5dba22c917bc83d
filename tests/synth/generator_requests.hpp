#pragma once
// Requests of the tests of the generator, and searches in its texts.

#include <cstddef>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "components/type_list.hpp"
#include "synth/generator/project.hpp"

namespace fpsynth::synth::testing {

inline ProjectRequest request(std::string_view method, Target target = Target::Cpp) {
  ProjectRequest result;
  result.method = parse_method(method);
  result.name = "mpc6";
  result.target = target;
  result.origin = "From a test.";
  return result;
}

inline std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

template <class... Types>
std::vector<std::string> mangled_names(components::TypeList<Types...>) {
  return {typeid(Types).name()...};
}

}  // namespace fpsynth::synth::testing
