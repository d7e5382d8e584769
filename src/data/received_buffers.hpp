// received_buffers.hpp - memory for elements that another node sends without an object: allocated when they are
// announced, freed after the last use.
//
// Threads     any thread of the runtime.
// Invariants  (1) a buffer is kept until its message has been handled, and until all events given to keep_until have
//             ended.
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
  /// Places what a message encodes: name, memory, element size and alignment, count; then the elements, or their
  /// attachment.
  shared_arrays::placed place(field_reader& what, bool has_elements, event gate, const std::source_location& where,
                              base::thread_context& context);

  /// The sender's number of the buffer, and the sender's node.
  struct name {
    std::uint64_t number = 0;
    std::uint64_t node = 0;
    friend bool operator==(const name&, const name&) = default;
  };
  /// Throws G09 if the buffer has been freed.
  detail::instance_handle find(const name& is, const std::source_location& where) const;
  void keep_until(const name& is, event e, const std::source_location& where);

 private:
  struct entry {
    detail::instance_handle in;
    user_event over = {};  // no one needs it
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
