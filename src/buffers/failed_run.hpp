// failed_run.hpp - a run that has ended with an error on one node, as others are told of it: how far it came and why, as an error and as words.
//
// Threads     a value.
#pragma once

#include <stretto/error.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <source_location>
#include <string>

#include "base/bytes.hpp"

namespace stretto::buffers {

struct failed_run {
  std::uint32_t node = 0;
  std::uint64_t tasks = 0;  // which it has submitted as a whole: those below this number, so that the rest is missing on all nodes
  std::string where;        // of the call of run
  error why = error("", "");  // without a code: the words of another exception
};

failed_run failed_run_of(std::uint32_t node, std::uint64_t tasks, const std::exception_ptr& why, const std::source_location& where);

/// N17.
error error_of(const failed_run& r);
/// The N17 that an exception is, or because of which the work was skipped that it is of.
std::optional<error> failed_run_in(const std::exception_ptr& thrown);

void put(base::writer& w, const failed_run& r);
failed_run get_failed_run(base::reader& words);

}  // namespace stretto::buffers
