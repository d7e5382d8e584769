#include "dist/posted_receives.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <utility>

#include "data/handle.hpp"
#include "data/operation_waits.hpp"
#include "dist/operation_steps.hpp"
#include "geometry/box_index.hpp"

namespace stretto::dist {

using detail::instance_handle;

namespace {

/// Set in the key together with data::named_by_others; other names have 0 there.
constexpr std::uint64_t posted_mark = 1;
constexpr const char* target_to_exist = "that instance to be there";

std::uint64_t number_of(const instance_handle& h) noexcept {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(h.record)) >> 1;
}

}  // namespace

struct posted_receives::part {
  box elements;
  event done;
  std::uint64_t left = elements.volume();  // elements that have not been counted
  failure_ref cause = {};                  // the first failure of elements that will not come
  bool has_ended = false;
};

/// Guarded by the table's lock, except what no longer changes after opening: boxes, index, target and where.
struct posted_receives::posted_receive {
  explicit posted_receive(std::uint64_t n) noexcept : number(n) {}

  const std::uint64_t number;
  bool is_posted = false, is_open = false;  // before is_posted: other nodes have referred to the number
  std::vector<part> parts;
  geometry::box_index index;  // of non-empty parts
  std::uint64_t left = 0;     // elements of all parts that have not been counted
  std::uint32_t landing = 0;  // pieces that are being written
  failure_ref cause;          // set if the receive as a whole has failed
  instance_handle target;
  std::source_location where;
  event behind;  // what it waits for before it opens
  const char* pending_on = its_preconditions;

  struct waiting_copy {
    request_id of;
    resolved then;
  };
  struct abandoned_boxes {
    std::vector<box> boxes;
    failure_ref cause;
  };
  // Only before it opens.
  std::vector<waiting_copy> waiting;
  std::vector<abandoned_boxes> abandoned;
};

posted_receives::posted_receives(job& j, instance_names& names) : job_(j), names_(names) {
  j.on<&posted_receives::on_not_coming>(this);
}

instance_handle posted_receives::handle_of(std::uint16_t node, std::uint64_t number) noexcept {
  return {reinterpret_cast<detail::instance_record*>(static_cast<std::uintptr_t>(number << 1 | 1)),
          std::uint64_t{node} << 48 | data::named_by_others | posted_mark};
}
bool posted_receives::is_posted(const instance_handle& h) noexcept {
  return (h.key & data::named_by_others) && (h.key & posted_mark);
}

const posted_receives::shared& posted_receives::at(std::uint64_t number) {
  shared& p = all_[number];
  if (!p) p = std::make_shared<posted_receive>(number);
  return p;
}

void posted_receives::post_receive(std::uint64_t number, const instance_handle& target, std::span<const box> parts,
                                   std::span<event> done, event behind, const std::source_location& where,
                                   base::thread_context& context) {
  shared p;
  {
    const std::scoped_lock lock(lock_);
    p = at(number);
    p->is_posted = true;
    p->target = target;
    p->where = where;
    p->behind = behind;
    p->parts.reserve(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      done[i] = detail::make_event(context, where);
      const part& made = p->parts.emplace_back(parts[i], done[i]);
      p->left += made.left;
      if (made.left) p->index.insert(parts[i], static_cast<std::uint32_t>(i));
    }
  }
  when_ended(operation_step{}, behind, context, [this, p](const failure* cause, base::thread_context& on) {
    if (cause) open(p, failure_ref::share(cause), on);
    else find_target(p, on);
  });
}

void posted_receives::find_target(const shared& p, base::thread_context& context) {
  names_.resolve(p->target, "copy", p->where, context,
                 [this, p](const instance_handle& near, failure_ref cause, base::thread_context& on) {
                   if (cause) return open(p, std::move(cause), on);
                   try {
                     await_target(p, near, on);
                   } catch (...) {
                     open(p, detail::make_failure(std::current_exception(), "copy", p->where), on);
                   }
                 });
}

void posted_receives::await_target(const shared& p, const instance_handle& near, base::thread_context& context) {
  const detail::instance_record& r = data::usable(near, "copy", context, p->where);
  for (const part& each : p->parts) data::require_inside("copy", each.elements, r, p->where);
  {
    const std::scoped_lock lock(lock_);
    p->target = near;
    p->behind = r.ready;
    p->pending_on = target_to_exist;
  }
  when_ended(operation_step{}, r.ready, context,
             [this, p](const failure* cause, base::thread_context& on) { open(p, failure_ref::share(cause), on); });
}

