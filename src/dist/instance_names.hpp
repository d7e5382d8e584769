// instance_names.hpp - maps the names that other nodes gave to instances of this node to the instances.
//
// A node that creates an instance on another node gets a handle at once. That handle holds a name: both nodes and a
// sequence number of the creating node. A third node may send the name to the owner before the creation request
// arrives; an operation on the name then waits for the creation.
//
// Threads     any of the runtime.
// Cost        a lock and a table lookup. As the table grows, names of destroyed instances are removed.
// Invariants  (1) creation requests of one node arrive in the order of their numbers. So a number above the latest one
//             belongs to a request that is still to come, and an unknown lower number to a destroyed instance.
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
  std::uint64_t number = 0;  // counts per creator and owner, from 1
};

class instance_names {
 public:
  explicit instance_names(const job& j) : job_(j) {}
  /// After job::start.
  void start() { latest_.assign(job_.nodes(), 0); }

  /// The handle that holds that name; it is valid on every node.
  detail::instance_handle handle_of(rank owner, const instance_name& name) const noexcept;
  static bool is_name(const detail::instance_handle& h) noexcept;
  instance_name name_in(const detail::instance_handle& h) const noexcept;

  /// The result of a creation request; both members are null while it is pending.
  struct creation_result {
    detail::instance_handle made;
    failure_ref cause;
  };
  /// Stores the result of a creation request, and calls what resolve() has stored for it.
  void announce(const instance_name& name, creation_result is, base::thread_context& context);

  /// The local handle of that instance; empty if the request has not arrived. Throws D01 if the instance was destroyed,
  /// or the failure of its creation. `verb` is the operation that the program has called, for the message of D01.
  detail::instance_handle find(const instance_name& name, const char* verb, const std::source_location& where);

  /// Calls `then` with the local handle or with a failure: at once if `h` is no name or is known, else when the request
  /// arrives.
  using resolved =
      std::function<void(const detail::instance_handle& near, failure_ref cause, base::thread_context& context)>;
  void resolve(const detail::instance_handle& h, const char* verb, const std::source_location& where,
               base::thread_context& context, resolved then);

  /// That node has failed: its requests will not arrive. Fails what waits for them.
  void lost(rank creator, base::thread_context& context) noexcept;

 private:
  /// A call of resolve() for a request that has not arrived.
  struct waiting {
    const char* verb;
    std::source_location where;
    resolved then;
  };
  static std::uint64_t key_of(const instance_name& n) noexcept { return n.number << 15 | n.creator; }
  /// As find(), with a failure instead of an exception. Requires the lock.
  creation_result lookup(const instance_name& name, const char* verb, const std::source_location& where) const;
  /// Removes the results of instances that were destroyed. Requires the lock.
  void sweep();

  const job& job_;
  mutable std::mutex lock_;                                     // guards what follows
  std::vector<std::uint64_t> latest_;                           // by creator: the highest number that has arrived
  std::unordered_map<std::uint64_t, creation_result> results_;  // by key_of
  std::size_t sweep_size_ = 64;                                 // size of results_ at which to sweep
  std::unordered_map<std::uint64_t, std::vector<waiting>> waiting_;
};

}  // namespace stretto::dist
