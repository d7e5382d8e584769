#include "data/pipeline.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <stretto/box.hpp>

#include "data/box_pieces.hpp"

using namespace stretto;
using namespace stretto::data;

TEST_CASE("whatever the order in which hops end, every piece arrives and no buffer is refilled while it is full") {
  CHECK(rc::check([] {
    const unsigned hops = *rc::gen::inRange(1u, 5u), slots = *rc::gen::inRange(1u, 4u);
    const std::uint64_t pieces = *rc::gen::inRange<std::uint64_t>(1, 12);
    pipeline order(hops, pieces, slots);
    // buffer[h][s]: the piece in slot s after hop h; `none` if it is free
    constexpr std::uint64_t none = 999;
    std::vector<std::vector<std::uint64_t>> buffer(hops, std::vector<std::uint64_t>(slots, none));
    std::vector<std::uint64_t> arrived, running(hops, none);
    while (!order.is_done()) {
      std::vector<std::pair<unsigned, bool>> possible;  // hop, starts
      for (unsigned h = 0; h < hops; ++h) {
        if (order.can_start(h)) possible.emplace_back(h, true);
        if (running[h] != none) possible.emplace_back(h, false);
      }
      RC_ASSERT(!possible.empty());
      const auto [h, starts] = *rc::gen::elementOf(possible);
      if (starts) {
        running[h] = order.start(h);
        if (h > 0) RC_ASSERT(buffer[h - 1][order.slot_of(running[h])] == running[h]);
        if (h + 1 < hops) RC_ASSERT(buffer[h][order.slot_of(running[h])] == none);
        if (h + 1 < hops) buffer[h][order.slot_of(running[h])] = running[h];  // from now on it is being written
      } else {
        if (h > 0) buffer[h - 1][order.slot_of(running[h])] = none;
        if (h + 1 == hops) arrived.push_back(running[h]);
        running[h] = none;
        order.finish(h);
      }
    }
    RC_ASSERT(arrived.size() == pieces);
    for (std::uint64_t p = 0; p < pieces; ++p) RC_ASSERT(arrived[p] == p);
    RC_ASSERT(!order.is_running());
  }));
}

TEST_CASE("pieces are disjoint, together the whole, and no larger than asked") {
  CHECK(rc::check([] {
    const box whole = box::sized(point(*rc::gen::inRange(-9, 9), 3, -2),
                                 extent(*rc::gen::inRange(0, 9), *rc::gen::inRange(1, 9), *rc::gen::inRange(1, 9)));
    const std::uint64_t most = *rc::gen::inRange<std::uint64_t>(1, 200);
    const auto pieces = pieces_of(whole, most);
    std::uint64_t volume = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      RC_ASSERT(pieces[i].volume() <= most);
      RC_ASSERT(whole.contains(pieces[i]));
      volume += pieces[i].volume();
      for (std::size_t k = 0; k < i; ++k) RC_ASSERT(!pieces[i].meets(pieces[k]));
    }
    RC_ASSERT(volume == whole.volume());
  }));
}
