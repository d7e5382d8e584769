#include "device/device_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "base/driver_threads.hpp"
#include "platform/added_place.hpp"

namespace stretto::device {

attached_device::attached_device(device_set& owner, opened_device f, std::string name, const stream_options& o)
    : has_copy_streams_(o.has_copy_streams),
      owner_(owner),
      is_(std::move(f.is)),
      name_(std::move(name)),
      slots_(first_kernel_slot + o.kernels) {}

stream& attached_device::stream_of(std::size_t slot) {
  auto& is = slots_[slot].is;
  if (!is) is = make_stream();
  return *is;
}

std::unique_ptr<stream> attached_device::make_stream() {
  const base::driver_threads started_here;
  return is_->make_stream();
}

void attached_device::notify(stream& own, places::completion& done) {
  owner_.add_pending();
  try {
    own.notify(done);
  } catch (...) {
    owner_.remove_pending();
    throw;
  }
}

bool attached_device::is_under_way(key k) const {
  std::scoped_lock lock(table_lock_);
  return under_way_.find(k);
}

// A kernel uses the stream of an operation that it follows, if that is the last one there. So chains need no markers,
// and independent branches run concurrently.
std::size_t attached_device::slot_for(work what, std::span<const ticket> behind) noexcept {
  if (has_copy_streams_ && what == work::to_device) return slot_to_device;
  if (has_copy_streams_ && what == work::to_host) return slot_to_host;
  for (const ticket& p : behind)
    if (p.slot >= first_kernel_slot && p.number == slots_[p.slot].enqueued) return p.slot;
  const std::size_t slot = first_kernel_slot + next_kernel_slot_;
  next_kernel_slot_ = (next_kernel_slot_ + 1) % (slots_.size() - first_kernel_slot);
  return slot;
}

void attached_device::enqueue(work what, std::span<const key> behind, key mine, ticket& where,
                              const std::function<void(stream&)>& into) {
  std::scoped_lock order(order_mutex_);
  waits_.clear();
  if (!behind.empty()) {
    std::scoped_lock lock(table_lock_);
    for (const key k : behind)
      if (const ticket* const found = under_way_.find(k)) waits_.push_back(*found);
  }
  const std::size_t slot = slot_for(what, waits_);
  stream& s = stream_of(slot);
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    const std::size_t other = waits_[i].slot;
    const auto before = std::span(waits_).first(i);
    if (other == slot || std::ranges::find(before, other, &ticket::slot) != before.end()) continue;
    s.wait_for(slots_[other].is->record_marker());
  }
  // Written before the operation can complete: its completion looks it up.
  where = {slot, ++slots_[slot].enqueued, trace::clock::now(), where.id, 0};
  trace::ticks latest = 0;
  for (const ticket& p : waits_)
    if (p.since >= latest) latest = p.since, where.cause = p.id;
  if (mine) {
    std::scoped_lock lock(table_lock_);
    under_way_.insert(mine, where);
  }
  owner_.add_pending();
  try {
    into(s);
  } catch (...) {
    if (mine) {
      std::scoped_lock lock(table_lock_);
      under_way_.erase(mine);
    }
    owner_.remove_pending();
    throw;
  }
}

trace::ticks attached_device::ended(key mine, const ticket& where) noexcept {
  std::scoped_lock lock(table_lock_);
  stream_slot& l = slots_[where.slot];
  const trace::ticks since = std::max(where.since, l.last_end);
  l.last_end = trace::clock::now();
  if (mine) under_way_.erase(mine);
  return since;
}

void attached_device::record(const ticket& where, const trace::record& span) noexcept {
  if (!owner_.recorder_) return;
  trace::ring*& ring = slots_[where.slot].ring;
  if (!ring) {
    const std::string what = where.slot == slot_to_device ? "copies in"
                             : where.slot == slot_to_host ? "copies out"
                                                          : fmt::format("stream {}", where.slot - first_kernel_slot);
    try {
      ring = &owner_.recorder_->add_ring(fmt::format("{} {}", name_, what));
    } catch (const std::bad_alloc&) {  // the span is dropped
      return;
    }
  }
  ring->push(span);
}

