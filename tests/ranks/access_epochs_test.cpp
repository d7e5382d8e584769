#include <doctest/doctest.h>

#include <array>

#include "ranks/thrown_class.hpp"
#include "ranks/windows/access_epochs.hpp"

using namespace stretto;
using ranks::access_epochs;
using succession = ranks::access_epochs::succession;

namespace {

template <class Body>
bool is_refused(const Body& body) {
  const auto thrown = test::thrown_class(body);
  CHECK((thrown == ranks::error_class::success || thrown == ranks::error_class::rma_sync));
  return thrown != ranks::error_class::success;
}

}  // namespace

TEST_CASE("a window without an epoch refuses accesses and ends of epochs") {
  access_epochs epochs(3);
  CHECK(is_refused([&] { epochs.check_access(0); }));
  CHECK(is_refused([&] { epochs.complete(); }));
  CHECK(is_refused([&] { epochs.check_exposed(); }));
  CHECK(is_refused([&] { epochs.unlock(1); }));
  CHECK(is_refused([&] { epochs.unlock_all(); }));
  CHECK(is_refused([&] { epochs.check_locked(2); }));
  CHECK(is_refused([&] { epochs.check_any_locked(); }));
  CHECK_FALSE(is_refused([&] { epochs.check_closed(); }));
}

TEST_CASE("accesses follow a fence unless it is the last one") {
  access_epochs epochs(2);
  epochs.pass_fence(succession::more_accesses);
  CHECK_FALSE(is_refused([&] { epochs.check_lock(0); }));
  CHECK_FALSE(is_refused([&] { epochs.check_access(1); }));
  CHECK(is_refused([&] { epochs.check_lock(0); }));
  CHECK(is_refused([&] { epochs.check_lock_all(); }));
  CHECK(is_refused([&] { epochs.check_start(); }));
  CHECK(is_refused([&] { epochs.check_post(); }));
  CHECK_FALSE(is_refused([&] { epochs.check_fence(); }));
  epochs.pass_fence(succession::no_accesses);
  CHECK(is_refused([&] { epochs.check_access(1); }));
  CHECK_FALSE(is_refused([&] { epochs.check_lock(0); }));
}

TEST_CASE("only the targets of a start may be accessed") {
  access_epochs epochs(4);
  epochs.pass_fence(succession::more_accesses);
  epochs.start(std::array{1, 3});
  CHECK_FALSE(is_refused([&] { epochs.check_access(3); }));
  CHECK(is_refused([&] { epochs.check_access(2); }));
  CHECK(is_refused([&] { epochs.check_start(); }));
  CHECK(is_refused([&] { epochs.check_lock(2); }));
  CHECK(is_refused([&] { epochs.check_fence(); }));
  CHECK(is_refused([&] { epochs.check_locked(3); }));
  CHECK_FALSE(is_refused([&] { epochs.check_post(); }));
  epochs.post();
  CHECK(is_refused([&] { epochs.check_post(); }));
  CHECK(epochs.complete() == std::vector{1, 3});
  CHECK(is_refused([&] { epochs.check_closed(); }));
  epochs.end_exposure();
  CHECK_FALSE(is_refused([&] { epochs.check_closed(); }));
}

TEST_CASE("a rank is locked once, alone or with all") {
  access_epochs epochs(3);
  epochs.lock(2, ranks::lock_mode::exclusive);
  CHECK(epochs.kind_of_epoch(2) == ranks::epoch_kind::exclusive_lock);
  CHECK(is_refused([&] { epochs.check_lock(2); }));
  CHECK_FALSE(is_refused([&] { epochs.check_lock(1); }));
  CHECK(is_refused([&] { epochs.check_lock_all(); }));
  CHECK(is_refused([&] { epochs.check_access(1); }));
  CHECK_FALSE(is_refused([&] { epochs.check_access(2); }));
  CHECK_FALSE(is_refused([&] { epochs.check_any_locked(); }));
  epochs.unlock(2);
  CHECK(is_refused([&] { epochs.unlock(2); }));
  epochs.lock_all();
  CHECK_FALSE(is_refused([&] { epochs.check_access(1); }));
  CHECK_FALSE(is_refused([&] { epochs.check_locked(1); }));
  CHECK(is_refused([&] { epochs.check_lock(1); }));
  CHECK(is_refused([&] { epochs.check_closed(); }));
  epochs.unlock_all();
  CHECK_FALSE(is_refused([&] { epochs.check_closed(); }));
}
