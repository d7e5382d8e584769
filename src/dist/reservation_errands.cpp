// reservation_errands.cpp - what is to happen where a reservation is: on its way, carried out, answered.

#include <algorithm>
#include <utility>

#include "base/context.hpp"
#include "dist/remote_reservations.hpp"
#include "dist/where.hpp"
#include "event/ending.hpp"
#include "event/event_floor.hpp"
#include "event/table.hpp"

namespace stretto::dist {

using detail::holding;

void remote_reservations::answer(const aftermath& after, base::thread_context& context) {
  holding::hand_out(after.next, detail::event_cache::of(context), context);
  for (const auto& [e, failed] : after.done) is_done(e, failed, context);
  for (const pending& p : after.ended) end(p, after.why, context);
  detail::forsake(after.left, after.why, context);
}

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
  answer(after, context);
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

}  // namespace stretto::dist
