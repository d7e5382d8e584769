// shared_objects.hpp - objects that other nodes put elements into and get elements from (one-sided communication).
//
// A put is ordered behind all tasks submitted to the object before. If none of them is in the way, the elements are
// written in place. Otherwise they go to a buffer object, from which they are copied in their order. The exported data
// is thus released without waiting for tasks of this node, and nodes that put into one another's objects cannot
// deadlock.
//
// Threads     any thread of the runtime.
// Invariants  (1) a name is valid until it is ended and the operations begun before have finished.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "data/attachments.hpp"
#include "data/received_buffers.hpp"
#include "objects/task.hpp"

namespace stretto::objects {

/// The source of a put.
struct incoming_source {
  std::shared_ptr<incoming_data> from;
  std::string_view backend = {};  // the driver, and the index, of the place that has most of the data
  std::uint32_t index = 0;
};
/// Overwrites `part` with that data, after all submitted tasks and after `gate`. Returns an event that triggers when
/// the data is in place.
event write_incoming(object_record& to, const box& part, const incoming_source& what, event gate,
                     const std::source_location& where, base::thread_context& context);
/// The same with data that came in the message.
event write_incoming(object_record& to, const box& part, std::vector<std::byte>&& bytes, event gate,
                     const std::source_location& where, base::thread_context& context);
/// Exports elements once, in the state that all submitted tasks leave them in.
std::shared_ptr<data::attached_array> export_current(object_record& o, const box& part,
                                                     const std::source_location& where, base::thread_context& context);

class shared_objects final : public data::shared_arrays, public std::enable_shared_from_this<shared_objects> {
 public:
  explicit shared_objects(objects_state& s) noexcept : state_(s) {}

  std::shared_ptr<data::attached_array> export_elements(std::uint64_t shared, const box& part,
                                                        const std::source_location& where,
                                                        base::thread_context& context) override;
  placed place(std::span<const std::byte> what, event gate, const std::source_location& where,
               base::thread_context& context) override;

  /// Registers an object under a new name, from 1.
  std::uint64_t add(const detail::object_handle& h);
  /// Throws G07 if there is no such name.
  detail::object_handle find(std::uint64_t number, const std::source_location& where) const;
  /// Ends all names. The caller must not hold the mutex.
  void clear() noexcept;

  data::received_buffers buffers;

  /// The operations encoded in the bytes passed to place().
  enum class request_kind : std::uint8_t { put_bytes, put, unshare, buffer_bytes, buffer };

 private:
  struct entry {
    detail::object_handle is;
    std::uint32_t uses = 0;  // operations begun and not finished
    bool is_over = false;
  };
  [[noreturn]] void refuse(const std::source_location& where) const;
  detail::object_handle use(std::uint64_t number, const std::source_location& where);
  void end_use(std::uint64_t number) noexcept;
  void end(std::uint64_t number, const std::source_location& where);

  objects_state& state_;
  mutable std::mutex lock_;  // guards what follows; no object is destroyed under it
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, entry> all_;
};

}  // namespace stretto::objects
