// Types as libclang has them, without their typedefs.
#include <exception>
#include <string_view>
#include <utility>

#include "cc/acc/name_reader.hpp"

namespace stretto::cc::acc {

/// libclang names namespaces that have no name, which a program cannot.
std::string name_reader::spelling_of(clang::type of) const {
  static constexpr std::string_view unnamed = "(anonymous namespace)::";
  std::string text = lib_.take(lib_.getTypeSpelling(of));
  for (auto at = text.find(unnamed); at != text.npos; at = text.find(unnamed, at)) text.erase(at, unnamed.size());
  return text;
}

c_type name_reader::type_of(clang::type given) {
  const clang::type canonical = lib_.getCanonicalType(given);
  if (canonical.kind == clang::reference_type || canonical.kind == clang::moved_reference_type) {
    c_type result = type_of(lib_.getPointeeType(canonical));
    result.is_reference = true;
    return result;
  }
  c_type result{.spelling = spelling_of(canonical),
                .bytes = static_cast<std::size_t>(std::max(0LL, lib_.Type_getSizeOf(canonical))),
                .is_const = lib_.isConstQualifiedType(canonical) != 0};
  set_form(result, canonical);
  return result;
}

void name_reader::set_form(c_type& result, clang::type from) {
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

void name_reader::set_record(c_type& result, clang::type from) {
  result.is = type_form::record;
  result.is_class = is_cxx_ && !lib_.isPODType(from);
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

clang::visit_next name_reader::visit_field(clang::cursor one, clang::client_data to) {
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

}  // namespace stretto::cc::acc
