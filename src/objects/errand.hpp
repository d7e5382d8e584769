// errand.hpp - tasks that compute nothing, and are for nobody of the program: content goes from object to object, and from node to node.
//
// Threads     behind the state's mutex.
#pragma once

#include <cstdint>
#include <memory>

#include "data/enclosures.hpp"

namespace stretto::objects {

struct objects_state;
struct task;

/// An object that has come from another node, until the last of its content has been asked for.
class incoming {
 public:
  incoming(const objects_state& here, data::far_enclosures& others, const data::enclosure_name& name, std::size_t parts) noexcept
      : here_(here), others_(others), name_(name), left_(parts) {}
  incoming(const incoming&) = delete;
  ~incoming();

  event fetch(const box& part, const detail::instance_handle& into, std::span<const event> after, const std::source_location& where,
              base::thread_context& context);
  /// The message that named it may be forgotten from now on.
  void hold();

 private:
  const objects_state& here_;
  data::far_enclosures& others_;
  const data::enclosure_name name_;
  std::size_t left_;
  bool is_held_ = false;
};

struct errand {
  enum class kind : std::uint8_t { copy, lend, fetch } is;
  data::enclosed_array::lent lent = {};     // of lend
  std::shared_ptr<incoming> from = {};      // of fetch,
  std::uint32_t site = 0;                   // to there
};

/// It goes there; the event ends when it is there, or when who was lent it has given it back.
event begin_errand(task& t, std::span<const event> waits, base::thread_context& context);
/// What it waited for, or the copy, has ended.
void errand_ended(task& t, failure_ref cause, base::thread_context& context);
/// It cannot be done.
void errand_failed(task& t, const failure_ref& cause, base::thread_context& context);

}  // namespace stretto::objects
