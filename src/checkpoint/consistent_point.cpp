#include "checkpoint/consistent_point.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "checkpoint/collective_calls.hpp"
#include "checkpoint/node_copy.hpp"
#include "checkpoint/saved_node_values.hpp"
#include "dist/counting_round.hpp"

namespace stretto::checkpoints {

using mobiles::awaited_message;
using mobiles::pause_state;
using mobiles::rank;

namespace {

// The functions called on nodes. Each returns a result, so that the caller can wait for it.
int hold_here(rank by) { return objects_here().checkpoints().pause(by), 0; }
int let_go_here(rank by) { return objects_here().checkpoints().resume(by), 0; }
pause_state state_here() { return objects_here().checkpoints().current_state(); }
std::vector<awaited_message> waited_here() { return objects_here().checkpoints().awaited_messages(); }
int let_through_here(const std::vector<awaited_message>& all) {
  return objects_here().checkpoints().release_messages(all), 0;
}
int let_all_through_here() { return objects_here().checkpoints().release_all_messages(), 0; }
int copy_here() {
  node_copy all{objects_here().checkpoints().save_objects(), read_per_node_values()};
  copy_objects(all.per_node);
  store_node_copy(std::move(all));
  return 0;
}

/// Rounds without change before messages are released; the number doubles with each release, from patient_rounds to
/// most_patient_rounds. The first times_before_all releases concern only messages that a task waits for, later ones
/// all messages. C10 is possible after most_times releases.
constexpr unsigned patient_rounds = 4, most_patient_rounds = 1024, times_before_all = 3, most_times = 8;
/// C10 needs this time without a change: a device or a computing task may still make progress.
constexpr std::chrono::seconds most_silence(3);

void wait_until_consistent(const std::source_location& where) {
  dist::counting_round<pause_state> round;
  unsigned unchanged = 0, patience = patient_rounds, times = 0;
  auto changed = std::chrono::steady_clock::now();
  for (;;) {
    const dist::round_number number = round.begin(job_nodes());
    const auto states = run_on_all_nodes([](auto) { return call<&state_here>(); }, where);
    for (std::size_t n = 0; n < states.size(); ++n) round.add(static_cast<rank>(n), number, states[n]);
    const auto counted = round.end();
    const pause_state& now = counted.sum;
    const bool is_same = counted.previous == now;  // objects move from node to node, and the sums stay
    if (is_same && now.is_drained()) return;
    if (!is_same) unchanged = 0;
    else ++unchanged;
    if (counted.previous && counted.previous->messages != now.messages) {
      times = 0, patience = patient_rounds;
      changed = std::chrono::steady_clock::now();
    }
    if (unchanged < patience) {
      yield();
      continue;
    }
    unchanged = 0;
    patience = std::min(2 * patience, most_patient_rounds);
    if (times >= most_times && !now.busy_objects && now.deferred_sends &&
        std::chrono::steady_clock::now() - changed > most_silence)
      throw error("C10", "a checkpoint cannot contain messages that wait for events")
          .fact("messages", std::to_string(now.deferred_sends))
          .fact("called", where)
          .because(
              "no running handler triggers these events: they belong to tasks that continue only after the checkpoint")
          .remedy("take the checkpoint when these events have been triggered");
    if (times++ < times_before_all) {
      std::vector<awaited_message> all;
      for (auto& some : run_on_all_nodes([](auto) { return call<&waited_here>(); }, where))
        all.insert(all.end(), some.begin(), some.end());
      run_on_all_nodes([&](auto) { return call<&let_through_here>(all); }, where);
    } else if (now.busy_objects || now.deferred_sends) {
      run_on_all_nodes([](auto) { return call<&let_all_through_here>(); }, where);
    }
  }
}

}  // namespace

void at_consistent_point(const std::function<void()>& then, const std::source_location& where) {
  const rank self = this_node();
  const auto let_all_go = [&] { return run_on_all_nodes([&](auto) { return call<&let_go_here>(self); }, where); };
  try {
    run_on_all_nodes([&](auto) { return call<&hold_here>(self); }, where);
    wait_until_consistent(where);
    run_on_all_nodes([](auto) { return call<&copy_here>(); }, where);
    then();
  } catch (...) {
    const auto failed = std::current_exception();
    try {
      let_all_go();
    } catch (...) {  // a failed node need not be resumed
    }
    std::rethrow_exception(failed);
  }
  let_all_go();
}

}  // namespace stretto::checkpoints
