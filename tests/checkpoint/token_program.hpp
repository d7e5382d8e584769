// token_program.hpp - a program whose result depends neither on timing nor on placement: tokens that move over mobile
// objects.
//
// A token adds to the object that it visits, and moves on until its hops are used up. Some visits wait for another
// object's reply, send after an event, or migrate the object. A token's number alone decides its path.
#pragma once

#include <doctest/doctest.h>

#include <stretto/checkpoint.hpp>
#include <stretto/collection.hpp>
#include <stretto/job.hpp>
#include <stretto/mobile.hpp>
#include <stretto/runtime.hpp>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace stretto::test {

struct token {
  std::uint64_t number = 0;
  std::uint32_t left = 0;
  std::string load = {};  // large for some tokens, so that others overtake them on a slow network
  template <class Archive>
  friend void fields(Archive& a, archived<token, Archive>& k) {
    a(k.number, k.left, k.load);
  }
};
inline token make_token(std::uint64_t number, std::uint32_t left) {
  return {number, left, std::string((number >> 12) % 4 ? 0 : 4000, 'l')};
}

inline std::uint64_t next_number(std::uint64_t x) {
  x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  return x ^ x >> 29;
}

struct tally {
  std::uint64_t which = 0, sum = 0, handled = 0;
  std::string weight;
  collection<tally> all;

  tally() = default;
  explicit tally(std::size_t w) : which(w), weight(w % 3 ? 0 : 3000, 'w') {}
  void know(collection<tally> c) { all = c; }
  std::uint64_t look() const { return which * 1000 + 1; }
  template <class Archive>
  friend void fields(Archive& a, archived<tally, Archive>& t) {
    a(t.which, t.sum, t.handled, t.weight, t.all);
  }
};

enum class way : std::uint64_t { on, after_waiting, after_an_answer, after_both, with_a_move };
inline way way_of(std::uint64_t number) { return static_cast<way>((number >> 40) % 5); }
/// Waiting handlers must not form a cycle.
inline bool waits(way w, std::uint64_t which, std::uint64_t count) {
  return (w == way::after_waiting || w == way::after_both) && which + 1 < count;
}

inline void take(tally& t, const token& k) {
  const std::uint64_t count = t.all.size();
  t.sum += k.number;
  ++t.handled;
  const way w = way_of(k.number);
  const mobile<tally> last = t.all[count - 1];
  if (waits(w, t.which, count)) t.sum += send(last, call<&tally::look>()).get();
  if (w == way::with_a_move)
    migrate(t.all[t.which], at_node(static_cast<std::uint32_t>((k.number >> 20) % job_nodes())));
  if (!k.left) return;
  const token next = make_token(next_number(k.number), k.left - 1);
  const mobile<tally> to = t.all[next.number % count];
  if (w == way::after_an_answer || w == way::after_both) {
    const auto answer = send(last, call<&tally::look>());
    send(after(answer), to, call<&take>(next));
  } else {
    send(to, call<&take>(next));
  }
}

/// The final values of all objects.
struct totals {
  std::vector<std::uint64_t> sums, handled;
  friend bool operator==(const totals&, const totals&) = default;
};
inline totals answer_of(std::uint64_t count, const std::vector<token>& tokens) {
  totals t{std::vector<std::uint64_t>(count), std::vector<std::uint64_t>(count)};
  for (token k : tokens)
    for (;; k = {next_number(k.number), k.left - 1}) {
      const std::uint64_t o = k.number % count;
      t.sums[o] += k.number;
      ++t.handled[o];
      if (waits(way_of(k.number), o, count)) t.sums[o] += (count - 1) * 1000 + 1;
      if (!k.left) break;
    }
  return t;
}
inline std::vector<token> tokens_of(std::uint64_t seed, std::uint64_t count, std::uint32_t hops) {
  std::vector<token> all;
  for (std::uint64_t i = 0; i < count; ++i)
    all.push_back(make_token(next_number(seed * 1000 + i), static_cast<std::uint32_t>((seed + i * 7) % hops)));
  return all;
}

inline void send_all(const collection<tally>& all, const std::vector<token>& tokens) {
  for (const token& k : tokens) send(all[k.number % all.size()], call<&take>(k));
}
/// Waits.
inline totals totals_of(const collection<tally>& all) {
  const auto listed = [](std::vector<std::uint64_t> values, std::uint64_t one) {
    values.push_back(one);
    return values;
  };
  const std::vector<std::uint64_t> none;
  return {reduce(all, call([](const tally& one) { return one.sum; }), none, listed).get(),
          reduce(all, call([](const tally& one) { return one.handled; }), none, listed).get()};
}

}  // namespace stretto::test
