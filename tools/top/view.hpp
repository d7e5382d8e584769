// view.hpp - two samples of a process as a page of text: counts of the second, rates between the two.
//
// Threads     pure.
#pragma once

#include <string>

#include "top/sample.hpp"

namespace stretto::top {

/// `before` may be null: then rates are since the start of each runtime.
std::string view(const sample& now, const sample* before);

/// One line about a process, for the list of all.
std::string line_about(const std::string& name, const sample& now);

}  // namespace stretto::top
