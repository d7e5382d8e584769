// interleaving.hpp - a simulated machine of a few cores with store buffers, run on one thread from a seed.
//
// Code compiled with `watched` instead of std::atomic may switch to another player before each memory access. A plain
// store waits in its player's buffer until it is drained, at random and in order, or by a read-modify-write of the same
// player: the total store order of x86. heavy_fence() drains all buffers, as membarrier(2) does. A seed replays
// exactly.
//
// Threads     one. Players are stacks of ours, which the sanitizers know.
// Source      random schedules: Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding
//             bugs", ASPLOS 2010; store buffers: Sewell et al., "x86-TSO", CACM 2010.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/sanitizers.hpp"
#include "sched/stack.hpp"

namespace stretto::test {

class machine {
 public:
  enum class fences { work, do_nothing };  // do_nothing: to see that the test can fail

  machine(unsigned seed, fences f) : random_(seed), fences_(f), stay_(1 + random_() % 8) {}
  machine(const machine&) = delete;

  void add(std::function<void()> play) { players_.push_back(std::make_unique<player>(std::move(play))); }

  /// Runs all players to their ends and drains their stores.
  void run() {
    running = this;
    sched::stack_pool pool(64 << 10, players_.size());
    for (auto& p : players_) {
      p->on = pool.take(begin);
      p->where = p->on->entry;
      p->fiber = p->on->sanitizer;
    }
    while (!players_.empty()) {
      now_ = random_() % players_.size();
      player& p = *players_[now_];
      base::stack_switch::leaving(&fake_stack_, p.fiber, p.on->base, p.on->bytes + sizeof(sched::stack));
      sched::switch_stack(&home_, p.where);
      base::stack_switch::arrived(fake_stack_);
      if (p.has_ended) {
        drain(p);
        pool.give(p.on);
        players_.erase(players_.begin() + static_cast<std::ptrdiff_t>(now_));
      }
    }
    running = nullptr;
  }

  /// Called before an access: other players may run first, and old stores may become visible.
  void access() {
    while (random_() % 4 == 0) drain_one(*players_[random_() % players_.size()]);
    if (random_() % stay_ == 0) leave(false);
  }
  void heavy_fence() {
    access();
    if (fences_ == fences::work)
      for (auto& p : players_) drain(*p);
    else drain(*players_[now_]);
  }
  void drain_own() { drain(*players_[now_]); }

  void buffer(void* where, std::uint64_t bits, void (*write)(void*, std::uint64_t)) {
    players_[now_]->stores.push_back({where, bits, write});
  }
  /// The value that the player itself has stored there and that no other player sees yet.
  const std::uint64_t* buffered(const void* where) const {
    const auto& stores = players_[now_]->stores;
    for (auto s = stores.rbegin(); s != stores.rend(); ++s)
      if (s->where == where) return &s->bits;
    return nullptr;
  }

  static inline machine* running = nullptr;

 private:
  struct store {
    void* where;
    std::uint64_t bits;
    void (*write)(void*, std::uint64_t);
  };
  struct player {
    explicit player(std::function<void()> f) : play(std::move(f)) {}
    std::function<void()> play;
    sched::stack* on = nullptr;
    sched::saved_stack where = nullptr;
    void* fiber = nullptr;
    void* fake_stack = nullptr;
    bool has_ended = false;
    std::deque<store> stores;
  };

  static void begin() {
    machine& m = *running;
    if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(nullptr, &m.home_bottom_, &m.home_bytes_);
    m.players_[m.now_]->play();
    m.leave(true);
  }

  void leave(bool has_ended) {
    player& p = *players_[now_];
    p.has_ended = has_ended;
    base::stack_switch::leaving(has_ended ? nullptr : &p.fake_stack, home_fiber_, home_bottom_, home_bytes_);
    sched::switch_stack(&p.where, home_);
    base::stack_switch::arrived(p.fake_stack);
  }

  static void drain_one(player& p) {
    if (p.stores.empty()) return;
    const store s = p.stores.front();
    p.stores.pop_front();
    s.write(s.where, s.bits);
  }
  static void drain(player& p) {
    while (!p.stores.empty()) drain_one(p);
  }

  std::mt19937 random_;
  const fences fences_;
  const unsigned stay_;  // one in so many accesses switches to another player
  std::vector<std::unique_ptr<player>> players_;
  std::size_t now_ = 0;
  sched::saved_stack home_ = nullptr;
  void* fake_stack_ = nullptr;
  const void* home_bottom_ = nullptr;  // the bounds of the home stack, as AddressSanitizer knows them
  std::size_t home_bytes_ = 0;
  void* const home_fiber_ = base::stack_switch::this_fiber();
};

/// Replaces std::atomic in the code under test. Outside of a machine's run it is a plain variable.
template <class Value>
class watched {
 public:
  watched(Value v = {}) : value_(v) {}
  watched(const watched&) = delete;

  Value load(std::memory_order = std::memory_order_seq_cst) const {
    machine* m = machine::running;
    if (!m) return value_;
    m->access();
    const std::uint64_t* own = m->buffered(this);
    return own ? value_of(*own) : value_;
  }
  void store(Value v, std::memory_order order = std::memory_order_seq_cst) {
    machine* m = machine::running;
    if (!m) return void(value_ = v);
    m->access();
    m->buffer(this, bits_of(v), write);
    if (order == std::memory_order_seq_cst) m->drain_own();
  }
  Value exchange(Value v, std::memory_order = std::memory_order_seq_cst) {
    if (machine* m = machine::running) m->access(), m->drain_own();
    return std::exchange(value_, v);
  }
  Value fetch_add(Value v, std::memory_order = std::memory_order_seq_cst) {
    if (machine* m = machine::running) m->access(), m->drain_own();
    return std::exchange(value_, value_ + v);
  }

 private:
  static std::uint64_t bits_of(Value v) {
    if constexpr (std::is_pointer_v<Value>) return reinterpret_cast<std::uintptr_t>(v);
    else return static_cast<std::uint64_t>(v);
  }
  static Value value_of(std::uint64_t bits) {
    if constexpr (std::is_pointer_v<Value>) return reinterpret_cast<Value>(bits);
    else return static_cast<Value>(bits);
  }
  static void write(void* self, std::uint64_t bits) { static_cast<watched*>(self)->value_ = value_of(bits); }

  Value value_;
};

}  // namespace stretto::test
