#include "taskbench/graph.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace taskbench {
namespace {

constexpr std::array<std::string_view, 11> names{"trivial", "no_comm", "stencil_1d",    "stencil_1d_periodic",
                                                 "dom",     "tree",    "fft",           "all_to_all",
                                                 "nearest", "spread",  "random_nearest"};

constexpr long varying_period = 3;  // what the public core takes for spread and random_nearest

void add_range(std::vector<long>& to, long from, long until_inclusive) {
  for (long q = from; q <= until_inclusive; ++q) to.push_back(q);
}

long period_of(const shape& s) {
  switch (s.pattern) {
    case pattern::fft: return std::max<long>(1, std::bit_width(static_cast<unsigned long>(s.width - 1)));
    case pattern::spread:
    case pattern::random_nearest: return varying_period;
    default: return 1;
  }
}

}  // namespace

std::span<const std::string_view> pattern_names() { return names; }

pattern pattern_named(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<pattern>(found - names.begin());
  std::string known;
  for (std::string_view n : names) known.append(known.empty() ? "" : ", ").append(n);
  throw std::invalid_argument("there is no pattern \"" + std::string(name) + "\"; there are " + known);
}

graph::graph(const shape& s)
    : is_(s), period_(1), moving_window_(s.pattern == pattern::dom || s.pattern == pattern::tree) {
  if (s.width < 1 || s.steps < 1) throw std::invalid_argument("a graph needs a width and steps of at least 1");
  if (s.radix < 0 || (s.radix < 1 && s.pattern == pattern::spread))
    throw std::invalid_argument("the radix is too small for this pattern");
  period_ = period_of(s);
  inputs_.resize(period_ * s.width);
  outputs_.resize(period_ * s.width);
  for (long set = 0; set < period_; ++set)
    for (long p = 0; p < s.width; ++p) {
      std::vector<long> list = needs(set, p);
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      for (long q : list) outputs_[set * s.width + q].push_back(p);
      inputs_[set * s.width + p] = std::move(list);
    }
}

long graph::tasks() const {
  long sum = 0;
  for (long t = 0; t < is_.steps; ++t) sum += width(t);
  return sum;
}

long graph::first(long t) const {
  if (is_.pattern != pattern::dom || t < 0 || t >= is_.steps) return 0;
  return std::max(0L, t + is_.width - is_.steps);
}

long graph::width(long t) const {
  if (t < 0 || t >= is_.steps) return 0;
  switch (is_.pattern) {
    case pattern::dom: return std::min({is_.width, t + 1, is_.steps - t});
    case pattern::tree: return std::min(is_.width, 1L << std::min(t, 62L));
    default: return is_.width;
  }
}

long graph::max_inputs() const {
  std::size_t most = 0;
  for (const std::vector<long>& list : inputs_) most = std::max(most, list.size());
  return static_cast<long>(most);
}

// fft starts with the last of its sets, so that step 1 has set 0.
long graph::set_at(long t) const {
  if (period_ == 1) return 0;
  return is_.pattern == pattern::fft ? (t + period_ - 1) % period_ : t % period_;
}

std::vector<long> graph::needs(long set, long p) const {
  const long last = is_.width - 1, radix = is_.radix;
  const long low = std::max(0L, p - radix / 2), high = std::min(p + (radix - 1) / 2, last);
  std::vector<long> list;
  switch (is_.pattern) {
    case pattern::trivial: break;
    case pattern::no_comm: list = {p}; break;
    case pattern::stencil_1d: add_range(list, std::max(0L, p - 1), std::min(p + 1, last)); break;
    case pattern::stencil_1d_periodic: list = {p == 0 ? last : p - 1, p, p == last ? 0 : p + 1}; break;
    case pattern::dom: add_range(list, std::max(0L, p - 1), p); break;
    case pattern::tree: list = {p / 2}; break;
    case pattern::fft:
      for (long q : {p - (1L << set), p, p + (1L << set)})
        if (q >= 0 && q <= last) list.push_back(q);
      break;
    case pattern::all_to_all: add_range(list, 0, last); break;
    case pattern::nearest:
      if (radix > 0) add_range(list, low, high);
      break;
    case pattern::spread:
      for (long i = 0; i < radix; ++i) list.push_back((p + i * is_.width / radix + (i > 0 ? set : 0)) % is_.width);
      break;
    case pattern::random_nearest:
      if (radix == 0) break;
      for (long q = low; q <= high; ++q) {
        const std::array<std::int64_t, 5> key{is_.index, radix, set, q, p};
        if (q == p || random_uniform(key) < is_.connected) list.push_back(q);
      }
      break;
  }
  return list;
}

std::span<const long> graph::clipped(const table& lists, long set_step, long p, long row_step) const {
  if (row_step < 0 || row_step >= is_.steps) return {};
  const std::vector<long>& all = lists[set_at(set_step) * is_.width + p];
  if (!moving_window_) return all;
  const long from = first(row_step), until = from + width(row_step);
  const auto begin = std::lower_bound(all.begin(), all.end(), from);
  const auto end = std::lower_bound(begin, all.end(), until);
  return {begin, end};
}

double random_uniform(std::span<const std::int64_t> words) {
  std::vector<unsigned char> bytes(words.size_bytes());
  std::memcpy(bytes.data(), words.data(), bytes.size());
  // The key is the bytes 1, 2, ... 15, 0.
  return static_cast<double>(siphash(bytes, 0x0807060504030201, 0x000f0e0d0c0b0a09)) * 0x1p-64;
}

std::uint64_t siphash(std::span<const unsigned char> bytes, std::uint64_t key0, std::uint64_t key1) {
  std::uint64_t v0 = key0 ^ 0x736f6d6570736575, v1 = key1 ^ 0x646f72616e646f6d;
  std::uint64_t v2 = key0 ^ 0x6c7967656e657261, v3 = key1 ^ 0x7465646279746573;
  const auto rounds = [&](int count) {
    for (; count > 0; --count) {
      v0 += v1, v2 += v3;
      v1 = std::rotl(v1, 13) ^ v0, v3 = std::rotl(v3, 16) ^ v2;
      v0 = std::rotl(v0, 32);
      v2 += v1, v0 += v3;
      v1 = std::rotl(v1, 17) ^ v2, v3 = std::rotl(v3, 21) ^ v0;
      v2 = std::rotl(v2, 32);
    }
  };
  const auto absorb = [&](std::uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  };
  const std::size_t whole = bytes.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) {
    std::uint64_t word = 0;
    for (int byte = 7; byte >= 0; --byte) word = word << 8 | bytes[i + byte];
    absorb(word);
  }
  std::uint64_t tail = static_cast<std::uint64_t>(bytes.size()) << 56;
  for (std::size_t i = whole; i < bytes.size(); ++i) tail |= static_cast<std::uint64_t>(bytes[i]) << 8 * (i - whole);
  absorb(tail);
  v2 ^= 0xff;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace taskbench
