// random_migration.hpp - whether objects move by themselves in this run (STRETTO_WANDER): what says where they are is left out then.
#pragma once

#include <cstdlib>

namespace stretto::test {

inline bool wander() { return std::getenv("STRETTO_WANDER") != nullptr; }

}  // namespace stretto::test
