#include "dist/posted_instances.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <utility>

#include "data/handle.hpp"
#include "data/operation_waits.hpp"
#include "dist/steps.hpp"
#include "geometry/box_index.hpp"

namespace stretto::dist {

using detail::instance_handle;

namespace {

constexpr std::uint64_t posted_mark = 1;  // of a key, beside data::named_by_others; of other names that bit is 0
constexpr const char* that_instance = "that instance to be there";

std::uint64_t number_of(const instance_handle& h) noexcept {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(h.record)) >> 1;
}

}  // namespace

struct posted_instances::part {
  box elements;
  event done;
  std::uint64_t left = elements.volume();  // that have not been counted
  failure_ref cause = {};                  // of the first that will not come
  bool has_ended = false;
};

/// Guarded by the table's lock, but for what never changes once it is open: boxes, index, target and where.
struct posted_instances::posting {
  explicit posting(std::uint64_t n) noexcept : number(n) {}

  const std::uint64_t number;
  bool is_posted = false, is_open = false;  // before, others have mentioned it
  std::vector<part> parts;
  geometry::box_index index;       // of parts that are not empty
  std::uint64_t left = 0;          // elements of all parts that have not been counted
  std::uint32_t landing = 0;       // pieces on their way into memory
  failure_ref cause;               // of all that has not ended
  instance_handle target;
  std::source_location where;
  event behind;                    // what it waits for until it is open
  const char* what_for = its_preconditions;

  struct waiting_copy {
    question of;
    resolved then;
  };
  struct given_up {
    std::vector<box> boxes;
    failure_ref cause;
  };
  // Until it is open.
  std::vector<waiting_copy> waiting;
  std::vector<given_up> forsaken;
};

posted_instances::posted_instances(job& j, failures& causes, instance_names& names)
    : job_(j),
      causes_(causes),
      names_(names),
      forsaken_(j.on<&posted_instances::on_forsaken>("instances.forsaken", this)) {}

instance_handle posted_instances::handle_of(std::uint16_t node, std::uint64_t number) noexcept {
  return {reinterpret_cast<detail::instance_record*>(static_cast<std::uintptr_t>(number << 1 | 1)),
          std::uint64_t{node} << 48 | data::named_by_others | posted_mark};
}
bool posted_instances::is_posted(const instance_handle& h) noexcept {
  return (h.key & data::named_by_others) && (h.key & posted_mark);
}

const posted_instances::shared& posted_instances::at(std::uint64_t number) {
  shared& p = all_[number];
  if (!p) p = std::make_shared<posting>(number);
  return p;
}

void posted_instances::post(std::uint64_t number, const instance_handle& target, std::span<const box> parts, std::span<event> done,
                            event behind, const std::source_location& where, base::thread_context& context) {
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
  when_ended(step{}, behind, context, [this, p](const failure* cause, base::thread_context& on) {
    if (cause) open(p, failure_ref::share(cause), on);
    else find_target(p, on);
  });
}

void posted_instances::find_target(const shared& p, base::thread_context& context) {
  names_.resolve(p->target, "copy", p->where, context, [this, p](const instance_handle& near, failure_ref cause, base::thread_context& on) {
    if (cause) return open(p, std::move(cause), on);
    try {
      await_target(p, near, on);
    } catch (...) {
      open(p, detail::make_failure(std::current_exception(), "copy", p->where), on);
    }
  });
}

void posted_instances::await_target(const shared& p, const instance_handle& near, base::thread_context& context) {
  const detail::instance_record& r = data::usable(near, "copy", context, p->where);
  for (const part& each : p->parts) data::require_inside("copy", each.elements, r, p->where);
  {
    const std::scoped_lock lock(lock_);
    p->target = near;
    p->behind = r.ready;
    p->what_for = that_instance;
  }
  when_ended(step{}, r.ready, context,
             [this, p](const failure* cause, base::thread_context& on) { open(p, failure_ref::share(cause), on); });
}

void posted_instances::open(const shared& p, failure_ref cause, base::thread_context& context) noexcept {
  std::vector<posting::waiting_copy> now;
  endings over;
  {
    const std::scoped_lock lock(lock_);
    p->is_open = true;
    p->cause = cause ? std::move(cause) : loss_of(p->number);
    for (const posting::given_up& g : std::exchange(p->forsaken, {})) count(*p, g.boxes, g.cause.get(), over);
    end_parts(*p, over);
    forget_if_over(*p);
    now = std::move(p->waiting);
  }
  end_all(over, context);
  for (posting::waiting_copy& w : now) w.then(p, p->target, {}, context);
}

void posted_instances::resolve(const instance_handle& h, const question& of, base::thread_context& context, resolved then) {
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

failure_ref posted_instances::begin(posting& p) {
  const std::scoped_lock lock(lock_);
  failure_ref lost = loss_of(p.number);
  if (!lost) ++p.landing;
  return lost;
}

failure_ref posted_instances::refusal(const posting& p, std::span<const box> boxes, const element_order& o) const {
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
    error e("D06", "copy names elements that nobody waits for in " + data::peek_name(p.target.record));
    e.fact("submitted", o.where)
        .fact("box", b.text())
        .fact("posted", p.where)
        .because("these elements are in none of the parts that were to come from other nodes");
    return detail::make_failure(std::make_exception_ptr(std::move(e)), "copy", o.where);
  }
  return {};
}

