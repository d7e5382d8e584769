// contribution_errors.cpp - errors of contributors to a reduction.
#include <stretto/error.hpp>
#include <stretto/reduce.hpp>

#include <string>

#include "base/index_text.hpp"
#include "data/handle.hpp"

namespace stretto::detail {

void refuse_contribution(const instance_handle& h, const box& elements, const coordinate* at, std::size_t axes) {
  const std::string name = h.record ? h.record->name.data() : "";
  throw error("D25", "a contribution is outside of " + (name.empty() ? "the reduction" : "reduction \"" + name + "\""))
      .fact("index", base::index_text(at, static_cast<int>(axes)))
      .fact("elements", elements.text())
      .because("a contribution outside of the reduction's box would change other memory")
      .remedy("make the reduction_instance with a box that contains the index, or leave the contribution out");
}

}  // namespace stretto::detail
