// early_message.cpp - free blocks by size.
#include "ranks/messages/early_message.hpp"

#include <new>
#include <utility>

namespace stretto::ranks {

early_message_pool::~early_message_pool() {
  for (free_block* list : free_) {
    while (list) ::operator delete(std::exchange(list, list->next));
  }
}

std::size_t early_message_pool::class_of(std::int64_t bytes) {
  std::size_t c = 0;
  while (c < block_data.size() && bytes > block_data[c]) ++c;
  return c;
}

early_message& early_message_pool::make(envelope e, std::int64_t bytes) {
  const std::size_t c = class_of(bytes);
  used_bytes_ += block_bytes(block_data[c]);
  if (free_block* const block = free_[c]) {
    free_[c] = block->next;
    free_bytes_ -= block_bytes(block_data[c]);
    return *new (block) early_message(e, bytes);
  }
  return *new (::operator new(block_bytes(block_data[c]))) early_message(e, bytes);
}

early_message& early_message_pool::make_large(envelope e, std::int64_t bytes) {
  return *new (::operator new(block_bytes(bytes))) early_message(e, bytes);
}

void early_message_pool::free(early_message& m) {
  const std::size_t c = class_of(m.bytes);
  m.~early_message();
  if (c < block_data.size()) used_bytes_ -= block_bytes(block_data[c]);
  if (c == block_data.size() || free_bytes_ + block_bytes(block_data[c]) > most_free_bytes) {
    return ::operator delete(&m);
  }
  free_bytes_ += block_bytes(block_data[c]);
  free_[c] = new (&m) free_block{free_[c]};
}

}  // namespace stretto::ranks
