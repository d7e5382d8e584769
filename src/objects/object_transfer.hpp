// object_transfer.hpp - internal tasks without a kernel: they move data between objects, and between nodes.
//
// Threads     the thread that holds the state's mutex.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "data/attachments.hpp"

namespace stretto::objects {

struct objects_state;
struct task;

/// Data that comes from another node, or from an attachment of this node, until its last part has been requested.
class incoming_data {
 public:
  /// `shift`: added to a coordinate here to find that of the array.
  incoming_data(const objects_state& here, data::attachments& all, const data::attachment_name& name, std::size_t parts,
                const point& shift = {}, std::shared_ptr<const void> kept = {}) noexcept
      : here_(here), all_(all), name_(name), left_(parts), shift_(shift), kept_(std::move(kept)) {}
  incoming_data(const incoming_data&) = delete;
  ~incoming_data();

  event fetch(const box& part, data::destination to, const std::source_location& where, base::thread_context& context);
  /// Keeps the attachment: the message that named it may be dropped from now on.
  void hold();
  /// The attachment is held already (data::remote_attachments::request).
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

/// A reference to a task that is cleared when the task ends. Guarded by the mutex.
struct task_reference {
  task* is = nullptr;
};

struct object_transfer {
  enum class kind : std::uint8_t { copy, export_elements, fetch, store } is;
  bool needs_another_node() const noexcept { return is == kind::export_elements || is == kind::fetch; }
  data::attached_array::on_exported on_exported = {};        // of export_elements
  std::shared_ptr<incoming_data> from = {};                  // of fetch: the source,
  std::uint32_t place_index = 0;                             // and the index of the execution place that receives it
  std::shared_ptr<const std::vector<std::byte>> bytes = {};  // of store: dense, in C order
  std::shared_ptr<task_reference> as = {};                   // of a fetch that is requested before it is issued
  data::destination::named names = {};  // of such a fetch: takes the target once the data is about to arrive
};

/// Requests the data of a fetch before the task is issued. The task is issued when the data is about to arrive, and
/// takes no memory before: tasks that must end before the data can be exported may need that memory.
void request_early(task& t, base::thread_context& context);
/// Whether request_early was called for this fetch.
bool is_requested(const task& t) noexcept;

/// Starts the transfer. The event ends when the data is in place, or when the importer has released the exported data.
event start_transfer(task& t, std::span<const event> waits, base::thread_context& context);
/// Handles the end of the preconditions of an export, or of the transfer itself.
void on_transfer_ended(task& t, failure_ref cause, base::thread_context& context);
/// Cancels a fetch that was requested early. Returns true if there was one; its event then ends with this cause.
bool cancel_request(task& t, const failure_ref& cause, base::thread_context& context);
/// Reports the failure to the receiver of an export and to those that wait for the transfer.
void fail_transfer(task& t, const failure_ref& cause, base::thread_context& context);

}  // namespace stretto::objects
