#include "cc/acc/not_translated.hpp"

#include <fmt/format.h>

#include <stretto/error.hpp>

namespace stretto::cc::acc {

void not_translated(const source_line& where, const std::string& what) {
  throw error("O10", what + " is not translated yet")
      .fact("at", fmt::format("{}:{}", where.file, where.line))
      .because("the translator has no code for it")
      .remedy("write the region without it");
}

}  // namespace stretto::cc::acc
