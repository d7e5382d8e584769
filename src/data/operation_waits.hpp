// operation_waits.hpp - adds operations on instances to the wait graph of a hang report.
//
// Threads     any, while others run: the result may be partly wrong, but freed memory is never read.
// Cost        some system calls per operation that waits.
#pragma once

#include <optional>
#include <string>

#include "base/wait_snapshot.hpp"
#include "data/deferred.hpp"

namespace stretto::data {

/// Finds operations among the waiters of events. To be called before the scheduler's.
void add_wait_edges(base::wait_walk& walk);

/// `instance "u"`, of a record that may be freed meanwhile.
std::string peek_name(const detail::instance_record* at);

/// A deferred action, as reports show it.
struct deferred_report {
  event done;
  std::string name;  // copy of instance "u" to instance "v"
  std::string made;  // source line
};
// Each returns nothing if the action is of another kind. `d` is a copy of the action at `at`.
std::optional<deferred_report> report_operation(const deferred& d, const deferred* at);
std::optional<deferred_report> report_creation(const deferred& d, const deferred* at);  // or a destruction
std::optional<deferred_report> report_device_operation(const deferred& d, const deferred* at);

}  // namespace stretto::data
