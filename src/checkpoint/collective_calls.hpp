// collective_calls.hpp - the same on every node of the job, and all of their answers.
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

/// Which node has ended, if that is why what was asked of it has; else empty.
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

/// Waits for all, and throws C09 then if a node did not answer because it is lost; what one has thrown itself, else.
template <class R>
std::vector<R> results_of(const std::vector<future<R>>& asked) {
  std::vector<R> all;
  std::exception_ptr first;
  for (const auto& f : asked) {
    try {
      all.push_back(f.get());
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (!first) return all;
  const std::string loss = node_failure_in(first);
  if (loss.empty()) std::rethrow_exception(first);
  throw error("C09", "a node was lost while a checkpoint was taken or restored")
      .because(loss)
      .remedy("begin again from the last checkpoint, which stays as it is")
      .caused_by(first);
}

/// Waits when it goes until nobody does what all were asked any more, in whatever way that has ended.
template <class R>
class completion_guard {
 public:
  explicit completion_guard(const std::vector<future<R>>& asked) noexcept : asked_(asked) {}
  completion_guard(const completion_guard&) = delete;
  ~completion_guard() {
    for (const auto& f : asked_) try { wait(f); } catch (...) {}
  }

 private:
  const std::vector<future<R>>& asked_;
};

/// `call_for(node)` is a remote_call that returns a value. Does not wait.
template <class F>
auto call_all_nodes(F&& call_for, const std::source_location& where) {
  std::vector<decltype(async(at_node(0), call_for(0u), where))> asked;
  for (std::uint32_t n = 0; n < job_nodes(); ++n) asked.push_back(async(at_node(n), call_for(n), where));
  return asked;
}
template <class F>
auto run_on_all_nodes(F&& call_for, const std::source_location& where) {
  return results_of(call_all_nodes(call_for, where));
}

}  // namespace stretto::checkpoints
