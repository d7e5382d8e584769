// failed_run.hpp - a run that failed on one node, as other nodes learn of it: how many tasks it had submitted and why
// it failed, as an error and as a message.
//
// Threads     a value.
#pragma once

#include <stretto/error.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <source_location>
#include <string>

#include "buffers/spmd_messages.hpp"

namespace stretto::buffers {

struct failed_run {
  std::uint32_t node = 0;
  std::uint64_t tasks = 0;    // it has submitted all tasks below this number; the rest is missing on all nodes
  std::string where;          // source line of the call of run
  error why = error("", "");  // without a code: the text of an exception that is no stretto::error
};

failed_run failed_run_of(std::uint32_t node, std::uint64_t tasks, const std::exception_ptr& why,
                         const std::source_location& where);

/// N17.
error error_of(const failed_run& r);
/// The N17 that this exception is, or that caused the poison it reports.
std::optional<error> failed_run_in(const std::exception_ptr& thrown);

/// Long texts are cut, and of many facts the first are sent.
run_failure message_of(const failed_run& r);
failed_run failed_run_of(const run_failure& m);

}  // namespace stretto::buffers
