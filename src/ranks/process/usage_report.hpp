// usage_report.hpp - prints what checks of programs have found.
//
// Threads     any.
#pragma once

#include <stretto/error.hpp>

namespace stretto::ranks {

/// Prints the error, unless one with the same text was printed before.
void report_usage(const error& e);

/// Whether one was printed: then the job has failed.
bool has_usage_errors() noexcept;

}  // namespace stretto::ranks
