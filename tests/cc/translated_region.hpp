// translated_region.hpp - the first compute region of a source, as the text of a kernel.
#pragma once

#include <string>
#include <vector>

#include "cc/acc/clang_names.hpp"
#include "cc/acc/code_parser.hpp"
#include "cc/acc/device_kernel.hpp"

namespace stretto::test {

struct translated_region {
  translated_region(const std::string& text, cc::acc::device_language language)
      : source("# 1 \"x.c\"\n" + text), tree(cc::acc::read_directives(source)) {
    const std::vector<cc::acc::text_range> whole{{0, source.text().size()}};
    names = cc::acc::read_names(source, cc::acc::with_called_functions(source, whole), cc::language::c);
    const cc::acc::placed_directive* region = nullptr;
    for (const auto& one : tree.outermost)
      if (!region && cc::acc::is_compute(one.what.kind)) region = &one;
    code = cc::acc::read_code(source, names, *region);
    const std::size_t offset = source.pragmas()[region->pragma].first;
    plan = cc::acc::plan_region(*region, code, {names, source, offset});
    const cc::acc::called_functions functions(source, names, tree);
    result = cc::acc::translate_for_device(language, "region", plan, code, source, functions);
  }

  cc::acc::preprocessed_text source;
  cc::acc::directive_tree tree;
  cc::acc::source_names names;
  cc::acc::statement code;
  cc::acc::region_plan plan{.directive = nullptr, .arguments = {}};
  cc::acc::device_translation result;
};

}  // namespace stretto::test
