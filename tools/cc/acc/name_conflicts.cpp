#include "cc/acc/name_conflicts.hpp"

#include <fmt/format.h>

#include <stretto/error.hpp>
#include <vector>

namespace stretto::cc::acc {
namespace {

void add_declared(const statement& s, std::vector<const declaration*>& all) {
  for (const local_variable& one : s.variables) all.push_back(one.of);
  for (const statement& part : s.parts) add_declared(part, all);
}

}  // namespace

void check_names(const region_plan& plan, const statement& region, const preprocessed_text& source) {
  std::vector<const declaration*> all;
  add_declared(region, all);
  for (const kernel_argument& one : plan.arguments) all.push_back(one.of);
  for (const kernel_argument& one : plan.arguments) {
    if (one.of->path == one.of->name) continue;
    for (const declaration* other : all) {
      if (other == one.of || other->name != one.of->name) continue;
      const source_line where = source.line_at(region.offset);
      throw error("O09", "a region on a device has code that cannot be translated")
          .fact("at", fmt::format("{}:{}", where.file, where.line))
          .fact("found", fmt::format("two variables \"{}\", one of them \"{}\"", other->name, one.of->path))
          .because("regions are written in the C subset of C++")
          .remedy("give one of the two variables another name");
    }
  }
}

}  // namespace stretto::cc::acc
