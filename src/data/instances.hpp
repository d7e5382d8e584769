// instances.hpp - how instances come to be and go: creations and destructions that wait.
//
// Threads     any thread of the runtime.
// Cost        see instance.hpp; what waits takes one pooled block and one event.
// Invariants  a destruction runs whatever its preconditions' end, after the creation has ended, and frees once.
#pragma once

#include "data/data_state.hpp"
#include "data/deferred.hpp"
#include "sched/profiling.hpp"

namespace stretto::data {

struct deferred_creation final : deferred, creation {
  explicit deferred_creation(detail::instance_record& r);
  detail::instance_record* record;
  std::unique_ptr<sched::profile_state> profile;  // if someone asked
};

struct deferred_destruction final : deferred, destruction {
  explicit deferred_destruction(detail::instance_record& r);
  detail::instance_record* record;
  event done;
  std::unique_ptr<sched::profile_state> profile;
};

/// The error D03: bytes wanted, free and the longest free piece.
failure_ref no_room(const detail::instance_record& r, const creation& refused);

}  // namespace stretto::data
