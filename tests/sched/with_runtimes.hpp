// with_runtimes.hpp - the same test on runtimes of 1, 2 and 4 workers, with threads of their own and stepped.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>

#include <stretto/runtime.hpp>

#include "function_reference.hpp"

namespace stretto::test {

inline void with_runtimes(function_reference<void()> body) {
  for (const bool stepped : {false, true})
    for (const std::uint32_t workers : {1u, 2u, 4u}) {
      CAPTURE(stepped);
      CAPTURE(workers);
      runtime rt({.workers = workers, .stepped = stepped});
      rt.run([&] { body(); });
    }
}

}  // namespace stretto::test
