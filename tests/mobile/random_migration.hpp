// random_migration.hpp - whether objects migrate at random in this run (STRETTO_TEST_RANDOM_MIGRATION). Tests then do
// not check locations.
#pragma once

#include <cstdlib>

namespace stretto::test {

inline bool migrates_at_random() { return std::getenv("STRETTO_TEST_RANDOM_MIGRATION") != nullptr; }

}  // namespace stretto::test
