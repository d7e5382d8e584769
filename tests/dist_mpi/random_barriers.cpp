// Barriers among the random programs: arrivals of all nodes, ahead of their phase, with values, late and poisoned.
#include <stretto/barrier.hpp>
#include <stretto/event.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/remote.hpp>

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "drawing.hpp"
#include "thrown_by.hpp"

namespace stretto::test {
namespace {

struct sum_of_values {
  using value_type = std::int64_t;
  static std::int64_t identity() { return 0; }
  static void apply(std::int64_t& into, const std::int64_t& value) { into += value; }
};
using sums = reducing_barrier<sum_of_values>;

struct arrival {
  std::uint32_t node = 0, phase = 0, count = 0;
  std::int64_t value = 0;  // 0: none
  bool is_late = false, fails = false;
};
/// The same on all nodes: who arrives where, and what each phase comes to.
struct plan {
  std::uint32_t expected, phases;
  std::vector<arrival> all;
  std::vector<std::int64_t> sum;
  std::vector<bool> fails;

  explicit plan(std::uint64_t seed) {
    drawing draw(seed);
    expected = 1 + static_cast<std::uint32_t>(draw.below(6));
    phases = 1 + static_cast<std::uint32_t>(draw.below(7));  // the values of eight are kept
    sum.resize(phases);
    fails.resize(phases);
    for (std::uint32_t phase = 0; phase < phases; ++phase)
      for (std::uint32_t left = expected; left > 0;) {
        const auto count = 1 + static_cast<std::uint32_t>(draw.below(left));
        left -= count;
        const bool has_failed = draw.below(12) == 0;
        const auto value = static_cast<std::int64_t>(draw.below(3) ? draw.below(1000) : 0);
        all.push_back({draw.node(), phase, count, value, has_failed || draw.below(2) == 0, has_failed});
        if (has_failed) fails[phase] = true;
        else sum[phase] += value;
      }
  }
};

sums make_sums(std::uint32_t expected) { return sums::create(expected); }
sums phase_of(sums b, std::uint32_t phase) {
  for (; phase > 0; --phase) b = b.advance();
  return b;
}

/// This node's arrivals, in an order of its own; then each phase as it is seen from here.
void arrive_and_look(const sums& b, std::uint64_t seed) {
  seed_now = seed;
  const plan p(seed);
  drawing draw(seed * 31 + this_node());
  std::vector<arrival> mine;
  for (const arrival& a : p.all)
    if (a.node == this_node()) mine.push_back(a);
  std::vector<std::pair<user_event, bool>> late;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    std::swap(mine[i], mine[i + draw.below(mine.size() - i)]);
    const arrival& a = mine[i];
    const sums at = phase_of(b, a.phase);
    event when;
    if (a.is_late) when = late.emplace_back(user_event::create(), a.fails).first;
    if (a.value) at.arrive_with(a.value, after(when), a.count);
    else at.arrive(when, a.count);
    if (draw.below(3) == 0) yield();
  }
  for (const auto& [e, fails] : late)
    fails ? e.poison(std::make_exception_ptr(std::runtime_error("too late"))) : e.trigger();
  for (std::uint32_t k = 0; k < p.phases; ++k) {
    const auto phase = draw.below(2) ? k : static_cast<std::uint32_t>(draw.below(p.phases));
    const sums at = phase_of(b, phase);
    const std::string said = words_of(async(after(at.event()), [] {}));
    const std::string which = "phase " + std::to_string(phase) + " on node " + std::to_string(this_node());
    expect(p.fails[phase] ? said.find("too late") != said.npos : said.empty(), which + " ends with \"" + said + "\"");
    for (std::uint32_t earlier = 0; earlier < phase; ++earlier)
      expect(phase_of(b, earlier).has_triggered(),
             which + " has happened, and phase " + std::to_string(earlier) + " has not");
    if (!p.fails[phase])
      expect(at.result() == p.sum[phase], which + " has the sum " + std::to_string(at.result().value_or(-1)));
  }
}

}  // namespace

void barrier_program(std::uint64_t seed) {
  drawing draw(seed + 1);
  const plan p(seed);
  const sums b = async(at_node(draw.node()), call<&make_sums>(p.expected)).get();
  finish([&] {
    for (std::uint32_t n = 0; n < job_nodes(); ++n) async(at_node(n), call<&arrive_and_look>(b, seed));
  });
  b.destroy();
}

}  // namespace stretto::test
