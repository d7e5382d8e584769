// counting_completion.hpp - a completion that counts its runs and keeps the last failure.
#pragma once

#include "platform/work_item.hpp"

namespace stretto::test {

struct counting_completion : places::completion {
  counting_completion()
      : places::completion(+[](places::work_item& w) noexcept { ++static_cast<counting_completion&>(w).times; }) {}
  int times = 0;
};

}  // namespace stretto::test
