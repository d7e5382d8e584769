#include "api/known_runtimes.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace stretto::detail {
namespace {

struct known {
  std::mutex mutex;
  std::vector<const runtime*> all;
};

/// Never destroyed: a static runtime may end after everything else.
known& of_process() {
  static known& one = *new known;
  return one;
}

}  // namespace

void know(const runtime& r) {
  const std::scoped_lock lock(of_process().mutex);
  of_process().all.push_back(&r);
}

void forget(const runtime& r) noexcept {
  const std::scoped_lock lock(of_process().mutex);
  std::erase(of_process().all, &r);
}

bool forget_unless(const runtime& r, const std::function<bool()>& is_in_use) noexcept {
  const std::scoped_lock lock(of_process().mutex);
  if (is_in_use()) return false;
  std::erase(of_process().all, &r);
  return true;
}

bool with_known(const runtime& r, const std::function<void()>& attach) {
  const std::scoped_lock lock(of_process().mutex);
  if (std::ranges::find(of_process().all, &r) == of_process().all.end()) return false;
  attach();
  return true;
}

}  // namespace stretto::detail
