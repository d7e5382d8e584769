// host_kernel.hpp - a region as a function of C that threads of the host run, one call for each gang.
//
// Threads     pure.
#pragma once

#include <string>

#include "cc/acc/region_plan.hpp"

namespace stretto::cc::acc {

/// The function `name`: static void name(void **stretto_arguments, long stretto_gang, long stretto_gangs). The
/// arguments are those of the plan, in order: each the address of the variable, or of the array's first element, behind
/// the addresses of its extents.
///
/// Within a gang all loops run in order; gangs combine their parts of reductions one after another.
///
/// In C it stands at file scope. In C++ it is a pointer to a lambda's function, so that it sees the names of the
/// function in which the region stands.
std::string host_kernel(const std::string& name, const region_plan& plan, const statement& region,
                        const preprocessed_text& source, language language);

}  // namespace stretto::cc::acc
