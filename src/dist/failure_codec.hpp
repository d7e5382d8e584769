// failure_codec.hpp - encodes failures in messages: the chain of skipped work and the exception that it began with.
//
// An error stays an error of its code and gets one more line that names its node. A std::runtime_error stays one; its
// node is appended to its text. Any other exception becomes a remote_exception, which knows the name of its type. The
// links of the chain keep their names and source lines, and the user reads the node of each.
//
// Threads     any.
// Cost        a lock and an allocation per link; failures are rare.
// Invariants  (1) a root has the same id on every node (failure::id). A root that arrives twice, or returns to its
//             node, is the same object, as long as it is among the latest `most_kept`. (2) an encoded failure has at
//             most about 8 KiB. (3) read refuses bytes that no node could have written (reader::is_whole), and never
//             returns null.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "dist/job.hpp"

namespace stretto::dist {

class failure_codec final : public failure_fields {
 public:
  static constexpr std::size_t most_kept = 1024;

  explicit failure_codec(job& j) noexcept : job_(j) { j.set_failure_fields(*this); }

  void write(writer& to, const failure& f) override;
  failure_ref read(reader& from, rank sender) override;

 private:
  /// The stored root with that id, or null.
  failure_ref known(std::uint64_t id);
  /// Stores the root. Returns the stored root of the same id if there is one.
  failure_ref keep(failure_ref root);

  const job& job_;
  std::atomic<std::uint64_t> named_{0};  // roots that got their id here
  std::mutex lock_;
  std::unordered_map<std::uint64_t, failure_ref> kept_;  // by id
  std::deque<std::uint64_t> order_;                      // the ids of kept_, oldest first
};

}  // namespace stretto::dist
