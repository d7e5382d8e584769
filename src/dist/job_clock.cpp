#include "dist/job_clock.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/clock.hpp"

namespace stretto::dist {

std::int64_t job_clock::steady_now() noexcept { return static_cast<std::int64_t>(base::nanoseconds_now()); }

job_clock::job_clock(job& j, reading now) : job_(j), now_(now) {
  j.on<&job_clock::on_query, &job_clock::on_reply>(this);
  j.add(*this);
}

void job_clock::measure(measuring_point m) {
  if (job_.self() != 0) query(m, 1);
}

void job_clock::query(measuring_point m, std::uint32_t sample) { job_.send(0, clock_query{m, sample, now_()}); }

void job_clock::on_query(rank from, const clock_query& q, base::thread_context&) {
  job_.send(from, clock_reply{q, now_()});
}

void job_clock::on_reply(rank, const clock_reply& r, base::thread_context&) {
  const std::int64_t here = now_(), asked = r.query.sent_at_ns, there = r.answered_at_ns;
  best_sample& b = best_samples_[static_cast<std::size_t>(r.query.point)];
  const std::int64_t round_trip_ns = std::max<std::int64_t>(here - asked, 1);
  if (const auto before = b.round_trip_ns.load(std::memory_order_relaxed); !before || round_trip_ns < before) {
    const std::int64_t offset = there - (asked + here) / 2;
    b.offset_ns.store(std::abs(offset) <= round_trip_ns / 2 ? 0 : offset, std::memory_order_relaxed);
    b.round_trip_ns.store(round_trip_ns, std::memory_order_release);
  }
  if (r.query.sample < samples) query(r.query.point, r.query.sample + 1);
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
