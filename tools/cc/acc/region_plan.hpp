// region_plan.hpp - plans what the kernel of a region gets from the host, and which of its loops are divided.
//
// Threads     pure.
// Source      OpenACC 3.3, sections 2.5 and 2.6.2: data attributes that no clause gives; 2.9: levels of loops.
#pragma once

#include <span>

#include "cc/acc/planned_region.hpp"
#include "cc/acc/variable_uses.hpp"

namespace stretto::cc::acc {

/// The plan of the region that a construct governs.
///
///   kind     of the device: clauses behind device_type may hold for it alone
///   around   directives around the construct, and those that declare: variables in their data clauses are not copied
///            into gangs
///   throws   O10 for what is not translated yet, with its line; O11 for a variable without a clause under
///            default(none); O15 for a clause whose variable is not declared
region_plan plan_region(const placed_directive& construct, const statement& region, const name_scope& scope,
                        std::span<const directive* const> around = {}, device_kind kind = device_kind::host);

/// Whether kernels of two plans take the same arguments in the same ways.
bool has_same_arguments(const region_plan& one, const region_plan& other);

}  // namespace stretto::cc::acc
