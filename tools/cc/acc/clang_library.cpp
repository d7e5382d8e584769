#include "cc/acc/clang_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stretto/error.hpp>
#include <vector>

namespace stretto::cc::acc::clang {
namespace {

constexpr int oldest = 14, newest = 30;

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (int version = newest; version >= oldest; --version) {
    all.push_back(fmt::format("libclang-{}.so.1", version));
    all.push_back(fmt::format("libclang-{}.so.{}", version, version));
    all.push_back(fmt::format("/usr/lib/llvm-{}/lib/libclang.so.1", version));
  }
  all.emplace_back("libclang.so.1");
  all.emplace_back("libclang.so");
  return all;
}

void* open_library() {
  for (const std::string& name : names())
    if (void* const found = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return found;
  throw error("O07", "the directives of OpenACC need libclang, which is not found")
      .because(fmt::format("neither the loader nor /usr/lib/llvm-* has a libclang of version {} or newer", oldest))
      .remedy("apt-get install libclang1-16");
}

/// One function of the library, found by the name of the member that is to hold it.
template <class Function>
void find(void* library, const char* name, Function*& into) {
  into = reinterpret_cast<Function*>(::dlsym(library, (std::string("clang_") + name).c_str()));
  if (into) return;
  throw error("O07", "this libclang cannot be used for the directives of OpenACC")
      .because(fmt::format("it has no function clang_{}", name))
      .remedy("apt-get install libclang1-16");
}

library load() {
  void* const from = open_library();
  library all{};
#define STRETTO_FIND(name) find(from, #name, all.name)
  STRETTO_FIND(createIndex), STRETTO_FIND(disposeIndex), STRETTO_FIND(parseTranslationUnit2);
  STRETTO_FIND(disposeTranslationUnit), STRETTO_FIND(getTranslationUnitCursor), STRETTO_FIND(visitChildren);
  STRETTO_FIND(getCursorReferenced), STRETTO_FIND(getCursorSemanticParent), STRETTO_FIND(equalCursors);
  STRETTO_FIND(getCursorType), STRETTO_FIND(getCursorSpelling), STRETTO_FIND(getCursorExtent);
  STRETTO_FIND(getCursorLocation), STRETTO_FIND(Cursor_getStorageClass), STRETTO_FIND(getEnumConstantDeclValue);
  STRETTO_FIND(Cursor_getOffsetOfField), STRETTO_FIND(Cursor_isBitField), STRETTO_FIND(getEnumDeclIntegerType);
  STRETTO_FIND(getRangeStart), STRETTO_FIND(getRangeEnd);
  STRETTO_FIND(getFileLocation), STRETTO_FIND(getCanonicalType), STRETTO_FIND(getTypeSpelling);
  STRETTO_FIND(getPointeeType), STRETTO_FIND(getArrayElementType), STRETTO_FIND(getArraySize);
  STRETTO_FIND(getResultType), STRETTO_FIND(Type_getSizeOf), STRETTO_FIND(isConstQualifiedType);
  STRETTO_FIND(getTypeDeclaration), STRETTO_FIND(Type_visitFields), STRETTO_FIND(getCString);
  STRETTO_FIND(disposeString), STRETTO_FIND(getClangVersion);
  STRETTO_FIND(getCursorDefinition), STRETTO_FIND(getSpecializedCursorTemplate), STRETTO_FIND(getCursorUSR);
  STRETTO_FIND(Cursor_getNumTemplateArguments), STRETTO_FIND(Cursor_getTemplateArgumentKind);
  STRETTO_FIND(Cursor_getTemplateArgumentType), STRETTO_FIND(Cursor_getTemplateArgumentValue);
  STRETTO_FIND(Type_getNumTemplateArguments), STRETTO_FIND(Type_getTemplateArgumentAsType);
  STRETTO_FIND(isPODType), STRETTO_FIND(CXXMethod_isStatic), STRETTO_FIND(Cursor_Evaluate),
      STRETTO_FIND(EvalResult_getKind);
  STRETTO_FIND(EvalResult_getAsLongLong), STRETTO_FIND(EvalResult_dispose);
#undef STRETTO_FIND
  all.version = all.take(all.getClangVersion());
  return all;
}

}  // namespace

const library& library::loaded() {
  static const library one = load();
  return one;
}

std::string library::take(text one) const {
  const char* const characters = getCString(one);
  std::string copy(characters ? characters : "");
  disposeString(one);
  return copy;
}

}  // namespace stretto::cc::acc::clang