void posted_receives::open(const shared& p, failure_ref cause, base::thread_context& context) noexcept {
  std::vector<posted_receive::waiting_copy> now;
  ended_parts over;
  {
    const std::scoped_lock lock(lock_);
    p->is_open = true;
    p->cause = cause ? std::move(cause) : loss_of(p->number);
    for (const posted_receive::abandoned_boxes& g : std::exchange(p->abandoned, {}))
      count(*p, g.boxes, g.cause.get(), over);
    end_parts(*p, over);
    forget_if_over(*p);
    now = std::move(p->waiting);
  }
  end_all(over, context);
  for (posted_receive::waiting_copy& w : now) w.then(p, p->target, {}, context);
}

void posted_receives::resolve(const instance_handle& h, const request_id& of, base::thread_context& context,
                              resolved then) {
  shared p;
  failure_ref lost;
  {
    const std::scoped_lock lock(lock_);
    lost = loss_of(number_of(h));
    if (!lost) {
      p = at(number_of(h));
      if (!p->is_open) return void(p->waiting.push_back({of, std::move(then)}));
    }
  }
  then(p, p ? p->target : instance_handle(), std::move(lost), context);
}

failure_ref posted_receives::begin(posted_receive& p) {
  const std::scoped_lock lock(lock_);
  failure_ref lost = loss_of(p.number);
  if (!lost) ++p.landing;
  return lost;
}

failure_ref posted_receives::refusal(const posted_receive& p, std::span<const box> boxes,
                                     const element_order& o) const {
  {
    const std::scoped_lock lock(lock_);
    if (p.cause) return p.cause;
  }
  std::vector<geometry::box_index::entry> met;
  for (const box& b : boxes) {
    met.clear();
    p.index.find(b, met);
    std::uint64_t posted = 0;
    for (const auto& e : met) posted += intersection(b, e.box).volume();
    if (posted == b.volume()) continue;
    error e("D06", "copy sends elements that no receive expects in " + data::peek_name(p.target.record));
    e.fact("submitted", o.where)
        .fact("box", b.text())
        .fact("posted", p.where)
        .because("no receive from another node covers these elements");
    return detail::make_failure(std::make_exception_ptr(std::move(e)), "copy", o.where);
  }
  return {};
}

void posted_receives::ended(posted_receive& p, std::span<const box> boxes, const failure* cause,
                            base::thread_context& context) noexcept {
  ended_parts over;
  {
    const std::scoped_lock lock(lock_);
    --p.landing;
    if (boxes.empty() && cause && !p.cause) p.cause = failure_ref::share(cause);
    count(p, boxes, cause, over);
    if (p.cause) end_parts(p, over);
    forget_if_over(p);
  }
  end_all(over, context);
}

void posted_receives::count(posted_receive& p, std::span<const box> boxes, const failure* cause, ended_parts& over) {
  std::vector<geometry::box_index::entry> met;
  for (const box& b : boxes) {
    met.clear();
    p.index.find(b, met);
    for (const auto& e : met) {
      part& of = p.parts[e.number];
      const std::uint64_t n = std::min(of.left, intersection(b, e.box).volume());
      of.left -= n;
      p.left -= n;
      if (cause && !of.cause) of.cause = failure_ref::share(cause);
      if (of.left == 0) end_part(p, of, over);
    }
  }
}

void posted_receives::end_parts(posted_receive& p, ended_parts& over) {
  for (part& of : p.parts)
    if (of.left == 0 || (p.cause && p.landing == 0)) end_part(p, of, over);
}

void posted_receives::end_part(posted_receive& p, part& of, ended_parts& over) {
  if (!std::exchange(of.has_ended, true))
    over.push_back({of.done, p.cause ? p.cause : of.cause, of.elements, p.target.record, p.where});
}

void posted_receives::end_all(const ended_parts& all, base::thread_context& context) noexcept {
  for (const ended_part& e : all) {
    failure_ref cause;
    if (e.cause) {
      cause = failure_ref::adopt(new failure(
          *e.cause.get(), "elements " + e.elements.text() + " that other nodes send to " + data::peek_name(e.target),
          e.where));
      detail::report(cause, context);
    }
    detail::end_event(e.done, std::move(cause), context, e.where);
  }
}