void posted_instances::ended(posting& p, std::span<const box> boxes, const failure* cause, base::thread_context& context) noexcept {
  endings over;
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

void posted_instances::count(posting& p, std::span<const box> boxes, const failure* cause, endings& over) {
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

void posted_instances::end_parts(posting& p, endings& over) {
  for (part& of : p.parts)
    if (of.left == 0 || (p.cause && p.landing == 0)) end_part(p, of, over);
}

void posted_instances::end_part(posting& p, part& of, endings& over) {
  if (!std::exchange(of.has_ended, true)) over.push_back({of.done, p.cause ? p.cause : of.cause, of.elements, p.target.record, p.where});
}

void posted_instances::end_all(const endings& all, base::thread_context& context) noexcept {
  for (const ending& e : all) {
    failure_ref cause;
    if (e.cause) {
      cause = failure_ref::adopt(new failure(*e.cause.get(), "elements " + e.elements.text() + " that other nodes send to " + data::peek_name(e.target), e.where));
      detail::report(cause, context);
    }
    detail::end_event(e.done, std::move(cause), context, e.where);
  }
}

void posted_instances::forget_if_over(const posting& p) {
  if (!p.is_open || (p.left != 0 && p.number < lost_from_)) return;
  const auto found = all_.find(p.number);  // it may stand for another one again
  if (found != all_.end() && found->second.get() == &p) all_.erase(found);
}

void posted_instances::forsake(const instance_handle& target, std::span<const box> boxes, const failure& cause) {
  // Of no elements: the number may have been forgotten there.
  if (!is_posted(target) || std::ranges::all_of(boxes, [](const box& b) { return b.is_empty(); })) return;
  writer w(number_of(target));
  causes_.write(w, cause);
  w.put(static_cast<std::uint64_t>(boxes.size()));
  for (const box& b : boxes) put(w, b);
  job_.send(*job_.rank_of(static_cast<std::uint16_t>(target.key >> 48)), forsaken_, w);
}

void posted_instances::on_forsaken(rank from, reader& content, base::thread_context& context) {
  const auto number = content.get<std::uint64_t>();
  failure_ref cause = causes_.read(content, from);
  std::vector<box> boxes(content.get<std::uint64_t>());
  for (box& b : boxes) b = get_box(content);
  endings over;
  {
    const std::scoped_lock lock(lock_);
    if (number >= lost_from_) return;
    const shared p = at(number);
    if (!p->is_open) return void(p->forsaken.push_back({std::move(boxes), std::move(cause)}));
    count(*p, boxes, cause.get(), over);
    forget_if_over(*p);
  }
  end_all(over, context);
}

void posted_instances::fail_from(std::uint64_t first, const failure_ref& why, base::thread_context& context) noexcept {
  std::vector<posting::waiting_copy> now;
  endings over;
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
    // Those that wait for something end when that has ended: whoever is behind them is not to run before.
    std::erase_if(all_, [first](const auto& entry) { return entry.first >= first && (entry.second->is_open || !entry.second->is_posted); });
  }
  end_all(over, context);
  for (posting::waiting_copy& w : now) w.then({}, {}, why, context);
}

std::size_t posted_instances::numbers() const {
  const std::scoped_lock lock(lock_);
  return all_.size();
}

void posted_instances::tell_waits(base::wait_walk& walk) const {
  using base::wait_kind;
  const std::scoped_lock lock(lock_);
  for (const auto& [number, p] : all_) {
    const bool is_held_up = p->is_posted && !p->is_open && p->behind != event();
    const std::string target = p->is_posted ? data::peek_name(instance_names::is_name(p->target) ? nullptr : p->target.record) : "";
    for (const part& each : p->parts) {
      if (each.has_ended || !walk.has(wait_kind::event, each.done.raw())) continue;
      const std::uint32_t node = walk.at(wait_kind::event, each.done.raw());
      walk[node].kind = wait_kind::request;
      walk[node].name = "elements that other nodes send to " + target;
      walk[node].made = short_location(p->where);
      if (!is_held_up) {  // whoever sends may be held up
        const std::uint32_t comes = at_posted(walk, handle_of(job_.node(), number));
        walk[comes].kind = wait_kind::operation;
        walk[comes].name = "what comes under number " + std::to_string(number);
        walk.link(node, comes);
        continue;
      }
      walk[node].what_for = p->what_for;
      walk.link(node, walk.at(wait_kind::event, p->behind.raw()));
    }
    for (const posting::waiting_copy& w : p->waiting) {
      const std::uint32_t copy = walk.at(wait_kind::operation, reinterpret_cast<std::uintptr_t>(&w));
      walk[copy].kind = wait_kind::operation;
      walk[copy].name = p->is_posted ? "copy to " + target : "copy to what this node has yet to post";
      walk.link(walk.at(wait_kind::event, w.of.number), copy);
      if (!is_held_up) continue;
      walk[copy].what_for = p->what_for;
      walk.link(copy, walk.at(wait_kind::event, p->behind.raw()));
    }
  }
}

}  // namespace stretto::dist