device_set::device_set(std::vector<opened_device> open, const stream_options& of_each)
    : notifier_(std::make_shared<completion_notifier>([this] { poll_now(); })) {
  std::map<std::string, unsigned> numbers;
  for (opened_device& f : open) {
    const std::string& backend = f.is->about().backend;
    std::string name = fmt::format("{}_{}", backend, numbers[backend]++);
    all_.push_back(std::make_unique<attached_device>(*this, std::move(f), std::move(name), of_each));
  }
}

platform device_set::extended(const platform& machine) {
  if (all_.empty()) return machine;
  platform_description d = machine.describe();
  const auto place_named = [&](std::string name, place_kind kind) {
    for (std::uint32_t i = 0; i < d.places.size(); ++i)
      if (d.places[i].name == name && d.places[i].kind == kind) return place{i};
    return places::added_place(d, std::move(name), kind);
  };
  const auto link = [&](place a, place b, const properties& about) {
    for (const place_link& l : d.links)
      if ((l.a == a && l.b == b) || (l.a == b && l.b == a)) return;
    place_link l{a, b, {}, {}};
    if (about.bandwidth_bytes_per_second > 0) l.bandwidth_bytes_per_second = about.bandwidth_bytes_per_second;
    if (about.latency_seconds > 0) l.latency_seconds = about.latency_seconds;
    d.links.push_back(l);
  };
  // The host memory that devices are linked to: the one with the largest extent.
  place root;
  for (const place_kind k : {place_kind::system_memory, place_kind::numa})
    for (std::uint32_t i = 0; !root && i < d.places.size(); ++i)
      if (d.places[i].kind == k) root = {i};
  if (!root) root = machine.home(0);
  for (const auto& a : all_) {
    const properties& about = a->is().about();
    a->processor_ = place_named(a->name_, place_kind::gpu);
    a->memory_ = place_named(a->name_ + "_memory", place_kind::gpu_memory);
    d.places[a->memory_.index].capacity_bytes = about.memory_bytes;
    link(a->processor_, a->memory_, {});
    link(a->memory_, root, about);
    if (!about.host_memory_bytes) continue;
    a->host_memory_ = place_named(a->name_ + "_host_memory", place_kind::pinned_memory);
    d.places[a->host_memory_.index].capacity_bytes = about.host_memory_bytes;
    link(a->processor_, a->host_memory_, about);
    link(a->host_memory_, root, {});
  }
  by_place_.assign(d.places.size(), nullptr);
  for (const auto& a : all_) by_place_[a->processor_.index] = by_place_[a->memory_.index] = a.get();
  return platform::build(std::move(d));
}

bool device_set::prefers_spinning() const noexcept {
  return std::ranges::any_of(all_, [](const auto& a) { return a->is_->about().prefers_spinning; });
}

attached_device* device_set::sharing(place p) const noexcept {
  for (const auto& a : all_)
    if (p && a->host_memory_ == p) return a.get();
  return nullptr;
}

void device_set::poll_separately(bool apart) noexcept {
  next_poll(apart ? std::chrono::steady_clock::time_point::max() : std::chrono::steady_clock::time_point());
}

std::size_t device_set::poll_one(std::size_t number) {
  const std::size_t ended = all_[number]->is().poll();
  remove_pending(ended);
  return ended;
}

std::size_t device_set::poll() {
  std::size_t ended = 0;
  for (const auto& a : all_) ended += a->is().poll();
  remove_pending(ended);
  return ended;
}

void device_set::stop_notifying() noexcept {
  notifies_.store(false, std::memory_order_seq_cst);
  notifier_->disconnect();
  if (pending()) next_poll({});
}

// Every device must agree: operations that start on any of them from now on must notify too.
bool device_set::will_call() noexcept {
  if (!notifies_.load(std::memory_order_seq_cst)) return false;
  for (const auto& a : all_)
    if (!a->is().will_notify(notifier_)) return false;
  return true;
}

// No backend's poll throws: driver errors become failures of completions.
void device_set::fail(std::exception_ptr) noexcept {}

}  // namespace stretto::device
