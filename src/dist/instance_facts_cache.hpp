// instance_facts_cache.hpp - what instances of other nodes are: asked of their nodes once, and kept.
//
// Messages    describe: which instance; described: its box, strides, memory and name. What cannot be told is an answer
//             to the question.
// Threads     any of the runtime; handlers inside job::poll.
// Cost        known: a lock and a look into a table. Else two messages, and the task waits. Up to most_kept are kept.
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

  /// Waits for the answer unless it is known. Throws what the node answers: D01, what the creation failed with; N05.
  std::shared_ptr<const data::instance_facts> of(const detail::instance_handle& h, const char* verb,
                                                 const std::source_location& where);
  /// It is about to be destroyed: the next question finds out.
  void forget(const detail::instance_handle& h);

 private:
  void on_describe(rank from, reader& content, base::thread_context& context);
  void on_described(rank from, reader& content, base::thread_context& context);
  std::shared_ptr<const data::instance_facts> lookup(const detail::instance_handle& h) const;

  struct hash {
    std::size_t operator()(const detail::instance_handle& h) const noexcept {
      return std::hash<std::uint64_t>()(h.key * 31 + reinterpret_cast<std::uintptr_t>(h.record));
    }
  };

  job& job_;
  pending_requests& pending_requests_;
  instance_names& names_;
  const message_kind describe_, described_;
  mutable std::mutex lock_;  // guards what follows
  std::unordered_map<detail::instance_handle, std::shared_ptr<const data::instance_facts>, hash> facts_;
};

}  // namespace stretto::dist
