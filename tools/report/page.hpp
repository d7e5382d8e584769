// page.hpp - a run and its analysis as one HTML page that loads nothing.
//
// Threads     pure.
// Cost        about 0.5 s and 8 bytes of page per record for a million records.
// Invariants  (1) no byte of a name becomes markup or script: names are in a JSON text in which < is escaped, and the
//             page sets them as text. (2) the page forbids every script except its own, by hash, and every request.
#pragma once

#include <string>

#include "report/analysis.hpp"
#include "report/run_comparison.hpp"

namespace stretto::report {

/// `beside` may be null.
std::string to_page(const run& r, const analysis& a, const comparison* beside = nullptr);

/// Text for HTML: & < > " ' escaped, ill-formed bytes replaced.
std::string html_text(std::string_view text);

}  // namespace stretto::report
