// net_scenarios.hpp - scenarios for transports: floods of all sizes, rings, senders of several threads.
#pragma once

#include <algorithm>
#include <thread>

#include "conformance/net_scenario.hpp"

namespace stretto::net {

inline const std::size_t sizes[] = {0, 1, 7, 64, 100, 101, 1000, 4096, 4097, 70'000};

/// Each node sends messages of all sizes to every node, also itself. Payloads are copied or lent, and received at
/// once, later or never.
class flood final : public scenario {
 public:
  flood(node_number self, std::uint32_t nodes, std::uint64_t seed, int messages)
      : self_(self), nodes_(nodes), messages_(messages), random_(seed * 1000 + self), next_(nodes, 0) {
    answer<&flood::come>("message", this);
  }

  void start() override {
    for (int i = 0; i < messages_; ++i)
      for (std::uint32_t to = 0; to < nodes_; ++to) {
        const std::size_t size = sizes[random_() % std::size(sizes)];
        const head h{static_cast<std::uint32_t>(i), size};
        if (random_() % 2) {
          auto& l = lent_.emplace_back();
          l.bytes = made_of(self_, to, static_cast<std::uint64_t>(i), size);
          send(static_cast<node_number>(to), "message", h, l.bytes, &l.sent);
        } else {
          auto bytes = made_of(self_, to, static_cast<std::uint64_t>(i), size);
          send(static_cast<node_number>(to), "message", h, bytes);
          std::fill(bytes.begin(), bytes.end(), std::byte{0xee});
        }
      }
  }
  void go_on() override {
    for (auto& l : lent_)
      if (l.sent.times && !l.is_reused) {
        std::fill(l.bytes.begin(), l.bytes.end(), std::byte{0xdd});  // the program owns it again
        l.is_reused = true;
      }
    if (!kept_.empty() && random_() % 4 == 0) {
      auto& k = *kept_.front();
      std::move(k.rest).receive(k.bytes.data(), k.landed);
      under_way_.push_back(std::move(kept_.front()));
      kept_.pop_front();
    }
  }
  bool is_done() const override {
    const auto all_came = [&](int n) { return n == messages_; };
    return kept_.empty() && std::all_of(next_.begin(), next_.end(), all_came) &&
           std::all_of(lent_.begin(), lent_.end(), [](const lent& l) { return l.sent.times > 0; }) &&
           std::all_of(under_way_.begin(), under_way_.end(), [](const auto& k) { return k->landed.times > 0; });
  }
  void check() override {
    for (const auto& l : lent_) CHECK((l.sent.times == 1 && !l.sent.failure));
    for (const auto& k : under_way_) {
      CHECK((k->landed.times == 1 && !k->landed.failure));
      CHECK(k->bytes == k->expected);
    }
  }
  std::uint64_t messages() const override { return static_cast<std::uint64_t>(messages_) * nodes_; }

 private:
  struct head {
    std::uint32_t number;
    std::uint64_t size;
  };
  struct lent {
    std::vector<std::byte> bytes;
    told sent;
    bool is_reused = false;
  };
  struct kept {
    payload rest;
    std::vector<std::byte> bytes, expected;
    told landed;
  };

  void come(arrival& a) {
    const auto h = read<head>(a.head);
    CHECK(h.number == static_cast<std::uint32_t>(next_[a.from]++));
    CHECK(a.rest.bytes() == h.size);
    auto expected = made_of(a.from, self_, h.number, h.size);
    if (a.rest.is_here() && random_() % 2) {
      CHECK(std::equal(expected.begin(), expected.end(), a.rest.here().begin(), a.rest.here().end()));
      return;
    }
    const bool is_here = a.rest.is_here();
    auto k = std::make_unique<kept>(std::move(a.rest), std::vector<std::byte>(h.size), std::move(expected));
    const auto how = random_() % 3;
    if (is_here || how == 0) {
      std::move(k->rest).receive(k->bytes.data(), k->landed);
      CHECK((!is_here || k->landed.times == 1));
      under_way_.push_back(std::move(k));
    } else if (how == 1) {
      kept_.push_back(std::move(k));
    }  // else it is dropped
  }

  const node_number self_;
  const std::uint32_t nodes_;
  const int messages_;
  std::mt19937_64 random_;
  std::vector<int> next_;
  std::deque<lent> lent_;
  std::deque<std::unique_ptr<kept>> kept_;
  std::vector<std::unique_ptr<kept>> under_way_;
};

/// A message passes through all nodes and back to the first.
class rounds final : public scenario {
 public:
  rounds(node_number self, std::uint32_t nodes) : self_(self), nodes_(nodes) { answer<&rounds::pass>("pass", this); }
  void start() override { send(next(), "pass", lap{self_, 0}); }
  bool is_done() const override { return ended_; }

 private:
  struct lap {
    std::uint32_t of, hops;
  };
  node_number next() const { return static_cast<node_number>((self_ + 1) % nodes_); }
  void pass(arrival& a) {
    auto l = read<lap>(a.head);
    if (++l.hops == 20 * nodes_) {
      CHECK(l.of == self_);
      ended_ = true;
    } else {
      send(next(), "pass", l);  // from within a handler
    }
  }

  const node_number self_;
  const std::uint32_t nodes_;
  bool ended_ = false;
};

/// Several threads of node 0 send at the same time; each one's messages stay in order.
class many_senders final : public scenario {
 public:
  many_senders(node_number self, std::uint32_t nodes) : self_(self), nodes_(nodes) {
    answer<&many_senders::come>("numbered", this);
  }
  void start() override {
    if (self_) return;
    for (std::uint32_t t = 0; t < 3; ++t)
      threads_.emplace_back([this, t] {
        for (std::uint32_t i = 0; i < each; ++i) send(static_cast<node_number>(nodes_ - 1), "numbered", sent_by{t, i});
      });
  }
  bool is_done() const override { return self_ != nodes_ - 1 || came_ == 3 * each; }
  void check() override {
    for (auto& t : threads_) t.join();
  }

 private:
  static constexpr std::uint32_t each = 300;
  struct sent_by {
    std::uint32_t thread, number;
  };
  void come(arrival& a) {
    const auto s = read<sent_by>(a.head);
    CHECK(s.number == next_[s.thread]++);
    ++came_;
  }

  const node_number self_;
  const std::uint32_t nodes_;
  std::vector<std::thread> threads_;
  std::uint32_t next_[3] = {}, came_ = 0;
};

/// Each node writes its own part of the memory of every node, also its own, and then sends a message; the receiver
/// reads everything that the sender wrote.
class lenders final : public scenario {
 public:
  lenders(node_number self, std::uint32_t nodes, std::uint64_t seed) : self_(self), nodes_(nodes), seed_(seed) {
    answer<&lenders::written>("written", this);
  }

  void start() override {
    window_ = &net->open_window(room * nodes_);
    CHECK(window_->bytes() == room * nodes_);
    // zeros before the first write
    for (std::uint32_t of = 0; of < nodes_; ++of) get(of, self_, std::vector<std::byte>(room));
  }
  void go_on() override {
    if (puts_.empty() && std::ranges::all_of(gets_, has_ended)) {
      for (std::uint32_t to = 0; to < nodes_; ++to) {
        auto& p = puts_.emplace_back(of(self_, to));
        window_->put(static_cast<node_number>(to), self_ * room, p.bytes, p.done);
      }
    }
    if (!is_told_ && !puts_.empty() && std::ranges::all_of(puts_, has_ended)) {
      is_told_ = true;
      for (std::uint32_t to = 0; to < nodes_; ++to) send(static_cast<node_number>(to), "written", 0);
    }
  }
  bool is_done() const override { return is_told_ && heard_ == nodes_ && std::ranges::all_of(gets_, has_ended); }
  void check() override {
    for (const access& p : puts_) CHECK((p.done.times == 1 && !p.done.failure));
    for (const access& g : gets_) {
      CHECK((g.done.times == 1 && !g.done.failure));
      CHECK(g.bytes == g.expected);
    }
    CHECK(gets_.size() == nodes_ * (nodes_ + 1));
  }

 private:
  static constexpr std::size_t room = 70'000;
  struct access {
    explicit access(std::vector<std::byte> b) : bytes(std::move(b)) {}
    std::vector<std::byte> bytes, expected;
    told done;
  };
  static bool has_ended(const access& a) { return a.done.times > 0; }

  std::vector<std::byte> of(std::uint32_t by, std::uint32_t to) const {
    return made_of(by, to, seed_, sizes[(by + 3 * to + seed_) % std::size(sizes)]);
  }
  void get(std::uint32_t from, std::uint32_t place, std::vector<std::byte> expected) {
    auto& g = gets_.emplace_back(std::vector<std::byte>(expected.size(), std::byte{0xee}));
    g.expected = std::move(expected);
    window_->get(static_cast<node_number>(from), place * room, g.bytes, g.done);
  }
  void written(arrival& a) {
    ++heard_;
    for (std::uint32_t in = 0; in < nodes_; ++in) get(in, a.from, of(a.from, in));
  }

  const node_number self_;
  const std::uint32_t nodes_;
  const std::uint64_t seed_;
  window* window_ = nullptr;
  std::deque<access> puts_, gets_;
  bool is_told_ = false;
  std::uint32_t heard_ = 0;
};

}  // namespace stretto::net
