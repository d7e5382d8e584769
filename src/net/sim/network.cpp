#include "net/sim/network.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <list>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "net/mapped_memory.hpp"
#include "net/sim/wire.hpp"

namespace stretto::net::sim {
namespace {

class sim_transport;

/// Counts bytes that a node keeps for others, while this lives.
class retained_bytes {
 public:
  retained_bytes(std::atomic<std::uint64_t>& in, std::uint64_t bytes) noexcept : in_(in), bytes_(bytes) {
    in_.fetch_add(bytes_, std::memory_order_relaxed);
  }
  retained_bytes(const retained_bytes&) = delete;
  ~retained_bytes() { in_.fetch_sub(bytes_, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t>& in_;
  const std::uint64_t bytes_;
};

/// A payload that waits until its receiver has chosen the target. Guarded by the network's lock.
struct transfer {
  std::uint64_t number;  // in the order of sending
  node_number from, to;
  std::string what;
  std::span<const std::byte> bytes;
  std::vector<std::byte> copied;             // if the sender did not lend it
  std::shared_ptr<retained_bytes> retained;  // of what was copied
  places::completion* sent;
  places::completion* landed = nullptr;
  std::byte* target = nullptr;
};

/// An access of one node to the window of another. Guarded by the network's lock.
struct window_access {
  node_number by, of;
  std::uint64_t bytes;
  places::completion* done;
};

std::string bytes_of_window(const window_access& a) {
  return std::to_string(a.bytes) + " bytes of the global memory of node " + std::to_string(a.of);
}

struct earlier {
  bool operator()(const std::shared_ptr<transfer>& a, const std::shared_ptr<transfer>& b) const noexcept {
    return a->number < b->number;
  }
};

struct endpoint {
  sim_transport* transport = nullptr;
  std::vector<std::function<void()>> next_calls;  // run by its next poll
  // nodes whose links were cut before it joined; its first poll reports them
  std::vector<node_number> lost_early;
  std::set<std::pair<nanoseconds, node_number>> coming;  // the next arrival from each sender
  traffic count;
  std::atomic<std::uint64_t> outstanding_bytes{0};
};

class simulated final : public network, public std::enable_shared_from_this<simulated> {
 public:
  explicit simulated(const settings& s)
      : settings_(s),
        random_(s.seed),
        ends_(s.nodes),
        wires_(std::size_t{s.nodes} * s.nodes),
        is_cut_(std::size_t{s.nodes} * s.nodes),
        windows_(s.nodes) {}

  std::unique_ptr<transport> join(node_number node, handlers& all) override;
  void leave(node_number node);
  void cut(node_number one, node_number other) override {
    std::scoped_lock lock(lock_);
    cut_now(one, other, cut_kind::announced);
  }
  void kill(node_number node) override {
    std::scoped_lock lock(lock_);
    for (std::uint32_t n = 0; n < settings_.nodes; ++n)
      if (n != node) cut_now(node, static_cast<node_number>(n), cut_kind::announced);
  }
  double seconds() const noexcept override {
    std::scoped_lock lock(lock_);
    return static_cast<double>(now_) * 1e-9;
  }

  void send(node_number from, const message& m, const handlers& all);
  std::size_t poll(node_number node);
  bool is_pending(node_number node) const noexcept {
    std::scoped_lock lock(lock_);
    return !ends_[node].next_calls.empty() || !ends_[node].coming.empty();
  }
  std::uint64_t outstanding_bytes(node_number node) const noexcept {
    return ends_[node].outstanding_bytes.load(std::memory_order_relaxed);
  }
  traffic counted(node_number node) const noexcept {
    std::scoped_lock lock(lock_);
    return ends_[node].count;
  }
  void receive(const std::shared_ptr<transfer>& t, std::byte* target, places::completion& landed);
  void drop(const std::shared_ptr<transfer>& t);

  void open_window(node_number node, std::uint64_t bytes) {
    std::scoped_lock lock(lock_);
    window_bytes_ = bytes;
    window_of(node);
  }
  /// Accesses the window when the reply arrives: calls `move` with the address of the bytes.
  void access(const window_access& a, std::uint64_t offset, std::function<void(std::byte* there)> move);

  const settings& is() const noexcept { return settings_; }

 private:
  std::size_t at(node_number from, node_number to) const noexcept { return std::size_t{from} * settings_.nodes + to; }
  void put(node_number from, node_number to, wire::traffic_class which, packet&& p);
  /// Updates the order of arrivals after a change of the wire.
  void refresh(node_number from, node_number to, nanoseconds was_due);
  /// Drops the packets in transfer.
  void clear(node_number from, node_number to);
  nanoseconds due(node_number from, node_number to) noexcept {
    const packet* p = wires_[at(from, to)].next();
    return p ? p->due : 0;
  }
  /// A node that leaves is not reported as failed; its packets in transfer still arrive.
  enum class cut_kind { announced, leaving };
  void cut_now(node_number one, node_number other, cut_kind is);
  /// The next poll of `here` reports that `there` has failed.
  void notify_lost(node_number here, node_number there);
  /// Ends the transfer: the sender's memory belongs to it again.
  void drop_now(const std::shared_ptr<transfer>& t);
  void ended(places::completion* done, node_number of, std::exception_ptr failure = {}) {
    if (done) ends_[of].next_calls.push_back([done, failure = std::move(failure)] { end(*done, failure); });
  }
  std::byte* window_of(node_number node) {
    auto& of = windows_[node];
    if (!of) of = std::make_unique<mapped_memory>(window_bytes_);
    return of->data();
  }
  bool is_open(const std::shared_ptr<transfer>& t) const { return open_.contains(t); }

  const settings settings_;
  mutable std::mutex lock_;
  std::mt19937_64 random_;
  nanoseconds now_ = 1;  // nothing is due at 0
  std::vector<endpoint> ends_;
  std::vector<wire> wires_;
  std::vector<bool> is_cut_;
  std::set<std::pair<nanoseconds, node_number>> next_;  // the first arrival at each node
  std::set<std::shared_ptr<transfer>, earlier> open_;
  std::uint64_t transfers_ = 0;
  std::uint64_t window_bytes_ = 0;
  std::vector<std::unique_ptr<mapped_memory>> windows_;  // of nodes that opened the window or whose window was accessed
  std::list<window_access> accesses_;
};

/// The network owns the memory, which outlives a node's program as long as the node can be reached.
class sim_window final : public window {
 public:
  sim_window(std::shared_ptr<simulated> net, node_number self, std::uint64_t bytes)
      : net_(std::move(net)), self_(self), bytes_(bytes) {
    net_->open_window(self, bytes);
  }

  std::uint64_t bytes() const noexcept override { return bytes_; }
  void put(node_number to, std::uint64_t offset, std::span<const std::byte> from, places::completion& done) override {
    net_->access({self_, to, from.size(), &done}, offset, [from](std::byte* there) { std::ranges::copy(from, there); });
  }
  void get(node_number from, std::uint64_t offset, std::span<std::byte> into, places::completion& done) override {
    net_->access({self_, from, into.size(), &done}, offset,
                 [into](std::byte* there) { std::copy_n(there, into.size(), into.data()); });
  }

 private:
  const std::shared_ptr<simulated> net_;
  const node_number self_;
  const std::uint64_t bytes_;
};

class sim_transport final : public transport {
 public:
  sim_transport(std::shared_ptr<simulated> net, node_number self, const handlers& all)
      : transport(all), net_(std::move(net)), self_(self) {}
  ~sim_transport() override { net_->leave(self_); }

  node_number self() const noexcept override { return self_; }
  std::uint32_t nodes() const noexcept override { return net_->is().nodes; }
  host_nodes on_host() const noexcept override { return {self_, nodes()}; }
  std::size_t poll() override { return net_->poll(self_); }
  bool is_pending() const noexcept override { return net_->is_pending(self_); }
  std::uint64_t outstanding_bytes() const noexcept override { return net_->outstanding_bytes(self_); }
  traffic counted() const noexcept override { return net_->counted(self_); }
  void abandon(const std::exception_ptr&) noexcept override { net_->kill(self_); }

  window& open_window(std::uint64_t bytes) override {
    return *(window_ = std::make_unique<sim_window>(net_, self_, bytes));
  }

  using transport::handle;
  using transport::notify_lost;
  const handlers& all() const noexcept { return handlers_; }

 protected:
  void send_checked(const message& m) override { net_->send(self_, m, handlers_); }

 private:
  const std::shared_ptr<simulated> net_;
  const node_number self_;
  std::unique_ptr<sim_window> window_;
};

/// The payload source of a transfer, for its handler.
class offered final : public payload::source {
 public:
  offered(std::shared_ptr<simulated> net, std::shared_ptr<transfer> t) : net_(std::move(net)), t_(std::move(t)) {}
  ~offered() override {
    if (t_) net_->drop(t_);
  }
  void receive(std::byte* target, places::completion& landed) override {
    net_->receive(std::exchange(t_, nullptr), target, landed);
  }

 private:
  const std::shared_ptr<simulated> net_;
  std::shared_ptr<transfer> t_;
};

std::unique_ptr<transport> simulated::join(node_number node, handlers& all) {
  all.close();
  auto made = std::make_unique<sim_transport>(shared_from_this(), node, all);
  std::scoped_lock lock(lock_);
  for (const endpoint& e : ends_)
    if (e.transport && e.transport->all().digest() != all.digest())
      throw build_mismatch(e.transport->self(), e.transport->all().description(std::string::npos), node,
                           all.description(std::string::npos));
  ends_[node].transport = made.get();
  for (const node_number there : ends_[node].lost_early) notify_lost(node, there);
  if (!ends_[node].coming.empty()) next_.emplace(ends_[node].coming.begin()->first, node);
  return made;
}

void simulated::leave(node_number node) {
  std::scoped_lock lock(lock_);
  for (std::uint32_t n = 0; n < settings_.nodes; ++n) {
    cut_now(node, static_cast<node_number>(n), cut_kind::leaving);
    // also from nodes that left before: the clock would wait for these arrivals
    clear(static_cast<node_number>(n), node);
  }
  ends_[node].transport = nullptr;
  ends_[node].next_calls.clear();
}

void simulated::refresh(node_number from, node_number to, nanoseconds was_due) {
  auto& coming = ends_[to].coming;
  const nanoseconds first_before = coming.empty() ? 0 : coming.begin()->first;
  if (was_due) coming.erase({was_due, from});
  if (const nanoseconds d = due(from, to)) coming.emplace(d, from);
  const nanoseconds first = coming.empty() ? 0 : coming.begin()->first;
  if (!ends_[to].transport || first == first_before) return;
  if (first_before) next_.erase({first_before, to});
  if (first) next_.emplace(first, to);
}

void simulated::clear(node_number from, node_number to) {
  const nanoseconds before = due(from, to);
  wires_[at(from, to)].clear();
  refresh(from, to, before);
}

void simulated::put(node_number from, node_number to, wire::traffic_class which, packet&& p) {
  const nanoseconds before = due(from, to);
  wires_[at(from, to)].put(std::move(p), which, now_, settings_, random_);
  refresh(from, to, before);
}

void simulated::send(node_number from, const message& m, const handlers& all) {
  std::scoped_lock lock(lock_);
  const node_number to = m.to;
  auto& count = ends_[from].count;
  ++count.sent;
  count.bytes_sent += m.head.size() + m.payload.size();
  std::string what = std::to_string(m.payload.size() + m.head.size()) + " bytes for \"" + all.name(m.handler) +
                     "\" on node " + std::to_string(to);
  if (is_cut_[at(from, to)]) return ended(m.sent, from, node_lost(to, what));
  std::vector<std::byte> head(m.head.begin(), m.head.end());
  packet p{.bytes = m.head.size() + 32};
  const auto retained =
      std::make_shared<retained_bytes>(ends_[from].outstanding_bytes, m.head.size() + (m.sent ? 0 : m.payload.size()));
  if (m.payload.size() <= settings_.eager_bytes && !m.from_device) {
    std::vector<std::byte> rest(m.payload.begin(), m.payload.end());
    p.bytes += rest.size();
    p.arrives = [this, from, to, handler = m.handler, head = std::move(head), rest = std::move(rest), retained] {
      ends_[to].transport->handle(from, handler, head, payload(std::span(rest)));
    };
    ended(m.sent, from);
  } else {
    ++count.by_rendezvous;
    auto t =
        std::make_shared<transfer>(transfer{transfers_++, from, to, std::move(what), m.payload, {}, retained, m.sent});
    if (!m.sent) {
      t->copied.assign(m.payload.begin(), m.payload.end());
      t->bytes = t->copied;
    }
    open_.insert(t);
    p.arrives = [this, t, handler = m.handler, head = std::move(head)] {
      const std::uint64_t bytes = t->bytes.size();
      ends_[t->to].transport->handle(t->from, handler, head,
                                     payload(std::make_unique<offered>(shared_from_this(), t), bytes));
    };
  }
  put(from, to, wire::traffic_class::heads, std::move(p));
}

void simulated::receive(const std::shared_ptr<transfer>& t, std::byte* target, places::completion& landed) {
  std::scoped_lock lock(lock_);
  if (!is_open(t)) return ended(&landed, t->to, node_lost(t->from, t->what));
  t->target = target;
  t->landed = &landed;
  // Packets of a node that leaves still arrive. Its open transfers have ended then, and their memory may be gone.
  put(t->to, t->from, wire::traffic_class::heads, {.bytes = 32, .under_lock = [this, t] {
                                                     if (!is_open(t)) return;
                                                     put(t->from, t->to, wire::traffic_class::bulk,
                                                         {.bytes = t->bytes.size(), .under_lock = [this, t] {
                                                            if (!is_open(t)) return;
                                                            // under the lock: the sender may free the memory when a
                                                            // link is cut
                                                            std::memcpy(t->target, t->bytes.data(), t->bytes.size());
                                                            ended(std::exchange(t->landed, nullptr), t->to);
                                                            drop_now(t);
                                                          }});
                                                   }});
}

void simulated::drop(const std::shared_ptr<transfer>& t) {
  std::scoped_lock lock(lock_);
  if (is_open(t)) drop_now(t);
}

void simulated::drop_now(const std::shared_ptr<transfer>& t) {
  put(t->to, t->from, wire::traffic_class::heads, {.bytes = 32, .under_lock = [this, t] {
                                                     if (open_.erase(t)) ended(t->sent, t->from);
                                                   }});
}

void simulated::access(const window_access& a, std::uint64_t offset, std::function<void(std::byte* there)> move) {
  std::scoped_lock lock(lock_);
  if (is_cut_[at(a.by, a.of)]) return ended(a.done, a.by, node_lost(a.of, bytes_of_window(a)));
  const auto kept = accesses_.insert(accesses_.end(), a);
  const auto request_latency = static_cast<nanoseconds>(settings_.latency_seconds * 1e9);
  put(a.of, a.by, wire::traffic_class::window,
      {.bytes = a.bytes + 32,
       .request_latency = request_latency,
       .under_lock = [this, kept, offset, move = std::move(move)] {
         move(window_of(kept->of) + offset);
         ended(kept->done, kept->by);
         accesses_.erase(kept);
       }});
}

void simulated::cut_now(node_number one, node_number other, cut_kind is) {
  if (is_cut_[at(one, other)]) return;
  for (const auto& [from, to] : {std::pair(one, other), std::pair(other, one)}) {
    is_cut_[at(from, to)] = true;
    if (is == cut_kind::announced) clear(from, to);
  }
  std::erase_if(open_, [&](const std::shared_ptr<transfer>& t) {
    if (std::minmax(t->from, t->to) != std::minmax(one, other)) return false;
    ended(t->sent, t->from, node_lost(t->to, t->what));
    ended(t->landed, t->to, node_lost(t->from, t->what));
    return true;
  });
  std::erase_if(accesses_, [&](const window_access& w) {
    if (std::minmax(w.by, w.of) != std::minmax(one, other) || (is == cut_kind::leaving && w.of == one)) return false;
    ended(w.done, w.by, node_lost(w.of, bytes_of_window(w)));
    return true;
  });
  if (is == cut_kind::leaving) return;
  for (const auto& [here, there] : {std::pair(one, other), std::pair(other, one)})
    if (ends_[here].transport) notify_lost(here, there);
    else ends_[here].lost_early.push_back(there);
}

void simulated::notify_lost(node_number here, node_number there) {
  ends_[here].next_calls.push_back([told = ends_[here].transport, there] { told->notify_lost(there); });
}

std::size_t simulated::poll(node_number node) {
  std::vector<std::function<void()>> next_calls;
  packet come;
  {
    std::scoped_lock lock(lock_);
    endpoint& here = ends_[node];
    next_calls.swap(here.next_calls);
    if (next_calls.empty()) {
      if (here.coming.empty()) return 0;
      if (here.coming.begin()->first > now_) {
        if (next_.begin()->first < here.coming.begin()->first) return 0;  // another node's arrival is first
        now_ = here.coming.begin()->first;
      }
      std::vector<node_number> those;
      for (const auto& [when, from] : here.coming)
        if (when <= now_) those.push_back(from);
        else break;
      const node_number from = those[random_() % those.size()];
      wire& w = wires_[at(from, node)];
      packet* const first = w.next();
      const nanoseconds before = first->due;
      come = w.take(*first);
      refresh(from, node, before);
      here.count.received += come.arrives != nullptr;
      if (come.under_lock) come.under_lock();
    }
  }
  for (auto& one : next_calls) one();
  if (come.arrives) come.arrives();
  return std::max<std::size_t>(next_calls.size(), 1);
}

}  // namespace

std::shared_ptr<network> network::make(const settings& s) { return std::make_shared<simulated>(s); }

}  // namespace stretto::net::sim
