#include "dist/remote_reservations.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/context.hpp"
#include "dist/where.hpp"
#include "event/ending.hpp"
#include "event/event_floor.hpp"
#include "event/table.hpp"

namespace stretto::dist {

using detail::holding;

struct remote_reservations::passing : waiter {
  remote_reservations* of;
  std::uint64_t id;
  rank to;
  std::uint32_t version;

  static void go(waiter& self, const failure* gone, base::thread_context& context) noexcept {
    const passing p = static_cast<passing&>(self);
    detail::event_cache::of(context).records.free(&self);
    if (!gone) p.of->pass_on(p.id, p.to, p.version, context);
  }
};

struct remote_reservations::aftermath {
  holding::grant next;
  std::vector<std::pair<errand, failure_ref>> done;
  std::vector<pending> ended;
  failure_ref why;  // of what has ended
  holding::waiting left{nullptr, nullptr};
  std::vector<rank> users;

  void answer(remote_reservations& of, base::thread_context& context) {
    holding::hand_out(next, detail::event_cache::of(context), context);
    for (const auto& [e, failed] : done) of.is_done(e, failed, context);
    for (const pending& p : ended) of.end(p, why, context);
    detail::forsake(left, why, context);
  }
};

remote_reservations::remote_reservations(job& j, failures& causes) : job_(j), causes_(causes) {
  using self = remote_reservations;
  want_ = j.on<&self::on_want>("reservations.want", this);
  recall_ = j.on<&self::on_recall>("reservations.recall", this);
  state_ = j.on<&self::on_state>("reservations.state", this);
  errand_ = j.on<&self::on_errand>("reservations.errand", this);
  done_ = j.on<&self::on_done>("reservations.done", this);
  gone_ = j.on<&self::on_gone>("reservations.gone", this);
  destroy_ = j.on<&self::on_destroy>("reservations.destroy", this);
  refused_ = j.on<&self::on_refused>("reservations.refused", this);
  cut_ = j.on<&self::on_cut>("reservations.cut", this);
  j.add(*this);
}

remote_reservations::~remote_reservations() = default;

void remote_reservations::serve(base::runtime_context& runtime) {
  table_ = runtime.get<detail::event_table>(base::floor_slot::event);
  detail::set_remote_reservations(runtime, this);
}

rank remote_reservations::home_of(std::uint64_t id) const noexcept {
  return *job_.rank_of(detail::home_of_reservation(id));
}

std::size_t remote_reservations::records() const {
  const std::scoped_lock lock(lock_);
  return stands_.size();
}

remote_reservations::stand* remote_reservations::known(std::uint64_t id) {
  if (const auto it = stands_.find(id); it != stands_.end()) return &it->second;
  if (home_of(id) != job_.self()) return nullptr;
  holding* h = detail::find_reservation(id, *table_);
  if (!h) return nullptr;
  stand& s = stands_[id];
  s.held = h;
  s.is_here = true;
  s.last = job_.self();
  s.users.resize(job_.nodes());
  return &s;
}

holding* remote_reservations::find(std::uint64_t id) {
  const auto home = job_.rank_of(detail::home_of_reservation(id));
  if (!home || *home == job_.self()) return nullptr;
  const std::scoped_lock lock(lock_);
  stand& s = stands_[id];
  if (s.held) return s.held;
  if (free_.empty()) free_.push_back(&made_.emplace_back());
  s.held = free_.back();
  free_.pop_back();
  s.held->start_away();
  if (job_.is_lost(*home)) s.held->stop(job_.loss_of(*home));
  return s.held;
}

// Who has it next.

void remote_reservations::want(std::uint64_t id, base::thread_context& context) {
  {
    const std::scoped_lock lock(lock_);
    stand* s = known(id);
    if (!s || s->is_here || std::exchange(s->is_wanted, true)) return;
  }
  if (home_of(id) == job_.self())
    want_of(job_.self(), id, context);
  else
    job_.send(home_of(id), want_, writer(id));
}

void remote_reservations::want_of(rank who, std::uint64_t id, base::thread_context& context) {
  rank to;
  std::uint32_t version;
  {
    const std::scoped_lock lock(lock_);
    stand* s = known(id);
    const failure_ref gone = s ? s->held->gone() : detail::gone_before(id, {});
    if (gone) return tell_gone(who, id, static_cast<bool>(s), gone);
    s->users[who] = true;
    to = std::exchange(s->last, who);
    version = ++s->version;
  }
  if (to == job_.self())
    recall(id, who, version, context);
  else
    job_.send(to, recall_, writer(id, who, version));
}

void remote_reservations::recall(std::uint64_t id, rank to, std::uint32_t version, base::thread_context& context) {
  static_assert(sizeof(passing) <= detail::event_table::record_bytes && std::is_trivially_destructible_v<passing>);
  {
    const std::scoped_lock lock(lock_);
    stand* s = known(id);
    if (!s || s->held->gone()) return;
    auto* p = new (detail::event_cache::of(context).records.allocate()) passing;
    p->fire = passing::go;
    p->of = this;
    p->id = id;
    p->to = to;
    p->version = version;
    if (!s->held->leave(*p)) return;
    detail::event_cache::of(context).records.free(p);
  }
  pass_on(id, to, version, context);
}

void remote_reservations::pass_on(std::uint64_t id, rank to, std::uint32_t version, base::thread_context& context) {
  writer state(id, version);
  std::vector<errand> along;
  bool is_wanted_again;
  {
    const std::scoped_lock lock(lock_);
    stand* s = known(id);
    if (!s || s->held->gone()) return;
    s->is_here = false;
    s->passed = version;
    s->passed_to = to;
    state.put(s->held->fairness());
    state.put(encode(s->held->where(), job_.node()));
    const auto skipped = s->held->take_skipped();
    state.put(static_cast<std::uint32_t>(skipped.size()));
    for (const auto& one : skipped) {
      state.put(one.count);
      causes_.write(state, *one.root.get());
    }
    const std::size_t bytes = s->held->payload_bytes();
    state.put(static_cast<std::uint32_t>(bytes));
    if (bytes) state.put_bytes({static_cast<const std::byte*>(s->held->payload()), bytes});
    along = std::exchange(s->waiting, {});
    is_wanted_again = s->held->is_waited_for() && !std::exchange(s->is_wanted, true);
  }
  job_.send(to, state_, state);
  for (errand& e : along) {
    e.version = version;
    send(to, e);
  }
  if (!is_wanted_again) return;
  if (home_of(id) == job_.self())
    want_of(job_.self(), id, context);
  else
    job_.send(home_of(id), want_, writer(id));
}

void remote_reservations::on_want(rank from, reader& content, base::thread_context& context) {
  want_of(from, content.get<std::uint64_t>(), context);
}

void remote_reservations::on_recall(rank, reader& content, base::thread_context& context) {
  const auto id = content.get<std::uint64_t>();
  const auto to = content.get<rank>();
  recall(id, to, content.get<std::uint32_t>(), context);
}

void remote_reservations::on_state(rank from, reader& content, base::thread_context& context) {
  const auto id = content.get<std::uint64_t>();
  const auto version = content.get<std::uint32_t>(), fairness = content.get<std::uint32_t>();
  const auto where = decode(content.get<std::uint64_t>(), job_.node_of(from));
  std::vector<holding::skipped> skipped;
  for (auto n = content.get<std::uint32_t>(); n > 0 && content.is_whole(); --n) {
    const auto count = content.get<std::uint32_t>();
    skipped.push_back({causes_.read(content, from), count});
  }
  const auto payload = content.get_bytes(content.get<std::uint32_t>());
  if (!content.is_whole()) return;
  aftermath after;
  std::vector<errand> waiting;
  {
    const std::scoped_lock lock(lock_);
    const auto it = stands_.find(id);
    if (it == stands_.end() || it->second.held->gone()) return;  // it is gone, of which this node was told
    stand& s = it->second;
    if (void* room = s.held->room_for_payload(payload.size())) std::memcpy(room, payload.data(), payload.size());
    s.is_here = true;
    s.is_wanted = false;
    s.seen = version;
    s.held->come(fairness, where, std::move(skipped), after.next);
    waiting = std::exchange(s.waiting, {});
  }
  after.answer(*this, context);
  for (errand& e : waiting) route(std::move(e), context);
}

// Errands.

void remote_reservations::release(std::uint64_t id, const failure* cause, detail::slot& s, base::thread_context& context,
                                  const std::source_location& where) {
  start({id, action::release, job_.self(), 0, 0, 0, where, failure_ref::share(cause)}, s, context);
}

void remote_reservations::skip_acquire(std::uint64_t id, const failure& cause, detail::slot& s, base::thread_context& context) {
  start({id, action::skip_acquire, job_.self(), 0, 0, 0, {}, failure_ref::share(&cause)}, s, context);
}

void remote_reservations::release_skipped(std::uint64_t id, const failure& cause, detail::slot& s,
                                          base::thread_context& context) {
  start({id, action::release_skipped, job_.self(), 0, 0, 0, {}, failure_ref::share(&cause)}, s, context);
}

void remote_reservations::start(errand e, detail::slot& s, base::thread_context& context) {
  {
    const std::scoped_lock lock(lock_);
    e.token = ++tokens_;
    pending_.emplace(e.token, pending{e.id, e.what, &s, e.cause});
  }
  route(std::move(e), context);
}

/// False if it is just leaving: whoever passes it on sends the errand after it.
bool remote_reservations::run(const errand& e, stand& s, aftermath& after) {
  failure_ref misuse;
  switch (e.what) {
    case action::release: {
      const auto released = s.held->release(e.cause.get(), after.next);
      if (released == holding::released::elsewhere) return false;
      if (released == holding::released::not_held) misuse = detail::released_unheld(e.id, s.held->where(), e.where);
      break;
    }
    case action::skip_acquire:
      if (!s.held->skip_acquire(*e.cause.get())) return false;
      break;
    case action::release_skipped:
      if (!s.held->release_skipped(*e.cause.get())) return false;
      break;
  }
  unsigned most = most_hops_.load(std::memory_order_relaxed);
  while (e.hops > most && !most_hops_.compare_exchange_weak(most, e.hops, std::memory_order_relaxed)) {
  }
  after.done.emplace_back(e, misuse);
  return true;
}

void remote_reservations::route(errand e, base::thread_context& context) {
  aftermath after;
  std::optional<rank> next;
  {
    const std::scoped_lock lock(lock_);
    const rank home = home_of(e.id);
    stand* s = known(e.id);
    if (s && home == job_.self()) s->users[e.origin] = true;
    if (!s && home == job_.self()) {
      after.done.emplace_back(e, failure_ref());  // destroyed meanwhile
    } else if (s && s->held->gone()) {
      after.done.emplace_back(e, s->held->gone());
    } else if (s && s->is_here) {
      if (!run(e, *s, after)) return s->waiting.push_back(std::move(e));
    } else if (s && e.version > std::max(s->seen, s->passed)) {
      return s->waiting.push_back(std::move(e));
    } else if (s && s->passed) {
      next = s->passed_to;
      e.version = s->passed;
    } else {
      next = home;
    }
  }
  if (next) return send(*next, e);
  after.answer(*this, context);
}

void remote_reservations::send(rank to, const errand& e) {
  writer content(e.id, e.what, e.origin, e.token, e.version, e.hops + 1, encode(e.where, job_.node()),
                 static_cast<std::uint8_t>(static_cast<bool>(e.cause)));
  if (e.cause) causes_.write(content, *e.cause.get());
  job_.send(to, errand_, content);
}

void remote_reservations::on_errand(rank from, reader& content, base::thread_context& context) {
  errand e{};
  e.id = content.get<std::uint64_t>();
  e.what = content.get<action>();
  e.origin = content.get<rank>();
  e.token = content.get<std::uint64_t>();
  e.version = content.get<std::uint32_t>();
  e.hops = content.get<std::uint32_t>();
  e.where = decode(content.get<std::uint64_t>(), job_.node_of(from));
  if (content.get<std::uint8_t>()) e.cause = causes_.read(content, from);
  if (content.is_whole()) route(std::move(e), context);
}

void remote_reservations::is_done(const errand& e, const failure_ref& failed, base::thread_context& context) {
  if (e.origin != job_.self()) {
    writer content(e.token, static_cast<std::uint8_t>(static_cast<bool>(failed)));
    if (failed) causes_.write(content, *failed.get());
    return job_.send(e.origin, done_, content);
  }
  std::optional<pending> p;
  {
    const std::scoped_lock lock(lock_);
    const auto it = pending_.find(e.token);
    if (it == pending_.end()) return;  // it ended with the reservation
    p = std::move(it->second);
    pending_.erase(it);
  }
  end(*p, failed, context);
}

void remote_reservations::on_done(rank from, reader& content, base::thread_context& context) {
  errand e{};
  e.origin = job_.self();
  e.token = content.get<std::uint64_t>();
  failure_ref failed;
  if (content.get<std::uint8_t>()) failed = causes_.read(content, from);
  if (content.is_whole()) is_done(e, failed, context);
}

void remote_reservations::end(const pending& p, const failure_ref& failed, base::thread_context& context) {
  auto& cache = detail::event_cache::of(context);
  if (p.what == action::skip_acquire) return detail::finish(*p.s, p.cause.get(), cache, context);
  if (failed && p.what == action::release) {
    detail::report(failed, context);
    return detail::finish(*p.s, failed.get(), cache, context);
  }
  detail::finish(*p.s, nullptr, cache, context);
}

// What is gone.

void remote_reservations::end_all(std::uint64_t id, stand& s, const failure_ref& why, aftermath& after) {
  after.why = why;
  for (errand& e : std::exchange(s.waiting, {})) after.done.emplace_back(std::move(e), why);
  std::erase_if(pending_, [&](const auto& one) {
    if (one.second.id != id) return false;
    after.ended.push_back(one.second);
    return true;
  });
  for (std::size_t r = 0; r < s.users.size(); ++r)
    if (s.users[r] && r != job_.self()) after.users.push_back(static_cast<rank>(r));
}

void remote_reservations::tell_gone(rank to, std::uint64_t id, bool for_good, const failure_ref& why) {
  writer content(id, static_cast<std::uint8_t>(for_good));
  causes_.write(content, *why.get());
  job_.send(to, gone_, content);
}

void remote_reservations::destroy(std::uint64_t id, base::thread_context&, const std::source_location& where) {
  job_.send(home_of(id), destroy_, writer(id, encode(where, job_.node())));
}

void remote_reservations::on_destroy(rank from, reader& content, base::thread_context& context) {
  const auto id = content.get<std::uint64_t>();
  const auto where = decode(content.get<std::uint64_t>(), job_.node_of(from));
  if (detail::destroy_reservation(id, context, where)) return;
  writer refusal;
  causes_.write(refusal, *detail::gone_before(id, where).get());
  job_.send(from, refused_, refusal);
}

void remote_reservations::destroyed(std::uint64_t id, const failure_ref& why) {
  aftermath after;
  {
    const std::scoped_lock lock(lock_);
    const auto it = stands_.find(id);
    if (it == stands_.end()) return;  // no other node has used it
    end_all(id, it->second, why, after);
    stands_.erase(it);
  }
  for (const rank r : after.users) tell_gone(r, id, false, why);
  // Releases of what was destroyed have nothing left to do, which is no failure of theirs.
  for (auto& [e, failed] : after.done) failed = {};
  after.why = {};
  after.answer(*this, base::require_current("reservation::destroy"));
}

void remote_reservations::kill(std::uint64_t id, const failure_ref& why, base::thread_context& context) {
  aftermath after;
  {
    const std::scoped_lock lock(lock_);
    stand* s = known(id);
    if (!s || s->held->gone()) return;
    after.left = s->held->stop(why);
    s->is_here = false;
    end_all(id, *s, why, after);
  }
  for (const rank r : after.users) tell_gone(r, id, true, why);
  after.answer(*this, context);
}

void remote_reservations::on_gone(rank from, reader& content, base::thread_context& context) {
  const auto id = content.get<std::uint64_t>();
  const bool for_good = content.get<std::uint8_t>() != 0;
  const failure_ref why = causes_.read(content, from);
  if (!content.is_whole()) return;
  if (for_good) return kill(id, why, context);
  aftermath after;
  {
    const std::scoped_lock lock(lock_);
    const auto it = stands_.find(id);
    if (it == stands_.end()) return;
    after.left = it->second.held->stop(why);
    end_all(id, it->second, why, after);
    free_.push_back(it->second.held);
    stands_.erase(it);
  }
  auto left = std::exchange(after.left, {nullptr, nullptr});
  for (auto& [e, failed] : after.done) failed = {};
  after.why = {};
  after.answer(*this, context);
  detail::forsake(left, why, context);
}

void remote_reservations::on_refused(rank from, reader& content, base::thread_context& context) {
  if (const failure_ref why = causes_.read(content, from); content.is_whole()) detail::report(why, context);
}

void remote_reservations::on_cut(rank from, reader& content, base::thread_context& context) {
  const auto id = content.get<std::uint64_t>();
  const auto other = content.get<rank>();
  const failure_ref why = causes_.read(content, from);
  {
    const std::scoped_lock lock(lock_);
    const stand* s = known(id);
    if (!content.is_whole() || !s || !s->users[other]) return;
  }
  kill(id, why, context);
}

void remote_reservations::lost(rank node, base::thread_context& context) noexcept {
  const failure_ref why = job_.loss_of(node);
  std::vector<std::uint64_t> dead, elsewhere;
  {
    const std::scoped_lock lock(lock_);
    for (const auto& [id, s] : stands_) {
      const rank home = home_of(id);
      if (home == node || (home == job_.self() && s.users[node]))
        dead.push_back(id);
      else if (home != job_.self())
        elsewhere.push_back(id);
    }
  }
  for (const auto id : dead) kill(id, why, context);
  // Their homes may reach that node still, and are to know what went between it and this one.
  for (const auto id : elsewhere) {
    writer content(id, node);
    causes_.write(content, *why.get());
    job_.send(home_of(id), cut_, content);
  }
}

}  // namespace stretto::dist
