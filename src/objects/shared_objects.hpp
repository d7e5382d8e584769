// shared_objects.hpp - objects that other nodes put elements into, and get them from; and what they ask for, done here.
//
// What comes is written behind all that was submitted to the object before. If nothing of that is in the way, it goes straight to its
// place; else to an object beside it, from which it is copied when its turn has come: so what was lent for it is given back without
// waiting for anything here, and nodes that put into one another's objects cannot wait for one another.
//
// Threads     any of the runtime.
// Invariants  (1) a name lasts until it is ended, and until what was begun before that needs it no more.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "data/attachments.hpp"
#include "data/received_buffers.hpp"
#include "objects/task.hpp"

namespace stretto::objects {

/// Content on its way here.
struct incoming_source {
  std::shared_ptr<incoming_data> from;
  std::string_view backend = {};  // of where most of it lies, and which one of those
  std::uint32_t index = 0;
};
/// Overwrites `part` with it, behind all that was submitted, but not before `gate`; the event ends when it is there.
event write_incoming(object_record& to, const box& part, const incoming_source& what, event gate, const std::source_location& where,
            base::thread_context& context);
/// The same with these bytes.
event write_incoming(object_record& to, const box& part, std::vector<std::byte>&& bytes, event gate, const std::source_location& where,
            base::thread_context& context);
/// Elements of it as all leaves them that is submitted by now, lent once.
std::shared_ptr<data::attached_array> export_current(object_record& o, const box& part, const std::source_location& where,
                                               base::thread_context& context);

class shared_objects final : public data::shared_arrays, public std::enable_shared_from_this<shared_objects> {
 public:
  explicit shared_objects(objects_state& s) noexcept : state_(s) {}

  std::shared_ptr<data::attached_array> export_elements(std::uint64_t shared, const box& part, const std::source_location& where,
                                             base::thread_context& context) override;
  placed place(std::span<const std::byte> what, event gate, const std::source_location& where, base::thread_context& context) override;

  /// A new name for it, from 1.
  std::uint64_t add(const detail::object_handle& h);
  /// Throws G07.
  detail::object_handle find(std::uint64_t number, const std::source_location& where) const;
  /// All names end. Not behind the mutex.
  void clear() noexcept;

  data::received_buffers buffers;

  /// What the bytes of place ask for.
  enum class request_kind : std::uint8_t { put_bytes, put, unshare, buffer_bytes, buffer };

 private:
  struct entry {
    detail::object_handle is;
    std::uint32_t uses = 0;  // begun, and not over
    bool is_over = false;
  };
  [[noreturn]] void refuse(const std::source_location& where) const;
  detail::object_handle use(std::uint64_t number, const std::source_location& where);
  void end_use(std::uint64_t number) noexcept;
  void end(std::uint64_t number, const std::source_location& where);

  objects_state& state_;
  mutable std::mutex lock_;  // guards what follows; no object ends behind it
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, entry> all_;
};

}  // namespace stretto::objects
