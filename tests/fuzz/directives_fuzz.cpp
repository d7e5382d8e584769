// Any text as a source with directives of OpenACC: directives in their places, or errors with a line and a remedy.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cc/acc/directive_text.hpp"
#include "cc/acc/directive_tree.hpp"

using namespace stretto::cc::acc;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = "# 1 \"x.c\"\n" + std::string(reinterpret_cast<const char*>(data), size);
  const preprocessed_text source(text);
  const directive_tree tree = read_directives(source);
  for (const stretto::error& e : tree.refused) {
    const bool has_line = !e.facts().empty() && e.facts()[0].second.find(':') != std::string::npos;
    if (!e.code().starts_with("O0") || !has_line || e.why().empty() || e.what_to_try().empty()) std::abort();
  }
  // The text of a directive is a directive.
  if (text_of(tree, source).empty() != tree.outermost.empty()) std::abort();
  return 0;
}
