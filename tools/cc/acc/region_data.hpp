// region_data.hpp - the data that a region moves: by its clauses, and by the rules for variables without.
//
// Threads     pure.
// Source      OpenACC 3.3, section 2.6.2: data attributes that no clause gives.
#pragma once

#include <vector>

#include "cc/acc/clause_names.hpp"
#include "cc/acc/planned_region.hpp"

namespace stretto::cc::acc {

/// Of a plan whose arguments and loops are complete.
///
///   d       the directive of the construct, for the kind of device
///   names   of its clauses, and of those around it
std::vector<data_item> data_of_region(const region_plan& plan, const directive& d, const statement& region,
                                      const name_scope& scope, const clause_names& names);

}  // namespace stretto::cc::acc
