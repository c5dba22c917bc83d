#pragma once
// The contents of a fpsynth::Results, for the library's own sources.

#include <fpsynth/results.hpp>
#include <memory>
#include <utility>

#include "results/documents/document.hpp"

namespace fpsynth {

struct Results::Content {
  results::Document document;
};

struct ResultsMaker {
  static Results make(results::Document document) {
    return Results(std::make_shared<const Results::Content>(Results::Content{std::move(document)}));
  }
};

}  // namespace fpsynth
