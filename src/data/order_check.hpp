// order_check.hpp - STRETTO_CHECK=1: which accesses to instances nothing orders, and which read what nothing wrote.
//
// Accesses are looked at in the order in which operations begin; what each follows is happens_before's matter: the
// preconditions of operations, tasks and merges, what a task has waited for, and who spawned it. Of other events (user events,
// barriers, reservations, promises, graphs) it is not known what they follow, so they count as following everything
// that has begun: what is said is certain, silence is not.
//
// Threads     any; one lock.
// Cost        exists only where asked for. An operation: the clocks of what it follows, and a look at the accesses that
//             its instances remember.
// Memory      bounded: see happens_before and access_history; a record for each task at a time.
// Source      happens-before races: Lamport 1978; see happens_before and access_history.
#pragma once

#include <stretto/error.hpp>

#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/order_observer.hpp"
#include "data/access_history.hpp"
#include "data/happens_before.hpp"
#include "data/operation_request.hpp"

namespace stretto {
class preconditions;
namespace data {

/// The runtime's observer from before its data floor starts until no thread of it is left.
class order_check final : public base::order_observer {
 public:
  using node_id = happens_before::node_id;

  void spawned(const void* task, base::thread_context& by) noexcept override;
  void follows(const void* task, base::awaited precondition) noexcept override;
  void reused(const void* record) noexcept override;
  void waited(base::awaited what, base::thread_context& by) noexcept override;
  void synchronised(base::thread_context& by) noexcept override;
  void merges(std::uint64_t merged, base::awaited input) noexcept override;

  /// Something that the calling thread submits, which runs after `after` and once the instances exist, and ends with `done`.
  node_id submitted(const preconditions& after, std::span<const detail::instance_handle> used, event done,
                    base::thread_context& by);
  /// The event with which it ends, where that is made later.
  void ends_with(node_id n, event done);

  /// The operation begins: throws D21 if an access that conflicts is not ordered with it, D22 if it reads elements that
  /// nothing has written.
  void begins(node_id n, const operation_request& r);
  /// The instance goes: the error D21 if something that used it is not ordered before.
  std::optional<error> check_destruction(node_id n, const detail::instance_handle& h);
  /// Accesses of an operation of which only that is known.
  void untracked(const operation_request& r);
  /// The program reads and writes the elements itself from now on, which is not seen.
  void opened(const detail::instance_handle& h);
  /// Fills memory with what is likely to be noticed where it is read.
  static void poison(const detail::instance_record& r) noexcept;

  /// Those of a data floor that has ended.
  void forget_instances();

  /// How much is remembered.
  struct sizes {
    std::size_t tasks, events, chains, instances, accesses;
  };
  sizes size();

 private:
  struct access : element_access {
    const detail::instance_handle* instance = nullptr;
    access_history* past = nullptr;
  };

  happens_before::wait_history& wait_history_of(base::thread_context& by);
  /// Its node; 0 for what has always happened, `unknown` for what is not followed up.
  node_id of(base::awaited what);
  void follow(node_id n, base::awaited what);
  access_history& history_of(const detail::instance_handle& h);
  void collect(const operation_request& r);
  void add(const detail::instance_handle& h, const box& where, access_kind kind, const operation_request& r);
  std::optional<error> unwritten(const operation_request& r);
  std::optional<error> conflict(const access& a);

  static constexpr node_id unknown = ~node_id{0};

  std::mutex mutex_;
  happens_before order_;
  std::unordered_map<const void*, happens_before::wait_history> tasks_;   // by record
  std::unordered_map<const void*, happens_before::wait_history> bodies_;  // by worker: what runs there and is no task
  happens_before::wait_history outside_;                                  // whatever else
  std::unordered_map<std::uint64_t, access_history> instances_;     // by key
  std::vector<access> now_;                                         // of the operation that is looked at
};

}  // namespace data
}  // namespace stretto
