// errand.hpp - tasks that compute nothing, and are for nobody of the program: content goes from object to object, and from node to node.
//
// Threads     behind the state's mutex.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "data/enclosures.hpp"

namespace stretto::objects {

struct objects_state;
struct task;

/// Content that comes from another node, or from an array of this one that was lent to it, until the last of it has been asked for.
class incoming {
 public:
  /// `shift`: from a coordinate here to that of the array.
  incoming(const objects_state& here, data::enclosures& all, const data::enclosure_name& name, std::size_t parts, const point& shift = {},
           std::shared_ptr<const void> kept = {}) noexcept
      : here_(here), all_(all), name_(name), left_(parts), shift_(shift), kept_(std::move(kept)) {}
  incoming(const incoming&) = delete;
  ~incoming();

  event fetch(const box& part, const detail::instance_handle& into, std::span<const event> after, const std::source_location& where,
              base::thread_context& context);
  /// The message that named it may be forgotten from now on.
  void hold();
  /// It is held there already (data::far_enclosures::request).
  void is_held() noexcept { is_held_ = true; }

 private:
  const objects_state& here_;
  data::enclosures& all_;
  const data::enclosure_name name_;
  std::size_t left_;
  const point shift_;
  const std::shared_ptr<const void> kept_;
  bool is_held_ = false;
};

struct errand {
  enum class kind : std::uint8_t { copy, lend, fetch, store } is;
  bool needs_another_node() const noexcept { return is == kind::lend || is == kind::fetch; }
  data::enclosed_array::lent lent = {};     // of lend
  std::shared_ptr<incoming> from = {};      // of fetch,
  std::uint32_t site = 0;                   // to there
  std::shared_ptr<const std::vector<std::byte>> bytes = {};  // of store: dense in C order
};

/// It goes there; the event ends when it is there, or when who was lent it has given it back.
event begin_errand(task& t, std::span<const event> waits, base::thread_context& context);
/// What it waited for, or the copy, has ended.
void errand_ended(task& t, failure_ref cause, base::thread_context& context);
/// It cannot be done.
void errand_failed(task& t, const failure_ref& cause, base::thread_context& context);

}  // namespace stretto::objects
