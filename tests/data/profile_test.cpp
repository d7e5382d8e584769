#include <doctest/doctest.h>

#include <stdexcept>

#include <stretto/async_copy.hpp>
#include <stretto/stretto.hpp>

#include "data/data_runtime.hpp"

using namespace stretto;
using namespace stretto::data;

namespace {

void check_order(const operation_profile& p) {
  CHECK(p.created <= p.ready);
  CHECK(p.ready <= p.started);
  CHECK(p.started <= p.ended);
}

}  // namespace

TEST_CASE("profiles of data operations say what was written, over how many hops and in how many parts") {
  with_data([] {
    const box all{0, 1000};
    future<operation_profile> made, filled, copied, gone;
    const auto a = instance<int>::create(at(ram), all, {.name = "a"}, profile(made)).made;
    const auto b = instance<int>::create(at(other), all, {.name = "b"}).made;
    const auto gate = user_event::create();
    const event f = fill(a, 7, {after(gate), profile(filled)});
    const event c = copy(a, b, box{100, 300}, {after(f), profile(copied)});
    const event d = a.destroy({after(c), profile(gone)});
    CHECK(made.get().bytes >= 4000);
    CHECK(made.get().operation == "creation of instance \"a\"");
    CHECK_FALSE(filled.is_ready());
    CHECK_FALSE(copied.is_ready());
    gate.trigger();
    wait(d);
    for (auto* p : {&made, &filled, &copied, &gone}) {
      check_order(p->get());
      CHECK(p->get().result == outcome::succeeded);
      CHECK(p->get().parts == (p == &gone ? 0u : 1u));
    }
    CHECK(filled.get().bytes == 4000);
    CHECK(filled.get().hops == 0);
    CHECK(copied.get().bytes == 800);
    CHECK(copied.get().hops == 1);
    CHECK(copied.get().operation == "copy of instance \"a\" to instance \"b\"");
    CHECK(copied.get().ready >= filled.get().ended);
    CHECK(gone.get().operation == "destruction of instance \"a\"");
  });
}

TEST_CASE("an operation that runs in the call has its profile when the call returns") {
  with_data([] {
    const auto a = instance<double>::create(at(ram), {0, 10}).made, b = instance<double>::create(at(ram), {0, 10}).made;
    future<operation_profile> p;
    CHECK(fill(a, 1.0, profile(p)).has_triggered());
    CHECK(p.is_ready());
    CHECK(p.get().bytes == 80);
    CHECK(copy(a, b, profile(p)).has_triggered());
    CHECK(p.get().bytes == 80);
    check_order(p.get());
    CHECK(b.view()(3) == 1.0);
    const int from[] = {1, 2, 3};
    int to[3] = {};
    wait(async_copy(place{}, to, place{}, from, sizeof from, profile(p)));  // a memcpy if no profile is requested
    CHECK(p.get().bytes == sizeof from);
    CHECK(p.get().operation.find("async_copy") != std::string::npos);
    check_order(p.get());
    CHECK(to[2] == 3);
  });
}

TEST_CASE("a large copy is cut into parts, and counted once") {
  with_data(
      [] {
        const box all{0, 1 << 20};
        const auto a = instance<int>::create(at(ram), all).made, b = instance<int>::create(at(other), all).made;
        future<operation_profile> p;
        wait(fill(a, 1, profile(p)));
        CHECK(p.get().parts == 4);
        wait(copy(a, b, profile(p)));
        CHECK(p.get().parts == 4);
        CHECK(p.get().bytes == 4u << 20);
        check_order(p.get());
      },
      {.workers = 4});
}

TEST_CASE("profiles of failed and skipped operations give the reason, and no bytes if nothing was copied") {
  with_data([] {
    const auto table = instance<int>::create(at(ram), {0, 4}).made, to = instance<int>::create(at(ram), {0, 2}).made;
    const auto index = instance<int>::create(at(ram), {0, 2}).made;
    index.view()(0) = 0;
    index.view()(1) = 9;
    future<operation_profile> failed, skipped, no_room;
    const event bad = gather(table, index, to, profile(failed));
    const event after_it = fill(to, 0, {after(bad), profile(skipped)});
    CHECK_THROWS_AS(wait(after_it), poisoned);
    CHECK(failed.get().result == outcome::failed);
    CHECK_THROWS_AS(std::rethrow_exception(failed.get().why), error);
    CHECK(skipped.get().result == outcome::skipped);
    CHECK(skipped.get().bytes == 0);
    check_order(failed.get());
    check_order(skipped.get());

    const auto huge = instance<int>::create(at(ram), {0, 1 << 28}, profile(no_room));
    CHECK_THROWS_AS(wait(huge.ready), error);
    CHECK(no_room.get().result == outcome::failed);
    check_order(no_room.get());
  });
}
