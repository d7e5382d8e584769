// Handlers have the same numbers, in whatever order they were added.
#include "net/handlers.hpp"

#include <stretto/error.hpp>

#include <doctest/doctest.h>

#include "net/transport.hpp"
#include "thrown_by.hpp"

namespace stretto::net {
namespace {

void nothing(void*, arrival&) {}

handlers of(std::initializer_list<const char*> names) {
  handlers h;
  for (const char* n : names) h.add(n, nullptr, nothing);
  h.close();
  return h;
}

}  // namespace

TEST_CASE("handlers have the same numbers on nodes that know the same names") {
  const auto one = of({"event.trigger", "copy", "event.subscribe"}),
             other = of({"event.subscribe", "event.trigger", "copy"});
  for (const char* n : {"event.trigger", "copy", "event.subscribe"}) {
    CHECK(one.number(n) == other.number(n));
    CHECK(one.name(one.number(n)) == n);
  }
  CHECK(one.digest() == other.digest());
  CHECK(one.digest() != of({"event.trigger", "copy"}).digest());
  CHECK(of({"ab", "c"}).digest() != of({"a", "bc"}).digest());
}

TEST_CASE("a name can be used once, and the error for an unknown name suggests the nearest") {
  handlers h;
  h.add("event.trigger", nullptr, nothing);
  CHECK(test::thrown_by([&] { h.add("event.trigger", nullptr, nothing); }).find("N01") != std::string::npos);
  h.close();
  const auto said = test::thrown_by([&] { h.number("event.triger"); });
  CHECK(said.find("N03") != std::string::npos);
  CHECK(said.find("event.trigger") != std::string::npos);
}

TEST_CASE("the error for nodes that do not agree shows the values of both that differ, and no others") {
  handlers one, other;
  for (handlers* h : {&one, &other}) {
    h->must_agree("program", h == &one ? "wave, build 5f21" : "wave, build 77aa");
    h->must_agree("Stretto", "0.1.0");
    h->add("a", nullptr, +[](void*, arrival&) {});
    h->close();
  }
  CHECK(one.digest() != other.digest());
  const std::string text = build_mismatch(0, one.description(1000), 3, other.description(1000)).what();
  CHECK(text.find("error N06: nodes 0 and 3 of this job run different builds") == 0);
  CHECK(text.find("program     wave, build 5f21 on node 0, wave, build 77aa on node 3") != std::string::npos);
  CHECK(text.find("0.1.0") == std::string::npos);
  CHECK(text.find("messages") == std::string::npos);
}

TEST_CASE("the error for nodes that differ only in options names the options and the nodes") {
  handlers one, other;
  for (handlers* h : {&one, &other}) {
    h->must_agree("program", "wave, build 5f21");
    h->must_agree_on_option("balance", h == &one ? "greedy" : "none");
    h->must_agree_on_option("stuck", "10");
    h->close();
  }
  CHECK(one.digest() != other.digest());
  const std::string text = build_mismatch(0, one.description(1000), 2, other.description(1000)).what();
  CHECK(text.find("error N15: nodes 0 and 2 of this job have different options") == 0);
  CHECK(text.find("balance     greedy on node 0, none on node 2") != std::string::npos);
  CHECK(text.find("stuck") == std::string::npos);
  // For different builds, the options are reported, too.
  other.must_agree("Stretto", "0.2");
  one.must_agree("Stretto", "0.1");
  const std::string both = build_mismatch(0, one.description(1000), 2, other.description(1000)).what();
  CHECK(both.find("error N06") == 0);
  CHECK(both.find("balance     greedy on node 0, none on node 2") != std::string::npos);
}

}  // namespace stretto::net
