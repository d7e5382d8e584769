#include "cc/acc/parsed_source.hpp"

#include <stretto/error.hpp>
#include <string>
#include <vector>

namespace stretto::cc::acc {
namespace {

/// By the name that all versions of libclang have for it.
std::string name_of_standard(const std::string& option) {
  for (const char* newest : {"23", "26", "2c"})
    if (option.ends_with(newest)) return option.substr(0, option.size() - 2) + "2b";
  return option;
}

/// The text is the output of another compiler: types that only that one has, and attributes with its arguments.
std::vector<std::string> options_of(language language, const std::string& standard) {
  std::vector<std::string> all{"-w", "-ferror-limit=0", "-D__malloc__(...)=__malloc__"};
  // Headers may define these types for C++, where older compilers do not have them.
  if (language == language::c)
    all.insert(all.end(), {"-D_Float32=float", "-D_Float64=double", "-D_Float32x=double", "-D_Float64x=long double",
                           "-D_Float128=__float128"});
  else all.push_back(standard.empty() ? "-std=gnu++20" : name_of_standard(standard));
  return all;
}

}  // namespace

parsed_source::parsed_source(const clang::library& lib, const preprocessed_text& source, language language,
                             const std::string& standard)
    : lib_(lib), index_(lib.createIndex(0, 0)) {
  const char* const name = language == language::c ? "source.c" : "source.cpp";
  clang::unsaved_file file{name, source.text().data(), source.text().size()};
  const std::vector<std::string> all = options_of(language, standard);
  std::vector<const char*> options;
  for (const std::string& one : all) options.push_back(one.c_str());
  lib.parseTranslationUnit2(index_, name, options.data(), static_cast<int>(options.size()), &file, 1, 0, &unit_);
  if (unit_) return;
  lib_.disposeIndex(index_);
  throw error("O08", "libclang cannot read the source")
      .fact("libclang", lib.version)
      .because("it gives no reason")
      .remedy("compile the source with clang to see its messages");
}

parsed_source::~parsed_source() {
  lib_.disposeTranslationUnit(unit_);
  lib_.disposeIndex(index_);
}

}  // namespace stretto::cc::acc
