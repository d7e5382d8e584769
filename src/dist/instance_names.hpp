// instance_names.hpp - the instances of this node that others asked for, by the names that those gave them.
//
// Who asks for an instance on another node gets its handle at once, so the handle holds a name: both nodes, and a number of who asked.
// A name may reach its owner by way of a third node before the request does; what is to be done with it then waits for that.
//
// Threads     any of the runtime.
// Cost        a lock and a look into a table. Names of what was destroyed are swept out as the table grows.
// Invariants  (1) requests of one node come in the order of their numbers, so that a number is of the future, or of the past.
#pragma once

#include <stretto/instance.hpp>

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "dist/job.hpp"

namespace stretto::dist {

struct instance_name {
  rank creator = 0;
  std::uint64_t number = 0;  // of the creator for that owner, from 1
};

class instance_names {
 public:
  explicit instance_names(const job& j) : job_(j) {}
  /// After job::start.
  void start() { latest_.assign(job_.nodes(), 0); }

  /// The handle of that name, for every node.
  detail::instance_handle handle_of(rank owner, const instance_name& name) const noexcept;
  static bool is_name(const detail::instance_handle& h) noexcept;
  instance_name name_in(const detail::instance_handle& h) const noexcept;

  /// What has become of a request; either may be null.
  struct creation_result {
    detail::instance_handle made;
    failure_ref cause;
  };
  /// It has come to this.
  void announce(const instance_name& name, creation_result is, base::thread_context& context);

  /// Nothing for what is not there yet. Throws D01 for what is no more, and why it could not be made.
  detail::instance_handle find(const instance_name& name, const char* verb, const std::source_location& where);

  /// Runs `then` with the handle, or with a cause: now, or once the request has come. Of a handle that is no name, at once.
  using resolved = std::function<void(const detail::instance_handle& near, failure_ref cause, base::thread_context& context)>;
  void resolve(const detail::instance_handle& h, const char* verb, const std::source_location& where, base::thread_context& context,
               resolved then);

  void lost(rank creator, base::thread_context& context) noexcept;

 private:
  struct waiting {
    const char* verb;
    std::source_location where;
    resolved then;
  };
  static std::uint64_t key_of(const instance_name& n) noexcept { return n.number << 15 | n.creator; }
  creation_result lookup(const instance_name& name, const char* verb, const std::source_location& where) const;
  void sweep();

  const job& job_;
  mutable std::mutex lock_;  // guards what follows
  std::vector<std::uint64_t> latest_;  // by creator: the number that came last
  std::unordered_map<std::uint64_t, creation_result> results_;  // by key_of
  std::size_t sweep_size_ = 64;          // so many names
  std::unordered_map<std::uint64_t, std::vector<waiting>> waiting_;
};

}  // namespace stretto::dist
