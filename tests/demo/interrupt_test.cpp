#include "demo/wave/interrupt.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace stretto::wave;

TEST_CASE("Ctrl-C is a wish while the object lives, and what it was before afterwards") {
  const auto before = std::signal(SIGINT, SIG_DFL);
  {
    const interrupt ctrl_c;
    CHECK(!ctrl_c.wished());
    std::raise(SIGINT);
    CHECK(ctrl_c.wished());
  }
  CHECK(!interrupt().wished());
  CHECK((std::signal(SIGINT, before) == SIG_DFL));
}

TEST_CASE("where Ctrl-C is ignored it stays so") {
  const auto before = std::signal(SIGINT, SIG_IGN);
  {
    const interrupt ctrl_c;
    std::raise(SIGINT);
    CHECK(!ctrl_c.wished());
  }
  CHECK((std::signal(SIGINT, before) == SIG_IGN));
}
