#include <stretto_devices/device_module.hpp>

#include <chrono>
#include <exception>
#include <utility>

#include "engine.hpp"

namespace stretto::devices {
namespace {

std::uint64_t now_ns() noexcept {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}
std::chrono::nanoseconds since(std::uint64_t begin_ns) noexcept {
  return std::chrono::nanoseconds(now_ns() - begin_ns);
}

/// Whether tags ask for more than a call at once.
bool needs_task(const detail::task_request& r) noexcept {
  const detail::task_request nothing;
  return !r.after.empty() || !r.after_events.empty() || r.profile || r.at || r.on || r.worker != nothing.worker ||
         r.priority != nothing.priority;
}

/// The bytes as an instance, which must be destroyed. `device`: invalid for memory of the host.
instance<std::byte> bytes_at(place device, const native_memory& first, std::size_t bytes,
                             const std::source_location& where) {
  const box all(std::size_t{0}, bytes);
  if (!device)
    return instance<std::byte>::external(static_cast<std::byte*>(first.data) + first.offset_bytes, all, {}, where);
  return instance<std::byte>::external(at(device), first, all, {}, where);
}

}  // namespace

counted_call::counted_call(engine& e, place at) : engine_(e), at_(at), since_ns_(now_ns()) {}
counted_call::~counted_call() { engine_.count_lent(at_, since(since_ns_)); }

module_core::module_core(std::shared_ptr<engine> e) : engine_(std::move(e)) {}
module_core::~module_core() = default;

const std::vector<native_device>& module_core::devices() const noexcept { return engine_->devices(); }
const native_device& module_core::device_at(place p, std::source_location where) const {
  return engine_->device_at(p, where);
}

std::string_view module_core::name() const noexcept { return engine_->driver(); }
void module_core::initialise(module_host& host) { engine_->register_at(host); }
void module_core::started(runtime& owner) { engine_->begin(owner); }
void module_core::finalise() { engine_->end(); }

event module_core::when_ended(void* queue, const std::source_location& where) {
  const user_event done = user_event::create(where);
  engine_->add_point(queue, done);
  return done;
}

event module_core::enqueue_adopted(const detail::task_request& request, void* queue, std::function<void()> body,
                                   const std::source_location& where) {
  engine_->require_open();
  const user_event done = user_event::create(where);
  const auto enqueue = [e = engine_, queue, body = std::move(body), done] {
    const auto begin = now_ns();
    e->call_at(queue, body);
    e->add_point(queue, done);
    e->count_adopted(since(begin));
  };
  // Without tags but a name at once, so that the order of the program is that of the queue.
  if (!needs_task(request)) {
    try {
      enqueue();
    } catch (...) {
      done.poison(std::current_exception(), where);
    }
    return done;
  }
  const future<void> enqueued = detail::spawn_as(request, enqueue, where);
  async(after(ignore_failure(enqueued)), [enqueued, done] {
    try {
      enqueued.get();
    } catch (...) {
      done.poison(std::current_exception());
    }
  });
  return done;
}

void module_core::require_driver(place p, const std::source_location& where) const {
  engine_->require_driver(p, where);
}

void module_core::keep(std::shared_ptr<void> call, const event& done) {
  if (!done.has_triggered()) async(after(ignore_failure(done)), [kept = std::move(call)] {});
}

event module_core::async_copy(place to, const native_memory& target, place from, const native_memory& source,
                              std::size_t bytes, const preconditions& after, std::source_location where) {
  const place to_device = to ? device_at(to, where).memory : place{};
  const place from_device = from ? device_at(from, where).memory : place{};
  const auto into = bytes_at(to_device, target, bytes, where), out_of = bytes_at(from_device, source, bytes, where);
  const event done = copy(out_of, into, after, where);
  into.destroy(stretto::after(ignore_failure(done)), where);
  out_of.destroy(stretto::after(ignore_failure(done)), where);
  engine_->count_copy(to_device, bytes);
  engine_->count_copy(from_device, bytes);
  return done;
}

}  // namespace stretto::devices
