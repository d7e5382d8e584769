// parsed_source.hpp - a source file as libclang has parsed it.
//
// Threads     one at a time uses an object.
#pragma once

#include <string>

#include "cc/acc/clang_library.hpp"
#include "cc/acc/preprocessed_text.hpp"
#include "cc/language.hpp"

namespace stretto::cc::acc {

class parsed_source {
 public:
  /// `standard` is the compiler's option for C++, as "-std=c++20"; empty: C++20. Throws O08.
  parsed_source(const clang::library& lib, const preprocessed_text& source, language language,
                const std::string& standard);
  parsed_source(const parsed_source&) = delete;
  ~parsed_source();

  clang::cursor top() const { return lib_.getTranslationUnitCursor(unit_); }

 private:
  const clang::library& lib_;
  clang::index index_;
  clang::translation_unit unit_ = nullptr;
};

}  // namespace stretto::cc::acc
