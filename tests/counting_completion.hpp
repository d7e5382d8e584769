// counting_completion.hpp - a completion that counts how often it ran, and keeps the last failure.
#pragma once

#include "platform/work_item.hpp"

namespace stretto::test {

struct ended : places::completion {
  ended() : places::completion(+[](places::work_item& w) noexcept { ++static_cast<ended&>(w).times; }) {}
  int times = 0;
};

}  // namespace stretto::test
