#include "net/mpi/bulk_traffic.hpp"

#include <utility>

#include "net/mpi/outbox.hpp"

namespace stretto::net::mpi {

offer_note bulk_traffic::offer(std::span<const std::byte> payload, places::completion* sent) {
  const offer_note note{transfers_++, payload.size()};
  pending_offer& o = offers_[note.transfer] = {payload, {}, sent};
  if (!sent) {
    o.copied.assign(payload.begin(), payload.end());
    o.bytes = o.copied;
    outstanding_bytes_.fetch_add(o.copied.size(), std::memory_order_relaxed);
  }
  return note;
}

void bulk_traffic::drop(std::uint64_t transfer, std::vector<places::completion*>& ended) {
  const auto found = offers_.find(transfer);
  outstanding_bytes_.fetch_sub(found->second.copied.size(), std::memory_order_relaxed);
  if (found->second.sent) ended.push_back(found->second.sent);
  offers_.erase(found);
}

void bulk_traffic::send(node_number to, std::uint64_t transfer, int tag) {
  const auto found = offers_.find(transfer);
  pending_offer o = std::move(found->second);
  offers_.erase(found);
  activity_.note_transfer(o.bytes.size());
  bulk& b = in_transfer_.emplace_back(bulk{.done = o.sent, .copied = std::move(o.copied)});
  for_pieces(o.bytes.size(), [&](std::uint64_t at, std::uint64_t n) {
    must(mpi_.send(o.bytes.data() + at, n, to, tag, communicator_kind::bulk, &b.pieces.emplace_back()));
  });
}

int bulk_traffic::receive(node_number from, std::uint64_t bytes, std::byte* target, places::completion& landed) {
  activity_.note_transfer(bytes);
  bulk& b = in_transfer_.emplace_back(bulk{.done = &landed});
  const int tag = next_tag_;
  next_tag_ = tag == most_tag_ ? 0 : tag + 1;
  for_pieces(bytes, [&](std::uint64_t at, std::uint64_t n) {
    must(mpi_.receive(target + at, n, from, tag, &b.pieces.emplace_back()));
  });
  return tag;
}

bool bulk_traffic::has_ended(bulk& b) {
  for (; b.next < b.pieces.size(); ++b.next) {
    bool has_ended = false;
    must(mpi_.test(&b.pieces[b.next], &has_ended, nullptr, nullptr));
    if (!has_ended) return false;
    activity_.note_transfer(0);
  }
  return true;
}

void bulk_traffic::test(std::vector<places::completion*>& ended) {
  for (auto b = in_transfer_.begin(); b != in_transfer_.end();) {
    if (!has_ended(*b)) {
      ++b;
      continue;
    }
    outstanding_bytes_.fetch_sub(b->copied.size(), std::memory_order_relaxed);
    if (b->done) ended.push_back(b->done);
    b = in_transfer_.erase(b);
  }
}

void bulk_traffic::end_all(std::vector<places::completion*>& all) {
  for (auto& [number, o] : offers_)
    if (o.sent) all.push_back(std::exchange(o.sent, nullptr));
  for (bulk& b : in_transfer_)
    if (b.done) all.push_back(std::exchange(b.done, nullptr));
}

}  // namespace stretto::net::mpi
