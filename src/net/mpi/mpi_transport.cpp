#include "net/mpi/mpi_transport.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/mpi/mpi_library.hpp"
#include "net/mpi/packet.hpp"

namespace stretto::net::mpi {
namespace {

constexpr std::size_t ring_size = 64;

void must(const char* fault) {
  if (fault) throw error("N07", std::string("MPI failed: ") + fault);
}

bool takes_credit(packet_kind k) noexcept { return k == packet_kind::eager || k == packet_kind::offer; }

packet_front front_of(const std::vector<std::byte>& packet) noexcept {
  packet_front front;
  std::memcpy(&front, packet.data(), sizeof front);
  return front;
}

/// One message on its way to MPI, or in its hands.
struct letter {
  std::vector<std::byte> bytes;
  node_number to;
  request is = {};

  bool takes_credit() const noexcept { return mpi::takes_credit(front_of(bytes).kind); }
};

/// A payload that its sender keeps until it is asked for.
struct offered {
  node_number to;
  std::span<const std::byte> bytes;
  std::vector<std::byte> copied;
  places::completion* sent;
};

/// Pieces of a payload that MPI moves.
struct bulk {
  std::vector<request> pieces;
  std::size_t next = 0;  // the first that has not ended
  places::completion* done;
  std::vector<std::byte> copied = {};  // kept until the last has gone
  int tag = -1;                        // of a receive
};

struct peer {
  std::uint32_t credit = credits, to_return = 0;
  std::deque<letter> waiting;  // without credit, or for the thread that may call MPI
};

class mpi_transport final : public transport {
 public:
  mpi_transport(const calls& mpi, const handlers& all, const started& is)
      : transport(all), mpi_(mpi), is_(is), peers_(static_cast<std::size_t>(is.size)), ring_(ring_size) {
    for (auto& r : ring_) {
      r.bytes.resize(most_packet_bytes);
      must(mpi_.ring_receive(r.bytes.data(), r.bytes.size(), &r.is));
    }
    must(mpi_.barrier());  // all rings are there
  }
  ~mpi_transport() override {
    while (true) {
      std::scoped_lock lock(lock_);
      test_sends();
      if (sending_.empty()) break;
    }
    mpi_.barrier();
    for (auto& r : ring_) mpi_.cancel(&r.is);
    mpi_.stop();
  }

  node_number self() const noexcept override { return static_cast<node_number>(is_.rank); }
  std::uint32_t nodes() const noexcept override { return static_cast<std::uint32_t>(is_.size); }
  bool is_pending() const noexcept override { return true; }  // another may have sent
  std::uint64_t room_for(node_number to) const noexcept override {
    std::scoped_lock lock(lock_);
    const peer& p = peers_[to];
    return p.waiting.empty() ? std::uint64_t{p.credit} * most_eager_bytes : 0;
  }
  traffic counted() const noexcept override {
    std::scoped_lock lock(lock_);
    return count_;
  }
  std::size_t poll() override;

  void receive(node_number from, std::uint64_t number, std::uint64_t bytes, std::byte* target, places::completion& landed);
  void drop(node_number from, std::uint64_t number);

 protected:
  void send_checked(const message& m) override;

 private:
  struct ring_slot {
    std::vector<std::byte> bytes;
    request is = {};
  };
  struct asked {  // receives that wait for the thread that may call MPI
    node_number from;
    std::uint64_t number, bytes;
    std::byte* target;
    places::completion* landed;
  };

  bool may_call() const noexcept { return is_.level >= threads::serialized || std::this_thread::get_id() == thread_; }

  letter make_letter(node_number to, packet_front front, std::span<const std::byte> head, std::span<const std::byte> rest);
  void post(letter&& l);
  void post_now(letter&& l);
  void post_waiting(node_number to);
  void answer(node_number to, packet_kind kind, std::uint64_t transfer, int tag);
  void post_receive(const asked& a);
  void send_bulk(node_number to, std::uint64_t number, int tag);
  void test_sends();
  void test_bulk();
  void take_in(node_number from, const packet_front& front, std::span<const std::byte> rest);

  const calls& mpi_;
  const started is_;
  const std::thread::id thread_ = std::this_thread::get_id();
  mutable std::mutex lock_;  // all below, and every call of MPI
  std::vector<peer> peers_;
  std::vector<ring_slot> ring_;  // only its poller touches the bytes
  std::size_t next_slot_ = 0;
  std::deque<letter> sending_;
  std::vector<std::vector<std::byte>> spare_;  // memory of letters
  std::map<std::uint64_t, offered> offers_;
  std::uint64_t transfers_ = 0;
  std::deque<asked> asked_;
  std::deque<bulk> moving_;
  std::vector<places::completion*> ended_;  // to be told, without the lock
  int next_tag_ = 0;
  traffic count_;
};

/// What a handler holds of an offer.
class offer final : public payload::source {
 public:
  offer(mpi_transport& net, node_number from, std::uint64_t number, std::uint64_t bytes)
      : net_(&net), from_(from), number_(number), bytes_(bytes) {}
  ~offer() override {
    if (net_) net_->drop(from_, number_);
  }
  void receive(std::byte* target, places::completion& landed) override {
    std::exchange(net_, nullptr)->receive(from_, number_, bytes_, target, landed);
  }