void posted_receives::forget_if_over(const posted_receive& p) {
  if (!p.is_open || (p.left != 0 && p.number < lost_from_)) return;
  const auto found = all_.find(p.number);  // the number may be in use again
  if (found != all_.end() && found->second.get() == &p) all_.erase(found);
}

void posted_receives::abandon(const instance_handle& target, std::span<const box> boxes, const failure& cause) {
  // For no elements: that node may have forgotten the number.
  if (!is_posted(target) || std::ranges::all_of(boxes, [](const box& b) { return b.is_empty(); })) return;
  job_.send(*job_.rank_of(static_cast<std::uint16_t>(target.key >> 48)),
            elements_not_coming{number_of(target), failure_ref::share(&cause), {boxes.begin(), boxes.end()}});
}

void posted_receives::on_not_coming(rank from, const elements_not_coming& m, base::thread_context& context) {
  if (!m.why) return job_.refuse_malformed(m.message, from);
  ended_parts over;
  {
    const std::scoped_lock lock(lock_);
    if (m.number >= lost_from_) return;
    const shared p = at(m.number);
    if (!p->is_open) return void(p->abandoned.push_back({m.boxes, m.why}));
    count(*p, m.boxes, m.why.get(), over);
    forget_if_over(*p);
  }
  end_all(over, context);
}

void posted_receives::fail_from(std::uint64_t first, const failure_ref& why, base::thread_context& context) noexcept {
  std::vector<posted_receive::waiting_copy> now;
  ended_parts over;
  {
    const std::scoped_lock lock(lock_);
    if (first >= lost_from_) return;
    loss_ = why;
    lost_from_ = first;
    for (const auto& [number, p] : all_) {
      if (number < first) continue;
      std::ranges::move(std::exchange(p->waiting, {}), std::back_inserter(now));
      if (!p->is_open) continue;
      if (!p->cause) p->cause = why;
      end_parts(*p, over);
    }
    // Receives that wait for an event end when it has ended: work ordered after them must not run before.
    std::erase_if(all_, [first](const auto& entry) {
      return entry.first >= first && (entry.second->is_open || !entry.second->is_posted);
    });
  }
  end_all(over, context);
  for (posted_receive::waiting_copy& w : now) w.then({}, {}, why, context);
}

std::size_t posted_receives::size() const {
  const std::scoped_lock lock(lock_);
  return all_.size();
}

void posted_receives::add_wait_edges(base::wait_walk& walk) const {
  using base::wait_kind;
  const std::scoped_lock lock(lock_);
  for (const auto& [number, p] : all_) {
    const bool is_held_up = p->is_posted && !p->is_open && p->behind != event();
    const std::string target =
        p->is_posted ? data::peek_name(instance_names::is_name(p->target) ? nullptr : p->target.record) : "";
    for (const part& each : p->parts) {
      if (each.has_ended || !walk.has(wait_kind::event, each.done.raw())) continue;
      const std::uint32_t node = walk.at(wait_kind::event, each.done.raw());
      walk[node].kind = wait_kind::request;
      walk[node].name = "elements that other nodes send to " + target;
      walk[node].created_at = short_location(p->where);
      if (!is_held_up) {  // the sender may be held up
        const std::uint32_t comes = node_of_posted(walk, handle_of(job_.node(), number));
        walk[comes].kind = wait_kind::operation;
        walk[comes].name = "what comes under number " + std::to_string(number);
        walk.link(node, comes);
        continue;
      }
      walk[node].pending_on = p->pending_on;
      walk.link(node, walk.at(wait_kind::event, p->behind.raw()));
    }
    for (const posted_receive::waiting_copy& w : p->waiting) {
      const std::uint32_t copy = walk.at(wait_kind::operation, reinterpret_cast<std::uintptr_t>(&w));
      walk[copy].kind = wait_kind::operation;
      walk[copy].name = p->is_posted ? "copy to " + target : "copy to what this node has yet to post";
      walk.link(walk.at(wait_kind::event, w.of.number), copy);
      if (!is_held_up) continue;
      walk[copy].pending_on = p->pending_on;
      walk.link(copy, walk.at(wait_kind::event, p->behind.raw()));
    }
  }
}

}  // namespace stretto::dist
