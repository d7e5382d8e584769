#include "dist/posted_instances.hpp"

#include <utility>

#include "data/instance_record.hpp"
#include "data/other_nodes.hpp"
#include "dist/steps.hpp"
#include "event/event_floor.hpp"

namespace stretto::dist {
namespace {

// As the names of instance_names, with a creator that no node is.
constexpr std::uint64_t nobody = std::uint64_t{0x7fff} << 32;

}  // namespace

posted_instances::posted_instances(job& j, failures& causes)
    : job_(j), causes_(causes), failed_(j.on<&posted_instances::on_failed>("instances.failed", this)) {}

detail::instance_handle posted_instances::name_of(rank owner, std::uint64_t number) const noexcept {
  return {reinterpret_cast<detail::instance_record*>(static_cast<std::uintptr_t>(number << 1 | 1)),
          std::uint64_t{job_.node_of(owner)} << 48 | data::named_by_others | nobody};
}

bool posted_instances::is_posted(const detail::instance_handle& h) noexcept {
  return (h.key & data::named_by_others) && (h.key & nobody) == nobody;
}

std::uint64_t posted_instances::number_in(const detail::instance_handle& h) noexcept {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(h.record)) >> 1;
}

void posted_instances::post(std::uint64_t number, const detail::instance_handle& target, std::span<const box> parts, std::span<event> done,
                            event behind, const std::source_location& where, base::thread_context& context) {
  failure_ref cause;
  {
    const std::scoped_lock lock(lock_);
    posting& p = postings_[number];  // which may have failed, or be waited for
    p.target = target;
    p.where = where;
    p.is_made = true;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      done[i] = detail::make_event(context, where);
      p.parts.push_back({parts[i], parts[i].volume(), done[i]});
    }
    cause = p.cause ? p.cause : lost_;
  }
  if (cause) return failed(number, std::move(cause), context);
  when_ended(step{.what_for = its_preconditions, .verb = "receive", .near = target.record}, behind, context,
             [this, number](const failure* why, base::thread_context& on) { opened(number, failure_ref::share(why), on); });
}

void posted_instances::opened(std::uint64_t number, failure_ref cause, base::thread_context& context) {
  if (cause) return failed(number, std::move(cause), context);
  std::vector<resolved> now;
  detail::instance_handle target;
  {
    const std::scoped_lock lock(lock_);
    const auto found = postings_.find(number);
    if (found == postings_.end() || found->second.cause) return;
    found->second.is_open = true;
    target = found->second.target;
    now = std::move(found->second.waiting);
  }
  for (resolved& then : now) then(target, {}, context);
}

void posted_instances::resolve(std::uint64_t number, base::thread_context& context, resolved then) {
  failure_ref cause;
  detail::instance_handle target;
  {
    const std::scoped_lock lock(lock_);
    posting& p = postings_[number];
    cause = p.cause ? p.cause : lost_;
    if (!cause && !p.is_open) return p.waiting.push_back(std::move(then));
    target = p.target;
  }
  then(target, std::move(cause), context);
}

void posted_instances::came(std::uint64_t number, std::span<const box> boxes, base::thread_context& context) {
  std::vector<part> ended;
  posting of;
  {
    const std::scoped_lock lock(lock_);
    const auto found = postings_.find(number);
    if (found == postings_.end() || found->second.cause) return;
    std::erase_if(found->second.parts, [&](part& p) {
      for (const box& b : boxes) p.lacks -= intersection(b, p.elements).volume();
      if (p.lacks != 0) return false;
      ended.push_back(p);
      return true;
    });
    of.where = found->second.where;
    if (found->second.parts.empty()) postings_.erase(found);
  }
  for (const part& p : ended) end(p, of, {}, context);
}

void posted_instances::failed(std::uint64_t number, failure_ref cause, base::thread_context& context) {
  posting now;
  {
    const std::scoped_lock lock(lock_);
    posting& p = postings_[number];
    if (!p.cause) p.cause = cause;
    now.where = p.where;
    now.parts = std::exchange(p.parts, {});
    now.waiting = std::exchange(p.waiting, {});
  }
  for (resolved& then : now.waiting) then({}, cause, context);
  for (const part& p : now.parts) end(p, now, cause, context);
}

void posted_instances::end(const part& p, const posting& of, failure_ref cause, base::thread_context& context) {
  if (cause) cause = failure_ref::adopt(new failure(*cause.get(), "receipt of elements", of.where));
  detail::end_event(p.done, std::move(cause), context, of.where);
}

void posted_instances::tell_failed(const detail::instance_handle& h, const failure& cause) {
  writer w(number_in(h));
  causes_.write(w, cause);
  job_.send(*job_.rank_of(static_cast<std::uint16_t>(h.key >> 48)), failed_, w);
}

void posted_instances::on_failed(rank from, reader& content, base::thread_context& context) {
  const auto number = content.get<std::uint64_t>();
  failed(number, causes_.read(content, from), context);
}

void posted_instances::lost(rank node, base::thread_context& context) {
  std::vector<std::uint64_t> all;
  failure_ref cause = job_.loss_of(node);
  {
    const std::scoped_lock lock(lock_);
    if (!lost_) lost_ = cause;
    for (const auto& [number, p] : postings_)
      if (!p.cause) all.push_back(number);
  }
  for (const std::uint64_t number : all) failed(number, cause, context);
}

void posted_instances::tell_waits(base::wait_walk& walk) const {
  const std::scoped_lock lock(lock_);
  for (const auto& [number, p] : postings_)
    for (const part& one : p.parts) {
      if (!walk.has(base::wait_kind::event, one.done.raw())) continue;
      base::wait_node& node = walk[walk.at(base::wait_kind::event, one.done.raw())];
      node.kind = base::wait_kind::request;
      node.name = "elements " + one.elements.text() + " that other nodes send";
      node.made = short_location(p.where);
    }
}

std::size_t posted_instances::posted() const {
  const std::scoped_lock lock(lock_);
  return postings_.size();
}

}  // namespace stretto::dist
