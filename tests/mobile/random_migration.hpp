// random_migration.hpp - whether objects migrate at random in this run (STRETTO_WANDER); checks of locations are then
// left out.
#pragma once

#include <cstdlib>

namespace stretto::test {

inline bool migrates_at_random() { return std::getenv("STRETTO_WANDER") != nullptr; }

}  // namespace stretto::test
