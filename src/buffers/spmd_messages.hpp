// spmd_messages.hpp - the messages by which the nodes of a job compare their calls on buffers (divergence_detector.hpp)
// and learn of failed runs (spmd_guard.hpp).
//
// They are counted: the job does not end before they have been handled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "buffers/call_history.hpp"
#include "buffers/divergence_report.hpp"
#include "dist/message_codec.hpp"
#include "dist/round_number.hpp"

namespace stretto::buffers {

/// A text as these messages contain it: long ones are cut.
inline std::string shortened(const std::string& text) {
  constexpr std::size_t most_bytes = 4096;
  return text.substr(0, most_bytes);
}

/// To the neighbours: the number of the sender's calls, and the hash after them.
struct history_report {
  static constexpr std::string_view message = "histories.report";
  std::uint64_t calls = 0, hash = 0;
};

/// To all nodes: compare your calls with these.
struct history_query {
  static constexpr std::string_view message = "histories.query";
  dist::round_number round = {};
  call_history::hash_window calls = {};
};

/// In reply to a query: the comparison of the calls in question.
struct history_reply {
  static constexpr std::string_view message = "histories.reply";
  dist::round_number round = {};
  call_history::comparison result = {};
  std::uint64_t calls = 0;                   // of the sender
  call_history::call_description call = {};  // call `result.number`; empty if the sender does not store it
};

/// To all nodes: the programs differ.
struct divergence_verdict {
  static constexpr std::string_view message = "histories.verdict";
  divergence_report found = {};
};

/// To all nodes: a run of the sender has failed (failed_run.hpp).
struct run_failure {
  static constexpr std::string_view message = "runs.failed";
  struct fact {
    std::string name, value;
  };
  std::uint32_t node = 0;
  std::uint64_t tasks = 0;
  std::string where = {};
  std::string code = {}, sentence = {}, why = {}, remedy = {};  // of its error
  std::vector<fact> facts = {};
};

}  // namespace stretto::buffers

namespace stretto::dist {
template <>
inline constexpr auto last_of<buffers::call_history::comparison::outcome> =
    buffers::call_history::comparison::outcome::unknown;
}  // namespace stretto::dist
