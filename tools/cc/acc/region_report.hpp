// region_report.hpp - what was made of a region, and why, for --acc-show.
//
// Threads     pure.
#pragma once

#include <string>
#include <vector>

#include "cc/acc/device_kernel.hpp"
#include "cc/acc/region_plan.hpp"

namespace stretto::cc::acc {

/// A line per fact: how loops run, what moves without a clause, what gangs have of their own, where devices run it.
///
///   plan        for the host
///   of_devices  the same unless clauses stand behind device_type
std::vector<std::string> report_of(const region_plan& plan, const device_plans& of_devices,
                                   const device_translations& on_devices, const preprocessed_text& source);

/// The same of a part of a kernels construct, whose data moves for all parts together.
std::vector<std::string> report_of_part(const region_plan& plan, const device_translations& on_devices,
                                        const preprocessed_text& source);
std::vector<std::string> report_of_data(const region_plan& plan);

}  // namespace stretto::cc::acc
