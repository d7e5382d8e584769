#include "top/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/progress_list.hpp"

namespace stretto::top {
namespace {

/// "950", "12.3 k", "4.56 M".
std::string short_number(double n) {
  constexpr std::array units{"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  while (n >= 1000 && unit + 1 < units.size()) n /= 1000, ++unit;
  if (unit == 0) return fmt::format("{:.0f}", n);
  return fmt::format("{:.{}f}{}", n, n < 10 ? 2 : n < 100 ? 1 : 0, units[unit]);
}

std::string bytes(double n) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (n >= 1024 && unit + 1 < units.size()) n /= 1024, ++unit;
  return fmt::format("{:.{}f} {}", n, unit && n < 100 ? 1 : 0, units[unit]);
}

std::string duration(double s) {
  const auto whole = static_cast<std::uint64_t>(s);
  if (whole < 60) return fmt::format("{:.1f} s", s);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

class page {
 public:
  page(const sample& now, const sample* before) : now_(now), before_(before) {}

  std::string text() {
    add("{}  process {}, {} resident\n", now_.program, now_.process, bytes(static_cast<double>(now_.resident_bytes)));
    for (const work& w : now_.works) add("{}\n", base::progress_text({w.what, w.unit, w.done, w.total}, false));
    for (const runtime_sample& r : now_.runtimes) show(r);
    return std::move(out_);
  }

 private:
  template <class... T>
  void add(fmt::format_string<T...> form, T&&... values) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<T>(values)...);
  }
  const runtime_sample* earlier(const runtime_sample& r) const {
    if (!before_) return nullptr;
    const auto same = std::ranges::find(before_->runtimes, r.node, &runtime_sample::node);
    // A runtime that has ended may have left its number to another.
    return same != before_->runtimes.end() && same->seconds < r.seconds &&
                   same->counted.workers.size() == r.counted.workers.size()
               ? &*same
               : nullptr;
  }

  void show(const runtime_sample& r) {
    const runtime_sample* const old = earlier(r);
    const double seconds = std::max(1e-9, r.seconds - (old ? old->seconds : 0));
    const auto rate = [&](std::uint64_t n, std::uint64_t m) {
      return n >= m ? short_number(static_cast<double>(n - m) / seconds) : std::string("0");
    };
    std::uint64_t ready = 0;
    for (const auto& p : r.counted.places) ready += p.queued;
    add("\nruntime {}  up {}, {} ready, {} suspended, {} events to come; task records {}, {} stacks\n", r.node,
        duration(r.seconds), ready, r.counted.suspended, r.counted.events.untriggered,
        bytes(static_cast<double>(r.counted.task_bytes)), r.counted.stacks);
    add("  {:<16}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "worker", "tasks", "tasks/s", "steals/s", "waits/s", "sleeps/s");
    for (std::size_t i = 0; i < r.counted.workers.size(); ++i) {
      const auto& w = r.counted.workers[i];
      const worker_statistics b = old ? old->counted.workers[i] : worker_statistics{};
      add("  {:<16}{:>12}{:>12}{:>12}{:>12}{:>12}\n", i, short_number(static_cast<double>(w.tasks)),
          rate(w.tasks, b.tasks), rate(w.steals, b.steals), rate(w.suspensions, b.suspensions), rate(w.parks, b.parks));
    }
    add("  {:<16}{:>12}{:>12}{:>12}\n", "place", "tasks", "tasks/s", "ready");
    for (const auto& p : r.counted.places) {
      const place_statistics* b = nullptr;
      if (old)
        if (const auto at = std::ranges::find(old->counted.places, p.place, &place_statistics::place);
            at != old->counted.places.end())
          b = &*at;
      add("  {:<16}{:>12}{:>12}{:>12}\n", p.place, short_number(static_cast<double>(p.tasks)),
          rate(p.tasks, b ? b->tasks : 0), p.queued);
    }
    if (r.counted.modules.empty()) return;
    add("  {:<16}{:>12}{:>12}{:>12}\n", "module", "count", "count/s", "bytes");
    for (const auto& m : r.counted.modules) {
      std::uint64_t count = 0;
      if (old)
        for (const auto& b : old->counted.modules)
          if (b.module == m.module && b.what == m.what && b.place == m.place) count = b.count;
      add("  {:<16}{:>12}{:>12}{:>12}\n", m.module + " " + m.what, short_number(static_cast<double>(m.count)),
          rate(m.count, count), bytes(static_cast<double>(m.bytes)));
    }
  }

  const sample& now_;
  const sample* before_;
  std::string out_;
};

}  // namespace

std::string view(const sample& now, const sample* before) { return page(now, before).text(); }

std::string line_about(const std::string& name, const sample& now) {
  std::size_t workers = 0;
  std::uint64_t tasks = 0;
  for (const auto& r : now.runtimes) {
    workers += r.counted.workers.size();
    for (const auto& w : r.counted.workers) tasks += w.tasks;
  }
  return fmt::format("{:<12} {:<16} {} runtime{}, {} worker{}, {} tasks, {}\n", name, now.program, now.runtimes.size(),
                     now.runtimes.size() == 1 ? "" : "s", workers, workers == 1 ? "" : "s",
                     short_number(static_cast<double>(tasks)), bytes(static_cast<double>(now.resident_bytes)));
}

}  // namespace stretto::top
