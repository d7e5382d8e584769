// errand.hpp - tasks that compute nothing, and are for nobody of the program: content goes from object to object, and from node to node.
//
// Threads     behind the state's mutex.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "data/attachments.hpp"

namespace stretto::objects {

struct objects_state;
struct task;

/// Content that comes from another node, or from an array of this one that was lent to it, until the last of it has been asked for.
class incoming_data {
 public:
  /// `shift`: from a coordinate here to that of the array.
  incoming_data(const objects_state& here, data::attachments& all, const data::attachment_name& name, std::size_t parts, const point& shift = {},
           std::shared_ptr<const void> kept = {}) noexcept
      : here_(here), all_(all), name_(name), left_(parts), shift_(shift), kept_(std::move(kept)) {}
  incoming_data(const incoming_data&) = delete;
  ~incoming_data();

  event fetch(const box& part, data::destination to, const std::source_location& where, base::thread_context& context);
  /// The message that named it may be forgotten from now on.
  void hold();
  /// It is held there already (data::far_enclosures::request).
  void is_held() noexcept { is_held_ = true; }

 private:
  const objects_state& here_;
  data::attachments& all_;
  const data::attachment_name name_;
  std::size_t left_;
  const point shift_;
  const std::shared_ptr<const void> kept_;
  bool is_held_ = false;
};

/// A task for those who tell it something, for as long as it is there. Behind the mutex.
struct task_reference {
  task* is = nullptr;
};

struct object_transfer {
  enum class kind : std::uint8_t { copy, export_elements, fetch, store } is;
  bool needs_another_node() const noexcept { return is == kind::export_elements || is == kind::fetch; }
  data::attached_array::on_exported on_exported = {};     // of lend
  std::shared_ptr<incoming_data> from = {};      // of fetch,
  std::uint32_t place_index = 0;                   // to there
  std::shared_ptr<const std::vector<std::byte>> bytes = {};  // of store: dense in C order
  std::shared_ptr<task_reference> as = {};    // of fetch, where it is asked for before it is issued,
  data::destination::named names = {};      // and once that is about to come
};

/// Content that it is to bring is asked for; it is issued when that is about to come, and takes no room before: what others wait for to
/// lend it may need the room.
void request_early(task& t, base::thread_context& context);
/// A fetch of which that has been done.
bool is_requested(const task& t) noexcept;

/// It goes there; the event ends when it is there, or when who was lent it has given it back.
event start_transfer(task& t, std::span<const event> waits, base::thread_context& context);
/// What it waited for, or the copy, has ended.
void on_transfer_ended(task& t, failure_ref cause, base::thread_context& context);
/// It cannot be done. Of what was asked for, the end comes back with this cause: true.
bool cancel_request(task& t, const failure_ref& cause, base::thread_context& context);
/// Who waits for it is told.
void fail_transfer(task& t, const failure_ref& cause, base::thread_context& context);

}  // namespace stretto::objects
