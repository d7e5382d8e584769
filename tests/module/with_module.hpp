// with_module.hpp - options of a runtime with one module.
#pragma once

#include <stretto/runtime.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace stretto::test {

inline runtime_options with(std::shared_ptr<module> m, std::uint32_t workers, bool stepped = false,
                            std::uint64_t seed = 1) {
  return {.workers = workers, .seed = seed, .stepped = stepped, .modules = {std::move(m)}};
}

}  // namespace stretto::test
