// collective_calls.hpp - calls one function on every node of the job and collects the results.
//
// Threads     tasks: they wait.
#pragma once

#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/remote.hpp>

#include <exception>
#include <string>
#include <vector>

#include "mobile/mobile_objects.hpp"

namespace stretto::checkpoints {

inline mobiles::mobile_objects& objects_here(const char* verb = "save_checkpoint") {
  return *base::require_current(verb).runtime->get<mobiles::mobile_objects>(base::floor_slot::mobile);
}

/// The sentence about the failed node, if the call failed because of one (N05); else empty.
inline std::string node_failure_in(const std::exception_ptr& what) {
  try {
    std::rethrow_exception(what);
  } catch (const poisoned& e) {
    return node_failure_in(e.root());
  } catch (const error& e) {
    return e.code() == "N05" ? e.sentence() : std::string();
  } catch (...) {
    return {};
  }
}

/// Waits for all results. Then throws C09 if a node failed, or else the first exception that a node threw.
template <class R>
std::vector<R> results_of(const std::vector<future<R>>& calls) {
  std::vector<R> all;
  std::exception_ptr first;
  for (const auto& f : calls) {
    try {
      all.push_back(f.get());
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (!first) return all;
  const std::string loss = node_failure_in(first);
  if (loss.empty()) std::rethrow_exception(first);
  throw error("C09", "a node failed while a checkpoint was taken or restored")
      .because(loss)
      .remedy("restart from the last checkpoint, which is unchanged")
      .caused_by(first);
}

/// Its destructor waits until all calls have ended, successfully or not.
template <class R>
class completion_guard {
 public:
  explicit completion_guard(const std::vector<future<R>>& calls) noexcept : calls_(calls) {}
  completion_guard(const completion_guard&) = delete;
  ~completion_guard() {
    for (const auto& f : calls_) detail::join(f, std::source_location::current());
  }

 private:
  const std::vector<future<R>>& calls_;
};

/// Starts the call on every node and does not wait. `call_for(node)` returns a remote_call with a result.
template <class F>
auto call_all_nodes(F&& call_for, const std::source_location& where) {
  std::vector<decltype(async(at_node(0), call_for(0u), where))> calls;
  for (std::uint32_t n = 0; n < job_nodes(); ++n) calls.push_back(async(at_node(n), call_for(n), where));
  return calls;
}
template <class F>
auto run_on_all_nodes(F&& call_for, const std::source_location& where) {
  return results_of(call_all_nodes(call_for, where));
}

}  // namespace stretto::checkpoints
