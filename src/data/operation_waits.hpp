// telling.hpp - what the data floor knows of who waits for what, for reports of a runtime that hangs: operations on instances.
//
// Threads     any, while others run: what it tells then may be wrong in parts, and never touches what is gone.
// Cost        some system calls per operation that waits.
#pragma once

#include <optional>
#include <string>

#include "base/wait_snapshot.hpp"
#include "data/deferred.hpp"

namespace stretto::data {

/// Before the scheduler: operations are found among the waiters of events.
void add_wait_edges(base::wait_walk& walk);

/// `instance "u"`, of a record that may be gone meanwhile.
std::string peek_name(const detail::instance_record* at);

/// Something deferred.
struct deferred_report {
  event done;
  std::string name;  // copy of instance "u" to instance "v"
  std::string made;  // where
};
// By the files whose they are; nothing if it is none of theirs. `d` is a copy of that at `at`.
std::optional<deferred_report> report_operation(const deferred& d, const deferred* at);
std::optional<deferred_report> report_creation(const deferred& d, const deferred* at);  // or a destruction
std::optional<deferred_report> report_device_operation(const deferred& d, const deferred* at);

}  // namespace stretto::data
