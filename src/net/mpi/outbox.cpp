#include "net/mpi/outbox.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace stretto::net::mpi {
namespace {

constexpr double soon_nanoseconds = 2000, long_nanoseconds = 10'000;
constexpr std::uint32_t few = 4;

trace::ticks ticks_of(double nanoseconds) {
  trace::clock::start();
  return static_cast<trace::ticks>(nanoseconds / trace::clock::to_nanoseconds(1));
}

}  // namespace

void mpi_failed(const char* fault, const std::string& under_way) {
  error e("N07", std::string("MPI failed: ") + fault);
  if (!under_way.empty()) e.fact("under way", under_way);
  throw e;
}

void outbox::not_sent(const mpi_message& l, const char* fault) const {
  packet_front front;
  std::memcpy(&front, l.bytes.data(), sizeof front);
  const std::string what =
      takes_credit(front.kind) ? '"' + handlers_.name(front.handler) + '"' : "the transport itself";
  mpi_failed(fault, std::to_string(l.used) + " bytes for " + what + " on node " + std::to_string(l.to));
}

outbox::outbox(const calls& mpi, const handlers& all, int nodes)
    : mpi_(mpi),
      handlers_(all),
      soon_(ticks_of(soon_nanoseconds)),
      long_(ticks_of(long_nanoseconds)),
      peers_(static_cast<std::size_t>(nodes)) {}

void outbox::mpi_message::add(packet_front front, std::span<const std::byte> head,
                              std::span<const std::byte> rest) noexcept {
  std::byte* at = bytes.data() + next_packet(used);
  std::memcpy(at, &front, sizeof front);
  at += sizeof front;
  for (const auto part : {head, rest}) {  // std::copy goes byte by byte here
    if (!part.empty()) std::memcpy(at, part.data(), part.size());
    at += part.size();
  }
  used = static_cast<std::size_t>(at - bytes.data());
}

outbox::mpi_message outbox::make_message(node_number to) {
  mpi_message l;
  l.to = to;
  if (spare_.empty()) {
    l.bytes.resize(most_packet_bytes);
  } else {
    l.bytes = std::move(spare_.back());
    spare_.pop_back();
  }
  return l;
}

void outbox::add_waiting_packet(mpi_message& l, packet_front front, std::span<const std::byte> head,
                                std::span<const std::byte> rest) noexcept {
  const std::size_t before = l.used;
  l.add(front, head, rest);
  outstanding_bytes_.store(outstanding_bytes() + (l.used - before), std::memory_order_relaxed);
}

void outbox::keep(std::vector<std::byte>&& memory) {
  if (spare_.size() < 2 * credits) spare_.push_back(std::move(memory));
}

bool outbox::is_flooded(peer& p, trace::ticks now) const noexcept {
  p.posted_soon = now - p.last_posted < soon_ ? p.posted_soon + 1 : 0;
  p.last_posted = now;
  return p.posted_soon >= few;
}

void outbox::post(node_number to, packet_kind kind, handler_number handler, std::span<const std::byte> head,
                  std::span<const std::byte> rest, calling may) {
  peer& p = peers_[to];
  const packet_front front{.kind = kind,
                           .handler = handler,
                           .head_bytes = static_cast<std::uint16_t>(head.size()),
                           .rest_bytes = static_cast<std::uint16_t>(rest.size())};
  const auto now = trace::clock::now();
  const bool needs_credit = takes_credit(kind), may_go = may == calling::allowed,
             shall_go = may_go && !(needs_credit && is_flooded(p, now));
  if (shall_go && (!needs_credit || (p.credit && p.waiting.empty()))) {
    mpi_message l = make_message(to);
    l.takes_credit = needs_credit;
    l.add(front, head, rest);
    return send(std::move(l));
  }
  if (!needs_credit) {  // overtakes packets that need credit
    p.waiting.push_front(make_message(to));
    add_waiting_packet(p.waiting.front(), front, head, rest);
  } else {
    if (p.waiting.empty() || !p.waiting.back().takes_credit || !p.waiting.back().has_room_for(bytes_of(front))) {
      if (may_go) post_waiting(p);
      p.waiting.push_back(make_message(to));
      p.waiting.back().takes_credit = true;
      p.begun = now;
    }
    add_waiting_packet(p.waiting.back(), front, head, rest);
    if (shall_go || (may_go && now - p.begun > long_)) post_waiting(p);
  }
  if (!std::exchange(p.is_marked, true)) marked_.push_back(to);
}

void outbox::send(mpi_message&& l) {
  peer& p = peers_[l.to];
  if (l.takes_credit) --p.credit;
  packet_front front;
  std::memcpy(&front, l.bytes.data(), sizeof front);
  front.returned = static_cast<std::uint8_t>(std::exchange(p.to_return, 0));
  std::memcpy(l.bytes.data(), &front, sizeof front);
  must_send(l, mpi_.send(l.bytes.data(), l.used, l.to, 0, communicator_kind::heads, &l.is));
  bool has_ended = false;  // small messages mostly have
  must_send(l, mpi_.test(&l.is, &has_ended, nullptr, nullptr));
  if (has_ended) return keep(std::move(l.bytes));
  if (p.sending.empty()) sends_to_.push_back(l.to);
  p.sending.push_back(std::move(l));
}

void outbox::post_waiting(peer& p) {
  while (!p.waiting.empty()) {
    if (p.waiting.front().takes_credit && !p.credit) return;
    mpi_message l = std::move(p.waiting.front());
    p.waiting.pop_front();
    outstanding_bytes_.store(outstanding_bytes() - l.used, std::memory_order_relaxed);
    send(std::move(l));
  }
}

void outbox::post_marked() {
  for (const node_number to : marked_) {
    peers_[to].is_marked = false;
    post_waiting(peers_[to]);  // packets without credit are sent when credit returns
  }
  marked_.clear();
}

// Removes all sends at the front that have ended. One per poll would not be enough: a node that sends faster than that
// would keep every message of a flood.
void outbox::test_sending() {
  for (std::size_t nodes = std::min<std::size_t>(few, sends_to_.size()); nodes > 0; --nodes) {
    const node_number to = sends_to_.front();
    sends_to_.pop_front();
    auto& sending = peers_[to].sending;
    while (!sending.empty()) {
      bool has_ended = false;
      must_send(sending.front(), mpi_.test(&sending.front().is, &has_ended, nullptr, nullptr));
      if (!has_ended) break;
      keep(std::move(sending.front().bytes));
      sending.pop_front();
    }
    if (!sending.empty()) sends_to_.push_back(to);
  }
}

void outbox::on_credit(node_number from, std::uint32_t returned) {
  peer& p = peers_[from];
  p.credit += returned;
  post_waiting(p);
}

}  // namespace stretto::net::mpi
