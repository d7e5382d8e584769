#include "dist/job_clock.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/clock.hpp"

namespace stretto::dist {

std::int64_t job_clock::steady_now() noexcept { return static_cast<std::int64_t>(base::nanoseconds_now()); }

job_clock::job_clock(job& j, reading now)
    : job_(j),
      now_(now),
      query_(j.on<&job_clock::on_query>("clock.query", this, job::counted::no)),
      reply_(j.on<&job_clock::on_reply>("clock.reply", this, job::counted::no)) {
  j.add(*this);
}

void job_clock::measure(measuring_point m) {
  if (job_.self() != 0) query(m, 1);
}

void job_clock::query(measuring_point m, std::uint32_t number) { job_.send(0, query_, writer(m, number, now_())); }

void job_clock::on_query(rank from, reader& content, base::thread_context&) {
  const auto m = content.get<measuring_point>();
  const auto number = content.get<std::uint32_t>();
  job_.send(from, reply_, writer(m, number, content.get<std::int64_t>(), now_()));
}

void job_clock::on_reply(rank, reader& content, base::thread_context&) {
  const std::int64_t here = now_();
  const auto m = content.get<measuring_point>();
  const auto number = content.get<std::uint32_t>();
  const auto asked = content.get<std::int64_t>(), there = content.get<std::int64_t>();
  if (!content.is_whole() || static_cast<std::size_t>(m) >= best_samples_.size()) return;
  best_sample& b = best_samples_[static_cast<std::size_t>(m)];
  const std::int64_t round_trip_ns = std::max<std::int64_t>(here - asked, 1);
  if (const auto before = b.round_trip_ns.load(std::memory_order_relaxed); !before || round_trip_ns < before) {
    const std::int64_t offset = there - (asked + here) / 2;
    b.offset_ns.store(std::abs(offset) <= round_trip_ns / 2 ? 0 : offset, std::memory_order_relaxed);
    b.round_trip_ns.store(round_trip_ns, std::memory_order_release);
  }
  if (number < samples) query(m, number + 1);
}

std::int64_t job_clock::offset_ns() const noexcept {
  std::int64_t sum = 0, count = 0;
  for (const best_sample& b : best_samples_)
    if (b.round_trip_ns.load(std::memory_order_acquire)) {
      sum += b.offset_ns.load(std::memory_order_relaxed);
      ++count;
    }
  return count ? sum / count : 0;
}

}  // namespace stretto::dist
