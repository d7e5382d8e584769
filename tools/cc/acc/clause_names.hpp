// clause_names.hpp - which variables the clauses of a construct, and of directives around it, name.
//
// Threads     pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cc/acc/directive.hpp"

namespace stretto::cc::acc {

using clause_test = bool (*)(const clause&);

/// The clause of a directive that names a variable and passes a test; null if there is none.
const clause* clause_with(const directive& d, const std::string& name, clause_test is_wanted);

/// Refers to its arguments.
class clause_names {
 public:
  clause_names(const directive& own, std::span<const directive* const> around) : own_(own), around_(around) {}

  /// Whether such a clause, of the construct or of a directive around it, names a variable.
  bool has(const std::string& name, clause_test is_wanted) const;

 private:
  const directive& own_;
  std::span<const directive* const> around_;
};

bool moves_data(const clause& c);
/// The same of a clause that stands in the source.
bool moves_data_by_source(const clause& c);
bool is_device_pointer(const clause& c);
bool is_first_private(const clause& c);

}  // namespace stretto::cc::acc
