// shared_copy.cpp - claims of parts, and how the helper comes and leaves.
//
// The word `helper` of the request that came first:
//   0             nobody waits, no copy has begun
//   a wait        the owner is suspended until a copy begins
//   a copy | 1    a copy has begun
//   entered       the owner helps
//   over          the copy has ended, or there will be none
#include "ranks/messages/shared_copy.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <string>

#include <stretto/task.hpp>

#include "ranks/datatypes/data_part.hpp"

namespace stretto::ranks {

namespace {

constexpr std::uintptr_t is_copy = 1, entered = 2, over = 4;

void keep_wait(completion&) noexcept {}
std::string describe_wait(const completion&) { return "the other side of a large message"; }
constexpr request_kind wait_kind{{keep_wait, describe_wait}};

/// One side takes parts from the begin on, the other one from the end. If a message is sent again and again, each
/// worker then copies the same bytes every time, and finds them in its own caches.
struct shared_copy {
  static constexpr std::uint64_t from_begin = 1, from_end = std::uint64_t{1} << 32;

  const data_part &to, &from;
  const std::int64_t bytes;
  const std::int64_t part;
  std::atomic<std::uint64_t> taken{0};  // parts: the lower half counts those from the begin, the upper half the others
  request helper_left{wait_kind};

  void copy_parts(std::uint64_t side) {
    const std::int64_t parts = (bytes + part - 1) / part;
    for (;;) {
      const std::uint64_t before = taken.fetch_add(side, std::memory_order_relaxed);
      const auto begun = static_cast<std::int64_t>(before & 0xffffffffu),
                 ended = static_cast<std::int64_t>(before >> 32);
      if (begun + ended >= parts) return;
      const std::int64_t first = part * (side == from_begin ? begun : parts - 1 - ended);
      copy_part(to, from, first, std::min(first + part, bytes));
    }
  }
};

/// Parts are large enough for whole pages, and so many that both sides end at about the same time.
std::int64_t part_of(std::int64_t bytes) { return std::clamp<std::int64_t>(bytes / 16 & -4096, 8 << 10, 128 << 10); }

bool is_wait(std::uintptr_t word) { return word > over && !(word & is_copy); }

void resume(std::uintptr_t wait) { reinterpret_cast<request*>(wait)->end(); }

}  // namespace

void copy_with_help(message_request& first, const data_part& to, const data_part& from) {
  const std::int64_t bytes = std::min(to.bytes(), from.bytes());
  if (need_driver(to, from)) {  // the driver copies: each part would wait for it
    copy_part(to, from);
    return;
  }
  shared_copy copy{to, from, bytes, part_of(bytes)};
  copy.helper_left.activate();
  const auto before = first.helper.exchange(reinterpret_cast<std::uintptr_t>(&copy) | is_copy);
  if (is_wait(before)) resume(before);
  copy.copy_parts(shared_copy::from_begin);
  if (first.helper.exchange(over) == entered) wait_for(copy.helper_left);
}

void help_with_copy(message_request& r, const std::source_location& where) {
  if (r.data.bytes() < split_bytes) return;
  request begun(wait_kind);
  begun.activate();
  std::uintptr_t word = 0;
  if (r.helper.compare_exchange_strong(word, reinterpret_cast<std::uintptr_t>(&begun))) {
    wait(dependency(begun), where);
    word = r.helper.load();
  }
  if (!(word & is_copy) || !r.helper.compare_exchange_strong(word, entered)) return;
  auto& copy = *reinterpret_cast<shared_copy*>(word - is_copy);
  copy.copy_parts(shared_copy::from_end);
  copy.helper_left.end();
}

void end_help(message_request& r) noexcept {
  const auto before = r.helper.exchange(over);
  if (is_wait(before)) resume(before);
}

}  // namespace stretto::ranks
