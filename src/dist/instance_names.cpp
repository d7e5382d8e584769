#include "dist/instance_names.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "data/instance_record.hpp"
#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"

namespace stretto::dist {

using detail::instance_handle;

// key: owner's node number, named_by_others, creator's node number (15 bits each). record: the number, odd, so that it
// is no address.
instance_handle instance_names::handle_of(rank owner, const instance_name& name) const noexcept {
  return {reinterpret_cast<detail::instance_record*>(static_cast<std::uintptr_t>(name.number << 1 | 1)),
          std::uint64_t{job_.node_of(owner)} << 48 | data::named_by_others |
              std::uint64_t{job_.node_of(name.creator)} << 32};
}

bool instance_names::is_name(const instance_handle& h) noexcept { return h.key & data::named_by_others; }

instance_name instance_names::name_in(const instance_handle& h) const noexcept {
  const auto creator = static_cast<std::uint16_t>(h.key >> 32 & 0x7fff);
  return {job_.rank_of(creator).value_or(job_.self()),
          static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(h.record)) >> 1};
}

void instance_names::announce(const instance_name& name, creation_result is, base::thread_context& context) {
  std::vector<waiting> now;
  {
    const std::scoped_lock lock(lock_);
    latest_[name.creator] = name.number;
    if (results_.size() >= sweep_size_) sweep();
    results_.insert_or_assign(key_of(name), is);
    const auto found = waiting_.find(key_of(name));
    if (found != waiting_.end()) {
      now = std::move(found->second);
      waiting_.erase(found);
    }
  }
  for (waiting& w : now) w.then(is.made, is.cause, context);
}

void instance_names::sweep() {
  std::erase_if(results_, [](const auto& entry) {
    const instance_handle& h = entry.second.made;
    return h.record && h.record->live.load(std::memory_order_acquire) != h.key;
  });
  sweep_size_ = 2 * results_.size() + 64;
}

instance_names::creation_result instance_names::lookup(const instance_name& name, const char* verb,
                                                       const std::source_location& where) const {
  const auto found = results_.find(key_of(name));
  if (found != results_.end()) return found->second;
  if (name.number > latest_[name.creator]) return {};
  error gone("D01", "an instance was destroyed before this " + std::string(verb));
  gone.fact("submitted", where)
      .fact("creator", "node " + job_.name_of(name.creator))
      .because("the destruction did not wait for it")
      .remedy("destroy the instance after everything that uses it: x.destroy(after(event))");
  return {{}, detail::make_failure(std::make_exception_ptr(std::move(gone)), verb, where)};
}

instance_handle instance_names::find(const instance_name& name, const char* verb, const std::source_location& where) {
  creation_result is;
  {
    const std::scoped_lock lock(lock_);
    is = lookup(name, verb, where);
  }
  if (is.cause) is.cause->raise();
  return is.made;
}

void instance_names::resolve(const instance_handle& h, const char* verb, const std::source_location& where,
                             base::thread_context& context, resolved then) {
  if (!is_name(h)) return then(h, {}, context);
  const instance_name name = name_in(h);
  creation_result is;
  {
    const std::scoped_lock lock(lock_);
    is = lookup(name, verb, where);
    if (!is.made.record && !is.cause) {
      // If the creator is lost, the request will never arrive.
      if (!job_.is_lost(name.creator)) {
        waiting_[key_of(name)].push_back({verb, where, std::move(then)});
        return;
      }
      is.cause = job_.loss_of(name.creator);
    }
  }
  then(is.made, is.cause, context);
}

void instance_names::lost(rank creator, base::thread_context& context) noexcept {
  std::vector<waiting> now;
  {
    const std::scoped_lock lock(lock_);
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      if ((at->first & 0x7fff) != creator) {
        ++at;
        continue;
      }
      std::ranges::move(at->second, std::back_inserter(now));
      at = waiting_.erase(at);
    }
  }
  for (waiting& w : now) w.then({}, job_.loss_of(creator), context);
}

}  // namespace stretto::dist
