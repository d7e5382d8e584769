#include "cc/acc/source_names.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <stretto/error.hpp>
#include <utility>

#include "cc/acc/clang_library.hpp"

namespace stretto::cc::acc {
namespace {

using clang::library;

/// Frees what libclang has made.
class parsed_source {
 public:
  parsed_source(const library& lib, const preprocessed_text& source, language language)
      : lib_(lib), index_(lib.createIndex(0, 0)) {
    const char* const name = language == language::c ? "source.c" : "source.cpp";
    clang::unsaved_file file{name, source.text().data(), source.text().size()};
    // The text is the output of another compiler: types that only that one has, and attributes with its arguments.
    const std::array arguments{"-w",
                               "-D_Float32=float",
                               "-D_Float64=double",
                               "-D_Float32x=double",
                               "-D_Float64x=long double",
                               "-D_Float128=__float128",
                               "-D__malloc__(...)=__malloc__"};
    lib.parseTranslationUnit2(index_, name, arguments.data(), static_cast<int>(arguments.size()), &file, 1, 0, &unit_);
    if (unit_) return;
    lib_.disposeIndex(index_);
    throw error("O08", "libclang cannot read the source")
        .fact("libclang", lib.version)
        .because("it gives no reason")
        .remedy("compile the source with clang to see its messages");
  }
  parsed_source(const parsed_source&) = delete;
  ~parsed_source() {
    lib_.disposeTranslationUnit(unit_);
    lib_.disposeIndex(index_);
  }
  clang::cursor top() const { return lib_.getTranslationUnitCursor(unit_); }

 private:
  const library& lib_;
  clang::index index_;
  clang::translation_unit unit_ = nullptr;
};

}  // namespace

class name_reader {
 public:
  name_reader(const library& lib, std::span<const text_range> parts, source_names& into)
      : lib_(lib), parts_(parts), into_(into) {}