 private:
  mpi_transport* net_;
  node_number from_;
  std::uint64_t number_, bytes_;
};

letter mpi_transport::make_letter(node_number to, packet_front front, std::span<const std::byte> head,
                                  std::span<const std::byte> rest) {
  letter l{{}, to};
  if (!spare_.empty()) {
    l.bytes = std::move(spare_.back());
    spare_.pop_back();
  }
  front.head_bytes = static_cast<std::uint32_t>(head.size());
  l.bytes.resize(sizeof front + head.size() + rest.size());
  std::memcpy(l.bytes.data(), &front, sizeof front);
  if (!head.empty()) std::memcpy(l.bytes.data() + sizeof front, head.data(), head.size());
  if (!rest.empty()) std::memcpy(l.bytes.data() + sizeof front + head.size(), rest.data(), rest.size());
  return l;
}

void mpi_transport::post_now(letter&& l) {
  peer& p = peers_[l.to];
  packet_front front = front_of(l.bytes);
  if (takes_credit(front.kind)) --p.credit;
  front.returned = std::exchange(p.to_return, 0);
  std::memcpy(l.bytes.data(), &front, sizeof front);
  must(mpi_.send(l.bytes.data(), l.bytes.size(), l.to, 0, channel::heads, &l.is));
  sending_.push_back(std::move(l));  // the bytes do not move
  test_sends();                      // small ones have mostly gone
}

void mpi_transport::post(letter&& l) {
  peer& p = peers_[l.to];
  const bool needs = l.takes_credit();
  if (may_call() && (!needs || (p.credit && p.waiting.empty()))) return post_now(std::move(l));
  // Answers wait for no credit, and overtake what does.
  if (needs) p.waiting.push_back(std::move(l));
  else p.waiting.push_front(std::move(l));
}

void mpi_transport::post_waiting(node_number to) {
  peer& p = peers_[to];
  while (!p.waiting.empty()) {
    if (p.waiting.front().takes_credit() && !p.credit) return;
    letter l = std::move(p.waiting.front());
    p.waiting.pop_front();
    post_now(std::move(l));
  }
}

void mpi_transport::answer(node_number to, packet_kind kind, std::uint64_t transfer, int tag) {
  packet_front front{};
  front.kind = kind;
  front.transfer = transfer;
  front.tag = tag;
  post(make_letter(to, front, {}, {}));
}

void mpi_transport::send_checked(const message& m) {
  std::scoped_lock lock(lock_);
  ++count_.sent;
  count_.bytes_sent += m.head.size() + m.payload.size();
  packet_front front{};
  front.handler = m.handler;
  front.payload_bytes = m.payload.size();
  if (m.payload.size() <= most_eager_bytes) {
    front.kind = packet_kind::eager;
    post(make_letter(m.to, front, m.head, m.payload));
    if (m.sent) ended_.push_back(m.sent);
    return;
  }
  ++count_.by_rendezvous;
  front.kind = packet_kind::offer;
  front.transfer = transfers_++;
  offered& o = offers_[front.transfer] = {m.to, m.payload, {}, m.sent};
  if (!m.sent) {
    o.copied.assign(m.payload.begin(), m.payload.end());
    o.bytes = o.copied;
  }
  post(make_letter(m.to, front, m.head, {}));
}

void mpi_transport::receive(node_number from, std::uint64_t number, std::uint64_t bytes, std::byte* target,
                            places::completion& landed) {
  std::scoped_lock lock(lock_);
  const asked a{from, number, bytes, target, &landed};
  if (may_call()) post_receive(a);
  else asked_.push_back(a);
}

void mpi_transport::post_receive(const asked& a) {
  bulk& b = moving_.emplace_back();
  b.done = a.landed;
  b.tag = next_tag_;
  next_tag_ = next_tag_ == is_.most_tag ? 0 : next_tag_ + 1;
  for (std::uint64_t at = 0; at < a.bytes; at += piece_bytes)
    must(mpi_.receive(a.target + at, std::min<std::uint64_t>(piece_bytes, a.bytes - at), a.from, b.tag, &b.pieces.emplace_back()));
  answer(a.from, packet_kind::ask, a.number, b.tag);
}

void mpi_transport::drop(node_number from, std::uint64_t number) {
  std::scoped_lock lock(lock_);
  answer(from, packet_kind::dropped, number, 0);
}

void mpi_transport::send_bulk(node_number to, std::uint64_t number, int tag) {
  const auto found = offers_.find(number);
  offered o = std::move(found->second);
  offers_.erase(found);
  bulk& b = moving_.emplace_back();
  b.done = o.sent;
  b.copied = std::move(o.copied);
  for (std::size_t at = 0; at < o.bytes.size(); at += piece_bytes)
    must(mpi_.send(o.bytes.data() + at, std::min(piece_bytes, o.bytes.size() - at), to, tag, channel::bulk, &b.pieces.emplace_back()));
}

void mpi_transport::test_sends() {
  for (std::size_t looked = 0; looked < 4 && !sending_.empty(); ++looked) {
    bool has_ended = false;
    must(mpi_.test(&sending_.front().is, &has_ended, nullptr, nullptr));
    if (has_ended) {
      if (spare_.size() < 2 * credits) spare_.push_back(std::move(sending_.front().bytes));
      sending_.pop_front();
    } else if (sending_.size() > 1) {  // another node may be quicker
      sending_.push_back(std::move(sending_.front()));
      sending_.pop_front();
    } else {
      return;
    }
  }
}

void mpi_transport::test_bulk() {
  for (std::size_t i = 0, n = moving_.size(); i < n; ++i) {
    bulk b = std::move(moving_.front());
    moving_.pop_front();
    bool has_ended = true;
    while (has_ended && b.next < b.pieces.size()) {
      must(mpi_.test(&b.pieces[b.next], &has_ended, nullptr, nullptr));
      b.next += has_ended;
    }
    if (!has_ended) moving_.push_back(std::move(b));
    else if (b.done) ended_.push_back(b.done);
  }
}

void mpi_transport::take_in(node_number from, const packet_front& front, std::span<const std::byte> rest) {
  switch (front.kind) {
    case packet_kind::eager:
      handle(from, front.handler, rest.first(front.head_bytes), payload(rest.subspan(front.head_bytes)));
      break;
    case packet_kind::offer:
      handle(from, front.handler, rest, payload(std::make_unique<offer>(*this, from, front.transfer, front.payload_bytes),
                                                front.payload_bytes));
      break;
    case packet_kind::ask: {
      std::scoped_lock lock(lock_);
      send_bulk(from, front.transfer, front.tag);
      break;
    }
    case packet_kind::dropped: {
      std::scoped_lock lock(lock_);
      const auto found = offers_.find(front.transfer);
      if (found->second.sent) ended_.push_back(found->second.sent);
      offers_.erase(found);
      break;
    }
    case packet_kind::credit: break;
  }
}

std::size_t mpi_transport::poll() {
  if (!may_call()) return 0;
  std::size_t found = 0;
  for (int turn = 0; turn < 16; ++turn) {
    std::vector<places::completion*> ended;
    ring_slot* came = nullptr;
    int from = 0;
    std::size_t bytes = 0;
    packet_front front{};
    {
      std::scoped_lock lock(lock_);
      for (; !asked_.empty(); asked_.pop_front()) post_receive(asked_.front());
      if (is_.level < threads::serialized)
        for (int n = 0; n < is_.size; ++n) post_waiting(static_cast<node_number>(n));
      test_sends();
      test_bulk();
      bool has_come = false;
      must(mpi_.test(&ring_[next_slot_].is, &has_come, &from, &bytes));
      if (has_come) {
        came = &ring_[next_slot_];
        next_slot_ = (next_slot_ + 1) % ring_size;
        front = front_of(came->bytes);
        peer& p = peers_[static_cast<std::size_t>(from)];
        p.credit += front.returned;
        count_.received += takes_credit(front.kind);
        post_waiting(static_cast<node_number>(from));
      }
      ended.swap(ended_);
    }
    for (places::completion* c : ended) end(*c);
    found += ended.size() + (came != nullptr);
    if (!came) {
      if (ended.empty()) break;
      continue;
    }
    take_in(static_cast<node_number>(from), front, std::span(came->bytes).subspan(sizeof front, bytes - sizeof front));
    std::scoped_lock lock(lock_);
    must(mpi_.restart(&came->is));
    if (takes_credit(front.kind) && ++peers_[static_cast<std::size_t>(from)].to_return >= credits / 2)
      answer(static_cast<node_number>(from), packet_kind::credit, 0, 0);
  }
  return found;
}

}  // namespace

std::unique_ptr<transport> make(const calls& mpi, handlers& all, threads wanted) {
  all.close();
  started is;
  must(mpi.start(wanted, &is));
  check_launch(look_around(), mpi.library(), is.size);
  std::uint64_t lowest = 0, highest = 0;
  must(mpi.extremes(all.digest(), &lowest, &highest));
  if (lowest != highest) {
    mpi.stop();
    throw error("N06", "the nodes of this job are not of one program");
  }
  return std::make_unique<mpi_transport>(mpi, all, is);
}

}  // namespace stretto::net::mpi
