// clang_library.hpp - libclang, loaded at run time: the functions of its C interface that the translator calls.
//
// Threads     the library is loaded once; any thread may call its functions, each on its own translation units.
// Source      clang-c/Index.h, whose layouts and numbers have been stable since libclang 3.
#pragma once

#include <string>

namespace stretto::cc::acc::clang {

using index = void*;
using translation_unit = void*;
using client_data = void*;
struct text {
  const void* data;
  unsigned flags;
};
struct cursor {
  int kind, xdata;
  const void* data[3];
};
struct type {
  int kind;
  void* data[2];
};
struct location {
  const void* pointers[2];
  unsigned number;
};
struct range {
  const void* pointers[2];
  unsigned first, last;
};
struct unsaved_file {
  const char* name;
  const char* data;
  unsigned long bytes;
};

enum class visit_next : int { stop = 0, skip_inside = 1, enter = 2 };
using visitor = visit_next (*)(cursor one, cursor parent, client_data to);
using field_visitor = visit_next (*)(cursor one, client_data to);  // stop or skip_inside

/// CXCursorKind.
enum cursor_kind : int {
  struct_declaration = 2,
  union_declaration = 3,
  class_declaration = 4,
  enum_declaration = 5,
  field_declaration = 6,
  enum_constant = 7,
  function_declaration = 8,
  variable_declaration = 9,
  parameter_declaration = 10,
  method = 21,
  namespace_declaration = 22,
  constructor = 24,
  destructor = 25,
  conversion = 26,
  type_parameter = 27,
  value_parameter = 28,
  function_template = 30,
  class_template = 31,
  class_template_part = 32,  // a partial specialisation
  type_reference = 43,
  base_class = 44,
  name_reference = 101,
  member_reference = 102,
  lambda = 144,
};

/// CXTypeKind.
enum type_kind : int {
  void_type = 2,
  bool_type = 3,
  first_unsigned = 4,  // char where it is unsigned, unsigned char, char16_t, char32_t, unsigned short ... __uint128_t
  last_unsigned = 12,
  first_signed = 13,  // char where it is signed, signed char, wchar_t, short, int, long, long long, __int128
  last_signed = 20,
  float_type = 21,
  double_type = 22,
  long_double_type = 23,
  complex_type = 100,
  pointer_type = 101,
  reference_type = 103,
  moved_reference_type = 104,
  record_type = 105,
  enum_type = 106,
  function_without_prototype = 110,
  function_type = 111,
  constant_array = 112,
  incomplete_array = 114,
  variable_array = 115,
};

/// CX_StorageClass.
enum storage_class : int { no_storage = 1, extern_storage = 2, static_storage = 3 };

/// CXTemplateArgumentKind.
enum template_argument : int { type_argument = 1, value_argument = 4 };

struct library {
  /// Loads it once: the newest version from 14 on. Throws O07 if there is none.
  static const library& loaded();

  std::string version;  // as "Debian clang version 16.0.6"

  index (*createIndex)(int, int);
  void (*disposeIndex)(index);
  int (*parseTranslationUnit2)(index, const char* source, const char* const* arguments, int count, unsaved_file*,
                               unsigned files, unsigned options, translation_unit* out);
  void (*disposeTranslationUnit)(translation_unit);
  cursor (*getTranslationUnitCursor)(translation_unit);
  unsigned (*visitChildren)(cursor, visitor, client_data);
  cursor (*getCursorReferenced)(cursor);
  cursor (*getCursorSemanticParent)(cursor);
  unsigned (*equalCursors)(cursor, cursor);
  type (*getCursorType)(cursor);
  text (*getCursorSpelling)(cursor);
  range (*getCursorExtent)(cursor);
  location (*getCursorLocation)(cursor);
  int (*Cursor_getStorageClass)(cursor);
  long long (*getEnumConstantDeclValue)(cursor);
  long long (*Cursor_getOffsetOfField)(cursor);
  unsigned (*Cursor_isBitField)(cursor);
  type (*getEnumDeclIntegerType)(cursor);
  location (*getRangeStart)(range);
  location (*getRangeEnd)(range);
  void (*getFileLocation)(location, void** file, unsigned* line, unsigned* column, unsigned* offset);
  type (*getCanonicalType)(type);
  text (*getTypeSpelling)(type);
  type (*getPointeeType)(type);
  type (*getArrayElementType)(type);
  long long (*getArraySize)(type);
  type (*getResultType)(type);
  long long (*Type_getSizeOf)(type);
  unsigned (*isConstQualifiedType)(type);
  cursor (*getTypeDeclaration)(type);
  unsigned (*Type_visitFields)(type, field_visitor, client_data);
  const char* (*getCString)(text);
  void (*disposeString)(text);
  text (*getClangVersion)();
  cursor (*getCursorDefinition)(cursor);
  cursor (*getSpecializedCursorTemplate)(cursor);
  int (*Cursor_getNumTemplateArguments)(cursor);
  int (*Cursor_getTemplateArgumentKind)(cursor, unsigned);
  type (*Cursor_getTemplateArgumentType)(cursor, unsigned);
  long long (*Cursor_getTemplateArgumentValue)(cursor, unsigned);
  int (*Type_getNumTemplateArguments)(type);
  type (*Type_getTemplateArgumentAsType)(type, unsigned);
  unsigned (*isPODType)(type);
  unsigned (*CXXMethod_isStatic)(cursor);
  text (*getCursorUSR)(cursor);
  void* (*Cursor_Evaluate)(cursor);
  int (*EvalResult_getKind)(void*);  // 1: an integer
  long long (*EvalResult_getAsLongLong)(void*);
  void (*EvalResult_dispose)(void*);

  /// The text, whose memory is given back to the library.
  std::string take(text one) const;
};

}  // namespace stretto::cc::acc::clang