  void read(clang::cursor top) {
    lib_.visitChildren(top, visit, this);
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  static clang::visit_next visit(clang::cursor one, clang::cursor, clang::client_data to) {
    auto& self = *static_cast<name_reader*>(to);
    try {
      return self.visit(one);
    } catch (...) {  // not through libclang
      self.failed_ = std::current_exception();
      return clang::visit_next::stop;
    }
  }

  clang::visit_next visit(clang::cursor one) {
    const text_range extent = extent_of(one);
    const std::size_t at = offset_of(lib_.getCursorLocation(one));
    if (!is_in_parts(extent)) {
      if (one.kind == clang::variable_declaration || one.kind == clang::enum_constant) add_use(at, one);
      return one.kind == clang::enum_declaration ? clang::visit_next::enter : clang::visit_next::skip_inside;
    }
    switch (one.kind) {
      case clang::name_reference: add_use(at, lib_.getCursorReferenced(one)); break;
      case clang::type_reference: into_.types_.emplace(at, type_of(lib_.getCursorType(one))); break;
      case clang::variable_declaration:
      case clang::parameter_declaration:
      case clang::enum_constant:
      case clang::function_declaration: add_use(at, one); break;
      default: break;
    }
    return clang::visit_next::enter;
  }

  std::size_t offset_of(clang::location where) const {
    unsigned offset = 0;
    lib_.getFileLocation(where, nullptr, nullptr, nullptr, &offset);
    return offset;
  }

  text_range extent_of(clang::cursor one) const {
    const clang::range all = lib_.getCursorExtent(one);
    return {offset_of(lib_.getRangeStart(all)), offset_of(lib_.getRangeEnd(all))};
  }

  bool is_in_parts(const text_range& extent) const {
    const auto next = std::ranges::upper_bound(parts_, extent.first, {}, &text_range::last);
    return next != parts_.end() && next->first < extent.last;
  }

  void add_use(std::size_t offset, clang::cursor of) {
    if (of.kind != clang::variable_declaration && of.kind != clang::parameter_declaration &&
        of.kind != clang::function_declaration && of.kind != clang::enum_constant)
      return;
    into_.uses_.emplace(offset, index_of(of));
  }

  std::size_t index_of(clang::cursor of) {
    const std::size_t offset = offset_of(lib_.getCursorLocation(of));
    const auto found = indices_.find(offset);
    if (found != indices_.end()) return found->second;
    into_.declarations_.push_back({.name = lib_.take(lib_.getCursorSpelling(of)),
                                   .is = place_of(of),
                                   .type = type_of_declared(of),
                                   .offset = offset,
                                   .value = of.kind == clang::enum_constant ? lib_.getEnumConstantDeclValue(of) : 0});
    return indices_[offset] = into_.declarations_.size() - 1;
  }

  /// libclang gives parameters that are arrays of rows of variable size this type; to C they are pointers.
  c_type type_of_declared(clang::cursor of) {
    c_type type = type_of(lib_.getCursorType(of));
    if (of.kind != clang::parameter_declaration || type.is != type_form::array) return type;
    return {.is = type_form::pointer,
            .spelling = type.element->spelling + " *",
            .bytes = sizeof(void*),
            .element = type.element};
  }

  declaration::place place_of(clang::cursor of) const {
    if (of.kind == clang::function_declaration) return declaration::place::function;
    if (of.kind == clang::enum_constant) return declaration::place::constant;
    if (of.kind == clang::parameter_declaration) return declaration::place::parameter;
    const bool is_in_function = lib_.getCursorSemanticParent(of).kind == clang::function_declaration;
    const int storage = lib_.Cursor_getStorageClass(of);
    if (!is_in_function || storage == clang::extern_storage) return declaration::place::global;
    return storage == clang::static_storage ? declaration::place::static_ : declaration::place::local;
  }

  c_type type_of(clang::type given) {
    const clang::type canonical = lib_.getCanonicalType(given);
    c_type result{.spelling = lib_.take(lib_.getTypeSpelling(canonical)),
                  .bytes = static_cast<std::size_t>(std::max(0LL, lib_.Type_getSizeOf(canonical))),
                  .is_const = lib_.isConstQualifiedType(canonical) != 0};
    set_form(result, canonical);
    return result;
  }

  void set_form(c_type& result, clang::type from) {
    const auto element = [&](clang::type of) { result.element = std::make_shared<const c_type>(type_of(of)); };
    result.is = type_form::other;
    if (from.kind >= clang::first_unsigned && from.kind <= clang::last_signed) {
      result.is = type_form::integer;
      result.is_signed = from.kind >= clang::first_signed;
    }
    switch (from.kind) {
      case clang::void_type: result.is = type_form::void_; break;
      case clang::bool_type: result.is = type_form::boolean; break;
      case clang::enum_type: {
        const clang::type as = lib_.getCanonicalType(lib_.getEnumDeclIntegerType(lib_.getTypeDeclaration(from)));
        result.is = type_form::integer;
        result.is_signed = as.kind >= clang::first_signed && as.kind <= clang::last_signed;
        break;
      }
      case clang::float_type:
      case clang::double_type:
      case clang::long_double_type: result.is = type_form::floating; break;
      case clang::pointer_type:
        result.is = type_form::pointer;
        element(lib_.getPointeeType(from));
        break;
      case clang::function_type:
      case clang::function_without_prototype:
        result.is = type_form::function;
        element(lib_.getResultType(from));
        break;
      case clang::constant_array: result.count = static_cast<std::uint64_t>(lib_.getArraySize(from)); [[fallthrough]];
      case clang::incomplete_array:
      case clang::variable_array:
        result.is = type_form::array;
        element(lib_.getArrayElementType(from));
        break;
      case clang::record_type: set_record(result, from); break;
      default: break;
    }
  }

  void set_record(c_type& result, clang::type from) {
    result.is = type_form::record;
    // Without const: it is the same record.
    const clang::cursor declared = lib_.getTypeDeclaration(from);
    const std::string name = lib_.take(lib_.getTypeSpelling(lib_.getCanonicalType(lib_.getCursorType(declared))));
    std::unique_ptr<record_type>& known = into_.records_[name];
    result.record = known.get();
    if (known) return;
    known = std::make_unique<record_type>(record_type{.name = name});
    result.record = known.get();
    known->is_union = declared.kind == clang::union_declaration;
    const auto before = std::exchange(fields_, &known->fields);
    lib_.Type_visitFields(from, visit_field, this);
    fields_ = before;
  }

  static clang::visit_next visit_field(clang::cursor one, clang::client_data to) {
    auto& self = *static_cast<name_reader*>(to);
    try {
      const long long bits = self.lib_.Cursor_getOffsetOfField(one);
      auto* const into = self.fields_;
      c_type type = self.type_of(self.lib_.getCursorType(one));
      into->push_back({self.lib_.take(self.lib_.getCursorSpelling(one)), std::move(type),
                       static_cast<std::size_t>(std::max(0LL, bits)) / 8, self.lib_.Cursor_isBitField(one) != 0});
      return clang::visit_next::skip_inside;
    } catch (...) {
      self.failed_ = std::current_exception();
      return clang::visit_next::stop;
    }
  }

  const library& lib_;
  const std::span<const text_range> parts_;
  source_names& into_;
  std::map<std::size_t, std::size_t> indices_;  // of declarations, by their offset
  std::vector<field>* fields_ = nullptr;        // of the record that is being read
  std::exception_ptr failed_;
};

const declaration* source_names::at(std::size_t offset) const noexcept {
  const auto found = uses_.find(offset);
  return found == uses_.end() ? nullptr : &declarations_[found->second];
}

const c_type* source_names::type_at(std::size_t offset) const noexcept {
  const auto found = types_.find(offset);
  return found == types_.end() ? nullptr : &found->second;
}

/// The end of the block in which a token stands; that of the text at file scope.
static std::size_t end_of_scope(const preprocessed_text& source, std::size_t offset) {
  const tokens& program = source.program();
  int depth = 0;
  for (std::size_t i = source.token_behind(offset); i < program.size(); ++i) {
    if (program[i] == "{") ++depth;
    if (program[i] == "}" && --depth < 0) return program[i].offset;
  }
  return source.text().size();
}

/// Where a function's body follows, that of the body.
static std::size_t end_of_parameter(const preprocessed_text& source, std::size_t offset) {
  const tokens& program = source.program();
  for (std::size_t i = source.token_behind(offset); i < program.size(); ++i) {
    if (program[i] == ";") return program[i].offset;
    if (program[i] == "{") return end_of_scope(source, program[i].offset + 1);
  }
  return source.text().size();
}

/// Where the name of a declaration ceases to be visible.
static std::size_t end_of_visibility(const declaration& one, const preprocessed_text& source) {
  if (one.is == declaration::place::parameter) return end_of_parameter(source, one.offset);
  const std::size_t end = end_of_scope(source, one.offset);
  // The braces of an enumeration are no scope.
  return one.is == declaration::place::constant ? end_of_scope(source, end + 1) : end;
}

const declaration* source_names::visible(std::string_view name, std::size_t offset,
                                         const preprocessed_text& source) const {
  const declaration* found = nullptr;
  for (const declaration& one : declarations_) {
    if (one.name != name || one.offset > offset || (found && one.offset < found->offset)) continue;
    if (offset < end_of_visibility(one, source)) found = &one;
  }
  return found;
}

source_names read_names(const preprocessed_text& source, std::span<const text_range> parts, language language) {
  const library& lib = library::loaded();
  const parsed_source parsed(lib, source, language);
  source_names all;
  name_reader(lib, parts, all).read(parsed.top());
  return all;
}

}  // namespace stretto::cc::acc
