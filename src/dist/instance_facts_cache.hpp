// instance_facts_cache.hpp - facts about instances of other nodes (box, strides, memory, name): requested once and
// cached.
//
// Messages    describe: the handle. described: box, strides, memory and name. A failure is sent as the reply to the
//             request.
// Threads     any of the runtime; handlers inside job::poll.
// Cost        cached: a lock and a table lookup. Else two messages, and the task waits. At most `max_entries` are
//             cached.
#pragma once

#include <memory>
#include <mutex>
#include <source_location>
#include <unordered_map>

#include "data/other_nodes.hpp"
#include "dist/instance_names.hpp"
#include "dist/pending_requests.hpp"

namespace stretto::dist {

class instance_facts_cache {
 public:
  static constexpr std::size_t max_entries = 4096;

  /// Before job::start.
  instance_facts_cache(job& j, pending_requests& pending, instance_names& names);

  /// Waits for the reply if the facts are not cached. Throws the failure in the reply (D01, or that of the creation),
  /// or N05.
  std::shared_ptr<const data::instance_facts> of(const detail::instance_handle& h, const char* verb,
                                                 const std::source_location& where);
  /// Removes an instance that is about to be destroyed, so that the next call asks its node.
  void forget(const detail::instance_handle& h);

 private:
  void on_query(rank from, const instance_query& m, base::thread_context& context);
  void on_description(rank from, const instance_description& m, base::thread_context& context);
  std::shared_ptr<const data::instance_facts> lookup(const detail::instance_handle& h) const;

  struct hash {
    std::size_t operator()(const detail::instance_handle& h) const noexcept {
      return std::hash<std::uint64_t>()(h.key * 31 + reinterpret_cast<std::uintptr_t>(h.record));
    }
  };

  job& job_;
  pending_requests& pending_requests_;
  instance_names& names_;
  mutable std::mutex lock_;  // guards what follows
  std::unordered_map<detail::instance_handle, std::shared_ptr<const data::instance_facts>, hash> facts_;
};

}  // namespace stretto::dist
