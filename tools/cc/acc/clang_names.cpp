#include "cc/acc/clang_names.hpp"

#include "cc/acc/name_reader.hpp"
#include "cc/acc/parsed_source.hpp"
#include "cc/acc/template_reader.hpp"

namespace stretto::cc::acc {

source_names read_names(const preprocessed_text& source, std::span<const text_range> parts, language language,
                        const std::string& standard) {
  return read_all_names(source, parts, language, standard, {}).names;
}

all_names read_all_names(const preprocessed_text& source, std::span<const text_range> parts, language language,
                         const std::string& standard, std::span<const std::size_t> directives) {
  const clang::library& lib = clang::library::loaded();
  const parsed_source parsed(lib, source, language, standard);
  all_names all{source_names(language)};
  name_reader(lib, parts, language, all.names).read(parsed.top());
  if (language == language::cxx && !directives.empty())
    template_reader(lib, source, parts, directives, all).read(parsed.top());
  return all;
}

}  // namespace stretto::cc::acc
