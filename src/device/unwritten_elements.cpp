#include "device/unwritten_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>

#include "base/process_wide.hpp"

namespace stretto::device {
namespace {

// NaN as a float and, twice, as a double; neither an index nor a count.
constexpr std::uint32_t pattern = 0xfff5'a5c3;
constexpr std::size_t most_remembered = 64;

struct memory {
  std::mutex mutex;
  std::deque<unwritten_record> all;  // the last one in front
  std::atomic<bool> has_any = false;
};
memory& remembered() {
  static memory& of_process = base::make_process_wide<memory>();
  return of_process;
}

}  // namespace

bool is_unwritten(const std::byte* element, std::size_t bytes) noexcept {
  if (!can_be_unwritten(bytes)) return false;
  for (std::size_t at = 0; at < bytes; at += sizeof pattern)
    if (std::memcmp(element + at, &pattern, std::min(sizeof pattern, bytes - at)) != 0) return false;
  return true;
}

void mark_unwritten(std::byte* element, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += sizeof pattern)
    std::memcpy(element + at, &pattern, std::min(sizeof pattern, bytes - at));
}

void remember(unwritten_record left) {
  memory& m = remembered();
  const std::scoped_lock lock(m.mutex);
  std::erase(m.all, left);
  m.all.push_front(std::move(left));
  if (m.all.size() > most_remembered) m.all.pop_back();
  m.has_any.store(true, std::memory_order_release);
}

bool has_recorded_launches() noexcept { return remembered().has_any.load(std::memory_order_acquire); }

std::string launch_that_left(const std::int64_t* index) {
  memory& m = remembered();
  const std::scoped_lock lock(m.mutex);
  for (const unwritten_record& l : m.all) {
    bool holds = true;
    for (int axis = 0; axis < 3; ++axis) holds = holds && l.min[axis] <= index[axis] && index[axis] < l.max[axis];
    if (holds)
      return fmt::format("kernel \"{}\"{}{}, whose out argument is {}", l.kernel,
                         l.launched.empty() ? "" : ", launched at ", l.launched, l.array);
  }
  return {};
}

}  // namespace stretto::device
