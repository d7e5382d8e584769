// cursor_kinds.hpp - groups of libclang's kinds of declarations.
//
// Threads     pure.
#pragma once

#include "cc/acc/clang_library.hpp"

namespace stretto::cc::acc::clang {

inline bool is_class(int kind) {
  return kind == struct_declaration || kind == class_declaration || kind == union_declaration;
}
inline bool is_class_template(int kind) { return kind == class_template || kind == class_template_part; }
inline bool is_template(int kind) { return kind == function_template || is_class_template(kind); }
inline bool is_member_function(int kind) {
  return kind == method || kind == constructor || kind == destructor || kind == conversion;
}
inline bool is_function(int kind) { return kind == function_declaration || is_member_function(kind); }
inline bool is_declaration(int kind) {
  return kind == variable_declaration || kind == parameter_declaration || kind == enum_constant ||
         kind == field_declaration || is_function(kind);
}

}  // namespace stretto::cc::acc::clang
