#include "isx_keys.hpp"

#include <bit>
#include <numeric>
#include <stdexcept>

namespace isx {
namespace {

constexpr std::uint64_t multiplier = 6364136223846793005u;

// A stream of PCG-XSH-RR: one for each PE.
class number_stream {
 public:
  number_stream(int pe, std::uint64_t skipped) : increment_(2 * static_cast<std::uint64_t>(pe) + 1) { skip(skipped); }

  key next() {
    const std::uint64_t old = state_;
    state_ = old * multiplier + increment_;
    return std::rotr(static_cast<std::uint32_t>(((old >> 18) ^ old) >> 27), static_cast<int>(old >> 59));
  }

 private:
  // n steps are one multiplication and one addition, whose factors come from repeated squaring.
  void skip(std::uint64_t n) {
    std::uint64_t factor = 1, sum = 0, step_factor = multiplier, step_sum = increment_;
    for (; n > 0; n /= 2) {
      if (n % 2) factor *= step_factor, sum = sum * step_factor + step_sum;
      step_sum *= step_factor + 1;
      step_factor *= step_factor;
    }
    state_ = state_ * factor + sum;
  }

  std::uint64_t state_ = 0x853c49e6748fea9bu, increment_;
};

}  // namespace

problem problem::weak(int log2_of_keys, int key_bits, int pe, int pes) {
  if (log2_of_keys < 1 || log2_of_keys > 30 || key_bits < 8 || key_bits > 31)
    throw std::invalid_argument("there are 2^1 to 2^30 keys, each of 8 to 31 bits");
  return {std::size_t{1} << log2_of_keys, key_bits, pes, pe};
}

problem problem::strong(int log2_of_keys, int key_bits, int pe, int pes) {
  problem p = weak(log2_of_keys, key_bits, pe, pes);
  p.keys_per_pe = (p.keys_per_pe + pes - 1) / pes;
  return p;
}

void draw(const problem& p, std::size_t first, std::span<key> into) {
  number_stream numbers(p.pe, first);
  for (key& k : into) k = numbers.next() >> (32 - p.key_bits);
}

void count_buckets(const problem& p, std::span<const key> keys, std::span<std::size_t> sizes) {
  const auto range = static_cast<key>(p.range());
  for (const key k : keys) ++sizes[k / range];
}

void fill_buckets(const problem& p, std::span<const key> keys, std::span<std::size_t> next, std::span<key> into) {
  const auto range = static_cast<key>(p.range());
  for (const key k : keys) into[next[k / range]++] = k;
}

std::vector<std::size_t> begins(std::span<const std::size_t> sizes) {
  std::vector<std::size_t> next(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), next.begin(), std::size_t{0});
  return next;
}

void count_keys(const problem& p, std::span<const key> keys, std::span<std::uint32_t> counters, counting how) {
  const key first = p.first_key();
  const std::size_t range = counters.size();
  if (how == counting::alone) {
    for (const key k : keys)
      if (const key i = k - first; i < range) ++counters[i];
  } else {
    for (const key k : keys)
      if (const key i = k - first; i < range) std::atomic_ref(counters[i]).fetch_add(1, std::memory_order_relaxed);
  }
}

totals verify(const problem& p, std::span<const key> drawn, std::span<const key> came,
              std::span<const std::uint32_t> counters) {
  totals found{.keys = static_cast<long>(came.size())};
  for (const key k : drawn) found.sum -= k;
  for (const key k : came) {
    found.sum += k;
    found.faults += k < p.first_key() || k >= p.first_key() + p.range();
  }
  long counted = 0, sum = 0, sum_of_came = 0;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counted += counters[i];
    sum += static_cast<long>(counters[i]) * static_cast<long>(p.first_key() + i);
  }
  for (const key k : came) sum_of_came += k;
  found.faults += counted != found.keys || sum != sum_of_came;
  return found;
}

std::string fault_of(const problem& p, const totals& all) {
  const long expected = static_cast<long>(p.keys_per_pe) * p.pes;
  if (all.keys != expected) return std::to_string(all.keys) + " keys came, of " + std::to_string(expected);
  if (all.sum != 0) return "the keys that came are not those that were drawn";
  if (all.faults != 0) return std::to_string(all.faults) + " keys or counters are wrong";
  return {};
}

void check_capacity(const problem& p, std::size_t end) {
  if (end > p.capacity())
    throw std::length_error("the buckets of a PE have no capacity for " + std::to_string(end) + " keys");
}

}  // namespace isx
