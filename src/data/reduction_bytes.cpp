// reduction_bytes.cpp - encodes the contributions of a reduction: for each share its number, form, size and elements.
#include "data/reduction_record.hpp"

#include <algorithm>
#include <cstring>

namespace stretto::detail {
namespace {

struct share_head {
  std::uint32_t number;
  std::uint32_t is_array;
  std::uint64_t bytes;
};
constexpr std::uint32_t number_of_all = any_contributor;

void append(std::vector<std::byte>& to, const void* first, std::uint64_t bytes) {
  const auto* const b = static_cast<const std::byte*>(first);
  to.insert(to.end(), b, b + bytes);
}

}  // namespace

std::vector<std::byte> reduction_record::to_bytes() const {
  std::vector<std::byte> all;
  const auto add = [&](std::uint32_t number, const contribution& share) {
    if (share.array) {
      const std::uint64_t bytes = elements.volume() * kind.rhs_bytes;
      const share_head head{number, 1, bytes};
      append(all, &head, sizeof head);
      append(all, address_of(*share.array), bytes);
    }
    std::uint64_t entries = 0;
    for (const log_chunk& chunk : share.log) entries += chunk.entries;
    if (!entries) return;
    const share_head head{number, 0, entries * kind.entry_bytes};
    append(all, &head, sizeof head);
    for (const log_chunk& chunk : share.log) append(all, address_of(*chunk.held), chunk.entries * kind.entry_bytes);
  };
  add(number_of_all, all_);
  for (std::uint32_t n = 0; n < shares_.size(); ++n)
    if (shares_[n]) add(n, *shares_[n]);
  return all;
}

std::byte* reduction_record::frame_array(std::vector<std::byte>& bytes) const {
  const share_head head{number_of_all, 1, elements.volume() * kind.rhs_bytes};
  bytes.resize(sizeof head + head.bytes);
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes.data() + sizeof head;
}

void reduction_record::take_bytes(std::span<const std::byte> held, base::thread_context&) {
  const std::scoped_lock lock(mutex_);
  while (held.size() >= sizeof(share_head)) {
    share_head head;
    std::memcpy(&head, held.data(), sizeof head);
    held = held.subspan(sizeof head);
    contribution* share = &all_;
    if (head.number != number_of_all) {
      if (shares_.size() <= head.number) shares_.resize(head.number + 1);
      if (!shares_[head.number]) shares_[head.number] = std::make_unique<contribution>();
      share = shares_[head.number].get();
    }
    data::block* const block = take(head.bytes, head.bytes);
    std::memcpy(address_of(*block), held.data(), head.bytes);
    if (head.is_array) share->array = block;
    else share->log.push_back({block, head.bytes / kind.entry_bytes, head.bytes / kind.entry_bytes});
    held = held.subspan(head.bytes);
  }
}

}  // namespace stretto::detail
