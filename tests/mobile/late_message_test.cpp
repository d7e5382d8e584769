// Messages that are sent while the replies to earlier ones, and the end of their object, are under way.
#include <stretto/finish.hpp>
#include <stretto/mobile.hpp>

#include <doctest/doctest.h>

#include <cstdint>

#include "mobile/trial.hpp"

namespace stretto::test {
namespace {

struct till {
  long balance = 3;
  long shown() const { return balance; }
  template <class Archive>
  friend void fields(Archive& a, archived<till, Archive>& t) {
    a(t.balance);
  }
};

TEST_CASE("a message to a destroyed object fails alone, not with earlier messages of its node") {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    CAPTURE(seed);
    trial t(seed, 3);
    const std::uint32_t sender = t.draw();
    future<long> before, later;
    future<void> gone;
    mobile<till> m;
    t.on(0, [&] { m = make_mobile<till>(at_node(t.draw())); });
    t.on(sender, [&] { before = send(m, call<&till::shown>()), gone = destroy(m); });
    t.step(t.random() % 40);  // the end of the object may be known, and the reply to destroy be under way
    t.on(sender, [&] { later = send(m, call<&till::shown>()); });
    t.step_until([&] { return before.is_ready() && gone.is_ready() && later.is_ready(); });
    t.on(sender, [&] {
      CHECK(before.get() == 3);
      CHECK_NOTHROW(gone.get());
      CHECK_THROWS_WITH(later.get(), doctest::Contains("G02"));
      before = {}, later = {}, gone = {};
    });
  }
}

}  // namespace
}  // namespace stretto::test
