#include "cc/acc/clause_names.hpp"

#include <algorithm>

#include "cc/acc/data_item.hpp"

namespace stretto::cc::acc {

const clause* clause_with(const directive& d, const std::string& name, clause_test is_wanted) {
  const auto names = [&](const variable& v) { return v.path.size() == 1 && v.name() == name; };
  for (const clause& one : d.clauses)
    if (is_wanted(one) && std::ranges::any_of(one.variables, names)) return &one;
  return nullptr;
}

bool clause_names::has(const std::string& name, clause_test is_wanted) const {
  const auto names = [&](const directive* d) { return clause_with(*d, name, is_wanted) != nullptr; };
  return names(&own_) || std::ranges::any_of(around_, names);
}

bool moves_data(const clause& c) { return is_data_clause(c.kind); }
bool moves_data_by_source(const clause& c) { return moves_data(c) && !c.spelling.empty(); }
bool is_device_pointer(const clause& c) { return c.kind == clause_kind::deviceptr; }
bool is_first_private(const clause& c) { return c.kind == clause_kind::firstprivate; }

}  // namespace stretto::cc::acc
