// received_buffers.hpp - memory for elements that come from another node without an object: made when they are announced, given back when
// nobody needs it any more.
//
// Threads     any of the runtime.
// Invariants  (1) a buffer lasts until the message that brought it is over, and until each event has ended by which it is kept.
#pragma once

#include <stretto/fields.hpp>

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "data/attachments.hpp"

namespace stretto::data {

class received_buffers {
 public:
  /// What a message brings: its name, memory, size and alignment of an element, count; then the elements, or where they are lent.
  shared_arrays::placed place(field_reader& what, bool has_elements, event gate, const std::source_location& where,
                              base::thread_context& context);

  /// Which one: the sender's number of it, and the sender's node.
  struct name {
    std::uint64_t number = 0;
    std::uint64_t node = 0;
    friend bool operator==(const name&, const name&) = default;
  };
  /// Throws G09 if it is over.
  detail::instance_handle find(const name& is, const std::source_location& where) const;
  void keep_until(const name& is, event e, const std::source_location& where);

 private:
  struct entry {
    detail::instance_handle in;
    user_event over = {};  // nobody needs it
    std::vector<event> kept_by = {};
  };
  struct hash {
    std::size_t operator()(const name& n) const noexcept { return n.number * 0x9e3779b97f4a7c15u ^ n.node; }
  };
  void end(const name& is, const std::source_location& where) noexcept;

  mutable std::mutex lock_;  // guards what follows
  std::unordered_map<name, entry, hash> all_;
};

}  // namespace stretto::data
