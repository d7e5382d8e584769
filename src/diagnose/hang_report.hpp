// hang_report.hpp - the hang report: a wait graph as text, as JSON, and as a graph for Graphviz.
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

/// One message for each of the first few causes (H01 to H07); or "no progress" (H10) with the state, if no hang is
/// proven. The messages have the form of errors; nothing is thrown.
std::vector<error> report_of(const base::wait_snapshot& s);
/// The messages as one text, with the number of further causes.
std::string report_text(const base::wait_snapshot& s);

std::string to_json(std::span<const base::wait_snapshot> runtimes);
/// Throws H20 if `text` was not written by to_json().
std::vector<base::wait_snapshot> from_json(std::string_view text);

/// Arrows lead from what waits to what it waits for; causes of a hang are coloured.
std::string graphviz_text(std::span<const base::wait_snapshot> runtimes);

}  // namespace stretto::diagnose
