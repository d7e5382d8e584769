#include "cc/acc/name_reader.hpp"

#include <algorithm>

#include "cc/acc/cursor_kinds.hpp"

namespace stretto::cc::acc {
void name_reader::read(clang::cursor top) {
  lib_.visitChildren(top, visit, this);
  if (failed_) std::rethrow_exception(failed_);
}

void name_reader::read_instance(clang::cursor function, const text_range& where) {
  if (clang::is_member_function(function.kind)) add_method_of(function, where);
  lib_.visitChildren(function, visit, this);
  if (failed_) std::rethrow_exception(failed_);
}

clang::visit_next name_reader::visit(clang::cursor one, clang::cursor, clang::client_data to) {
  auto& self = *static_cast<name_reader*>(to);
  try {
    return self.visit(one);
  } catch (...) {  // not through libclang
    self.failed_ = std::current_exception();
    return clang::visit_next::stop;
  }
}

clang::visit_next name_reader::visit(clang::cursor one) {
  if (clang::is_template(one.kind) || clang::is_template(lib_.getCursorSemanticParent(one).kind))
    return clang::visit_next::skip_inside;
  const std::size_t at = offset_of(lib_.getCursorLocation(one));
  if (!is_in_parts(extent_of(one))) return visit_outside(one, at);
  switch (one.kind) {
    case clang::name_reference:
    case clang::member_reference: add_use(at, lib_.getCursorReferenced(one)); break;
    case clang::type_reference: into_.types_.emplace(at, type_of(lib_.getCursorType(one))); break;
    default:
      if (clang::is_declaration(one.kind)) add_use(at, one);
      if (clang::is_member_function(one.kind)) add_method_of(one, extent_of(one));
  }
  return clang::visit_next::enter;
}

clang::visit_next name_reader::visit_outside(clang::cursor one, std::size_t at) {
  if (one.kind == clang::variable_declaration || one.kind == clang::enum_constant) add_use(at, one);
  return one.kind == clang::enum_declaration ? clang::visit_next::enter : clang::visit_next::skip_inside;
}

std::size_t name_reader::offset_of(clang::location where) const {
  unsigned offset = 0;
  lib_.getFileLocation(where, nullptr, nullptr, nullptr, &offset);
  return offset;
}

text_range name_reader::extent_of(clang::cursor one) const {
  const clang::range all = lib_.getCursorExtent(one);
  return {offset_of(lib_.getRangeStart(all)), offset_of(lib_.getRangeEnd(all))};
}

bool name_reader::is_in_parts(const text_range& extent) const {
  const auto next = std::ranges::upper_bound(parts_, extent.first, {}, &text_range::last);
  return next != parts_.end() && next->first < extent.last;
}

void name_reader::add_use(std::size_t offset, clang::cursor of) {
  if (!clang::is_declaration(of.kind) || (!is_cxx_ && of.kind == clang::field_declaration)) return;
  // In C++ the definition says which function of that name it is.
  if (is_cxx_ && of.kind == clang::function_declaration)
    if (const clang::cursor whole = lib_.getCursorDefinition(of); clang::is_declaration(whole.kind)) of = whole;
  into_.uses_.emplace(offset, index_of(of));
}

std::size_t name_reader::index_of(clang::cursor of) {
  const std::size_t offset = offset_of(lib_.getCursorLocation(of));
  // Functions that a template is instantiated to have one offset.
  const bool is_function = is_cxx_ && of.kind == clang::function_declaration;
  const std::pair key(offset, is_function ? lib_.take(lib_.getCursorUSR(of)) : std::string());
  const auto found = indices_.find(key);
  if (found != indices_.end()) return found->second;
  const declaration::place place = place_of(of);
  declaration result{.name = lib_.take(lib_.getCursorSpelling(of)),
                     .is = place,
                     .type = type_of_declared(of),
                     .offset = offset,
                     .value = of.kind == clang::enum_constant ? lib_.getEnumConstantDeclValue(of) : 0,
                     .path = path_of(of, place)};
  if (is_cxx_ && of.kind == clang::variable_declaration) set_value(result, of);
  into_.declarations_.push_back(std::move(result));
  return indices_[key] = into_.declarations_.size() - 1;
}

/// libclang gives parameters that are arrays of rows of variable size this type; to C they are pointers.
c_type name_reader::type_of_declared(clang::cursor of) {
  c_type type = type_of(lib_.getCursorType(of));
  if (of.kind != clang::parameter_declaration || type.is != type_form::array || type.is_reference) return type;
  return {.is = type_form::pointer,
          .spelling = type.element->spelling + " *",
          .bytes = sizeof(void*),
          .element = type.element};
}

declaration::place name_reader::place_of(clang::cursor of) const {
  if (of.kind == clang::function_declaration) return declaration::place::function;
  if (of.kind == clang::method && lib_.CXXMethod_isStatic(of)) return declaration::place::function;
  if (clang::is_member_function(of.kind)) return declaration::place::member_function;
  if (of.kind == clang::field_declaration) return declaration::place::member;
  if (of.kind == clang::enum_constant) return declaration::place::constant;
  if (of.kind == clang::parameter_declaration) return declaration::place::parameter;
  const int parent = lib_.getCursorSemanticParent(of).kind;
  const bool is_in_function =
      parent == clang::function_declaration || parent == clang::function_template || clang::is_member_function(parent);
  const int storage = lib_.Cursor_getStorageClass(of);
  if (!is_in_function || storage == clang::extern_storage) return declaration::place::global;
  return storage == clang::static_storage ? declaration::place::static_ : declaration::place::local;
}

/// Namespaces and classes ahead of the name; those without a name are left out.
std::string name_reader::path_of(clang::cursor of, declaration::place place) const {
  std::string path = lib_.take(lib_.getCursorSpelling(of));
  if (place == declaration::place::member) return "this->" + path;
  if (place != declaration::place::global && place != declaration::place::function) return path;
  for (clang::cursor at = lib_.getCursorSemanticParent(of); is_cxx_; at = lib_.getCursorSemanticParent(at)) {
    if (at.kind != clang::namespace_declaration && !clang::is_class(at.kind)) break;
    const std::string name = lib_.take(lib_.getCursorSpelling(at));
    if (!name.empty() && name.front() != '(') path = name + "::" + path;
  }
  return path;
}

void name_reader::set_value(declaration& one, clang::cursor of) const {
  if (!one.type.is_const || one.type.is_reference || !one.type.is_number() || one.type.is == type_form::floating)
    return;
  void* const result = lib_.Cursor_Evaluate(of);
  if (!result) return;
  if (lib_.EvalResult_getKind(result) == 1) {
    one.is_of_function = one.is == declaration::place::local || one.is == declaration::place::static_;
    one.is = declaration::place::constant;
    one.value = lib_.EvalResult_getAsLongLong(result);
  }
  lib_.EvalResult_dispose(result);
}

/// In a member function `this` and the members of its class are visible.
void name_reader::add_method_of(clang::cursor function, const text_range& where) {
  const clang::cursor of_class = lib_.getCursorSemanticParent(function);
  if (clang::is_class(of_class.kind) && !lib_.CXXMethod_isStatic(function)) add_method(of_class, where);
}

void name_reader::add_method(clang::cursor of_class, const text_range& where) {
  member_scope scope{where, {}};
  c_type record = type_of(lib_.getCursorType(of_class));
  std::string spelling = record.spelling + " *";
  into_.declarations_.push_back({.name = "this",
                                 .is = declaration::place::member,
                                 .type = {.is = type_form::pointer,
                                          .spelling = std::move(spelling),
                                          .bytes = sizeof(void*),
                                          .element = std::make_shared<const c_type>(std::move(record))},
                                 .offset = where.first,
                                 .path = "this"});
  scope.members.push_back(into_.declarations_.size() - 1);
  add_members(of_class, scope);
  into_.methods_.push_back(std::move(scope));
}

/// libclang does not lead from an instantiated class to its members, but from its type to the fields.
void name_reader::add_members(clang::cursor of_class, member_scope& into) {
  const auto before = std::exchange(members_, &into);
  lib_.Type_visitFields(lib_.getCursorType(of_class), visit_member, this);
  lib_.visitChildren(of_class, visit_base, this);
  members_ = before;
}

clang::visit_next name_reader::visit_member(clang::cursor one, clang::client_data to) {
  auto& self = *static_cast<name_reader*>(to);
  try {
    self.members_->members.push_back(self.index_of(one));
    return clang::visit_next::skip_inside;
  } catch (...) {
    self.failed_ = std::current_exception();
    return clang::visit_next::stop;
  }
}

clang::visit_next name_reader::visit_base(clang::cursor one, clang::cursor, clang::client_data to) {
  auto& self = *static_cast<name_reader*>(to);
  if (one.kind == clang::base_class) {
    const clang::type base = self.lib_.getCanonicalType(self.lib_.getCursorType(one));
    self.add_members(self.lib_.getTypeDeclaration(base), *self.members_);
  }
  return clang::visit_next::skip_inside;
}

}  // namespace stretto::cc::acc
