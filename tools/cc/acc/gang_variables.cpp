#include "cc/acc/gang_variables.hpp"

#include <fmt/format.h>

#include "cc/acc/c_types.hpp"
#include "cc/acc/not_translated.hpp"
#include "cc/acc/row_extents.hpp"

namespace stretto::cc::acc {
namespace {

reduced_variable reduced_variable_of(const variable& v, const declaration& of, reduction_operator operation,
                                     const source_line& where, const name_scope& scope) {
  const c_type& number = has_elements(of.type) ? *of.type.element : of.type;
  const bool is_complex = number.spelling.find("_Complex") != std::string::npos;
  const bool is_simple = v.path.size() == 1 && (number.is_number() || is_complex) && v.sections.size() <= 1;
  if (!is_simple || (of.type.is == type_form::pointer && v.sections.empty()))
    not_translated(where,
                   fmt::format("the reduction of \"{}\", which is no number and no array of numbers,", v.name()));
  reduced_variable result{&of, operation};
  if (has_elements(of.type)) result.part = part_of(v, of, where, scope);
  return result;
}

}  // namespace

std::vector<private_variable> privates_of(const directive& d, const find_variable& find, const name_scope& scope) {
  std::vector<private_variable> all;
  for (const clause& one : d.clauses)
    if (one.kind == clause_kind::private_)
      for (const variable& v : one.variables)
        if (const declaration* const of = find(v.name())) {
          if (has_unknown_size(of->type)) refuse_gang_copy(v.name(), d.where);
          const bool is_part = of->type.is == type_form::pointer && !v.sections.empty();
          all.push_back({of, is_part ? std::optional(part_of(v, *of, d.where, scope)) : std::nullopt});
        }
  return all;
}

std::vector<reduced_variable> reductions_of(const directive& d, const find_variable& find, const name_scope& scope) {
  std::vector<reduced_variable> all;
  for (const clause& one : d.clauses)
    if (one.kind == clause_kind::reduction)
      for (const variable& v : one.variables)
        if (const declaration* const of = find(v.name()))
          all.push_back(reduced_variable_of(v, *of, one.operation, d.where, scope));
  return all;
}

}  // namespace stretto::cc::acc
