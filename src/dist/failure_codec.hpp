// failure_codec.hpp - causes on the wire: the chain of what was skipped, and the exception that it began with.
//
// An error stays an error of its code, with a line more that names its node. A std::runtime_error stays one, with its node
// behind its words. Any other exception becomes a remote_exception, which knows its type's name. The links keep their names
// and source lines, and the user reads on which node each was.
//
// Threads     any.
// Cost        a lock and an allocation per link; causes are rare.
// Invariants  (1) roots have the same name everywhere (failure::id), so that what comes twice, or home again, is known: it is the
//             same object as long as that is among the latest `most_kept` ones. (2) a cause takes at most about 8 KiB.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "dist/job.hpp"

namespace stretto::dist {

class failure_codec {
 public:
  static constexpr std::size_t most_kept = 1024;

  explicit failure_codec(const job& j) noexcept : job_(j) {}

  void write(writer& to, const failure& f);
  failure_ref read(reader& from, rank sender);

 private:
  failure_ref known(std::uint64_t id);
  /// Returns the one to use: that which is known under its name, if any.
  failure_ref keep(failure_ref root);

  const job& job_;
  std::atomic<std::uint64_t> named_{0};
  std::mutex lock_;
  std::unordered_map<std::uint64_t, failure_ref> kept_;  // by id
  std::deque<std::uint64_t> order_;                      // the oldest first
};

}  // namespace stretto::dist
