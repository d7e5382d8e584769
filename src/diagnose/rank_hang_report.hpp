// rank_hang_report.hpp - the report of a hang of ranks: the call in which each waits, and for which ranks.
//
// Threads     pure.
#pragma once

#include <optional>

#include <stretto/error.hpp>

#include "diagnose/hang_causes.hpp"

namespace stretto::diagnose {

/// R10; none if no rank waits.
std::optional<error> rank_report_of(const base::wait_snapshot& s, const std::vector<hang_cause>& causes);
/// Whether ranks are part of the cause, which is then explained by that report.
bool concerns_ranks(const base::wait_snapshot& s, const hang_cause& cause);
bool has_waiting_rank(const base::wait_snapshot& s);

}  // namespace stretto::diagnose
