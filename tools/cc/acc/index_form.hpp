// index_form.hpp - indices as sums of products of variables: 2 * i + m * j - 1, and the ranges that loops give them.
//
// Threads     values.
// Invariants  no term has the factor 0. Values that do not fit in 64 bits have no form.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

class index_form {
 public:
  using product = std::vector<const declaration*>;  // sorted; empty: the constant term

  index_form() = default;
  explicit index_form(std::int64_t constant);
  explicit index_form(const declaration* variable) { terms_[{variable}] = 1; }

  const std::map<product, std::int64_t>& terms() const noexcept { return terms_; }
  /// The value, if it has no variables.
  std::optional<std::int64_t> constant() const;
  bool uses(const declaration* variable) const;

  /// The factor of the variable, and all else. Nothing if it is multiplied by itself.
  std::optional<std::pair<index_form, index_form>> split(const declaration* variable) const;

  friend std::optional<index_form> sum(const index_form& one, const index_form& other, std::int64_t factor);
  friend std::optional<index_form> product_of(const index_form& one, const index_form& other);

 private:
  bool add(const product& of, std::int64_t factor);

  std::map<product, std::int64_t> terms_;
};

/// one + factor * other.
std::optional<index_form> sum(const index_form& one, const index_form& other, std::int64_t factor = 1);
std::optional<index_form> product_of(const index_form& one, const index_form& other);

/// The form of an expression.
///
///   of_name   the form of a variable; nothing if its value is not known
using name_form = std::function<std::optional<index_form>(const declaration& of)>;
std::optional<index_form> form_of(const expression& e, const name_form& of_name);

/// A loop around an index: its variable is in [first, last]. Where code in it runs, first <= last.
struct loop_range {
  const declaration* variable;
  std::optional<index_form> first, last;  // nothing: not known
};
using loop_ranges = std::vector<loop_range>;  // outermost first

/// Whether a form is greater than 0, where the loops run.
bool is_positive(const index_form& form, const loop_ranges& loops);
/// The least or the greatest value over all iterations of the loops, without their variables.
std::optional<index_form> extreme(index_form form, const loop_ranges& loops, bool is_greatest);

}  // namespace stretto::cc::acc
