// hang_report.hpp - what is told of a runtime that does not go on: as text, as JSON, as a graph for Graphviz.
//
// Threads     pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <stretto/error.hpp>

#include "diagnose/hang_causes.hpp"

namespace stretto::diagnose {

/// One message per cause (H01 to H07), the first few, or "no progress" (H10) with the state where nothing is proven. They
/// have the shape of errors; nothing is thrown.
std::vector<error> report_of(const base::wait_snapshot& s);
/// All of them, with how many more causes there are.
std::string report_text(const base::wait_snapshot& s);

std::string to_json(std::span<const base::wait_snapshot> runtimes);
/// Throws H20 if it is not what to_json() writes.
std::vector<base::wait_snapshot> from_json(std::string_view text);

/// What waits, an arrow to what it waits for; causes of a hang in colour.
std::string graphviz_text(std::span<const base::wait_snapshot> runtimes);

}  // namespace stretto::diagnose
