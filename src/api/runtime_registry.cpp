#include "api/runtime_registry.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/process_wide.hpp"

namespace stretto::detail {
namespace {

/// Each change is one store, so a child that is forked meanwhile sees all of it or nothing.
struct registry {
  using places = std::vector<std::atomic<const runtime*>>;

  std::mutex mutex;
  std::atomic<places*> all{new places(8)};

  std::atomic<const runtime*>* find(const runtime* r) noexcept {
    places& now = *all.load(std::memory_order_relaxed);
    const auto at =
        std::ranges::find_if(now, [&](const auto& one) { return one.load(std::memory_order_relaxed) == r; });
    return at == now.end() ? nullptr : &*at;
  }
  void add(const runtime* r) {
    if (auto* const empty = find(nullptr)) return empty->store(r, std::memory_order_release);
    const places& now = *all.load(std::memory_order_relaxed);
    auto larger = std::make_unique<places>(2 * now.size());
    for (std::size_t i = 0; i < now.size(); ++i) (*larger)[i].store(now[i].load(std::memory_order_relaxed));
    larger->back().store(r, std::memory_order_relaxed);
    delete all.exchange(larger.release(), std::memory_order_acq_rel);
  }
  void remove(const runtime* r) noexcept {
    if (auto* const at = find(r)) at->store(nullptr, std::memory_order_release);
  }
  /// A forked child keeps the entries of its parent, to refuse these runtimes.
  static void reset_in_child(void* of) noexcept { std::construct_at(&static_cast<registry*>(of)->mutex); }
};

/// Never destroyed: a static runtime may end after all other static objects.
registry& of_process() {
  static registry& one = base::make_process_wide<registry>(registry::reset_in_child);
  return one;
}

}  // namespace

void register_runtime(const runtime& r) {
  const std::scoped_lock lock(of_process().mutex);
  of_process().add(&r);
}

void unregister_runtime(const runtime& r) noexcept {
  const std::scoped_lock lock(of_process().mutex);
  of_process().remove(&r);
}

bool unregister_runtime_unless(const runtime& r, const std::function<bool()>& is_in_use) noexcept {
  const std::scoped_lock lock(of_process().mutex);
  if (is_in_use()) return false;
  of_process().remove(&r);
  return true;
}

bool with_registered(const runtime& r, const std::function<void()>& attach) {
  const std::scoped_lock lock(of_process().mutex);
  if (!of_process().find(&r)) return false;
  attach();
  return true;
}

}  // namespace stretto::detail
