#include "module/module_channel.hpp"

#include <stretto/error.hpp>

#include <utility>

#include "base/context.hpp"
#include "sched/scheduler.hpp"

namespace stretto {

struct detail::copy_done_access {
  static copy_done make(places::completion& of) noexcept {
    copy_done d;
    d.copy_ = &of;
    return d;
  }
  static void forget(copy_done& d) noexcept { d.copy_ = nullptr; }
};

namespace {

sched::scheduler& scheduler_here() {
  return *static_cast<sched::thread_state&>(base::require_current("copy_done")).owner;
}

void end(void*& copy, std::exception_ptr failure) noexcept {
  sched::scheduler& owner = scheduler_here();
  auto& done = *static_cast<places::completion*>(std::exchange(copy, nullptr));
  done.failure = std::move(failure);
  done.run(done);
  owner.outside_ended();
}

}  // namespace

copy_done::copy_done(copy_done&& other) noexcept : copy_(std::exchange(other.copy_, nullptr)) {}
copy_done& copy_done::operator=(copy_done&& other) noexcept {
  std::swap(copy_, other.copy_);
  return *this;
}
copy_done::~copy_done() {
  if (copy_)
    fail(std::make_exception_ptr(error("M08", "a copy was dropped by the channel that had started it")
                                     .because("the channel destroyed its copy_done without succeed() or fail()")
                                     .remedy("keep the copy_done until the copy ends")));
}
void copy_done::succeed() noexcept { end(copy_, nullptr); }
void copy_done::fail(std::exception_ptr why) noexcept { end(copy_, std::move(why)); }

namespace modules {

void module_channel::start(const copy_end& source, const copy_end& target, copy_extent extent,
                           places::completion& done) {
  sched::scheduler& owner = scheduler_here();
  owner.outside_began();
  copy_done handle = detail::copy_done_access::make(done);
  try {
    by_->start(source, target, extent, std::move(handle));
  } catch (...) {
    if (!handle) return;  // completion was reported already, or will be
    detail::copy_done_access::forget(handle);
    owner.outside_ended();
    throw;
  }
}

double module_channel::bandwidth_bytes_per_second(place source, place target) const {
  return by_->bandwidth_bytes_per_second(source, target);
}
double module_channel::latency_seconds(place source, place target) const {
  return by_->latency_seconds(source, target);
}

}  // namespace modules
}  // namespace stretto
