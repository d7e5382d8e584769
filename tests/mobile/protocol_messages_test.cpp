// Protocol messages of mobile objects: what is read equals what was written, and what is cut or longer is refused.
#include "mobile/protocol_messages.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "event/failure.hpp"

namespace stretto::mobiles {
namespace {

failure_ref failure_number(std::uint64_t id) {
  auto f = failure_ref::adopt(new failure(std::make_exception_ptr(std::runtime_error("lost")), "an object", {}));
  f->name_root(id);
  return f;
}

/// Writes and reads nothing of a failure but its number.
struct numbered_failures final : dist::failure_fields {
  void write(dist::writer& to, const failure& f) override { to.put(f.id()); }
  failure_ref read(dist::reader& from, dist::rank) override { return failure_number(from.get<std::uint64_t>()); }
};

std::vector<small_message> examples() {
  return {executed_at{17, 3},
          location_update{18, 2, 5},
          pinned_message_arrived{19},
          migration_request{20, 1},
          migration_decision{21, 6},
          migration_decision{21, {}},
          migration_cancelled{22, 7},
          cancellation_request{23},
          object_arrived{24, 8},
          location_query{25},
          arrival_query{26, 9, 3},
          lost_in_transit{27, failure_number(1)},
          object_failed{28, failure_number(2)},
          object_lost{29, failure_number(3)},
          object_destroyed{30},
          resend_request{0, 2},
          departure_query{31},
          not_departed{32},
          recall{33, 10},
          already_departed{34, 11},
          object_accepted{35, 12},
          object_rejected{36, 13, failure_number(4)}};
}

template <class M>
std::vector<std::byte> encoded(const M& m) {
  numbered_failures failures;
  dist::writer w;
  dist::encode_message(w, m, {.nodes = 4, .failures = &failures});
  return {w.all().begin(), w.all().end()};
}

template <class M>
bool is_decoded(std::span<const std::byte> bytes, M& m) {
  numbered_failures failures;
  dist::reader r(bytes);
  return dist::decode_message(r, m, {.nodes = 4, .failures = &failures});
}

}  // namespace

TEST_CASE("protocol messages of mobile objects are read as they were written, and refused if cut or longer") {
  std::vector<bool> is_tested(std::variant_size_v<small_message>);
  for (const small_message& example : examples()) {
    is_tested[example.index()] = true;
    std::visit(
        [](const auto& m) {
          const std::string name(m.message);
          CAPTURE(name);
          std::vector<std::byte> bytes = encoded(m);
          std::remove_cvref_t<decltype(m)> read{};
          REQUIRE(is_decoded(bytes, read));
          CHECK(encoded(read) == bytes);
          for (std::size_t n = 0; n < bytes.size(); ++n) {
            std::remove_cvref_t<decltype(m)> cut{};
            CHECK_FALSE(is_decoded(std::span(bytes).first(n), cut));
          }
          bytes.push_back({});
          std::remove_cvref_t<decltype(m)> longer{};
          CHECK_FALSE(is_decoded(bytes, longer));
        },
        example);
  }
  for (const bool tested : is_tested) CHECK(tested);
}

TEST_CASE("protocol messages of mobile objects keep their fields, and name no node beyond the job") {
  location_update update;
  REQUIRE(is_decoded(encoded(location_update{18, 2, 5}), update));
  CHECK((update.object == 18 && update.location == 2 && update.epoch == 5));
  CHECK_FALSE(is_decoded(encoded(location_update{18, 4, 5}), update));
  migration_decision decision;
  REQUIRE(is_decoded(encoded(migration_decision{21, 6}), decision));
  CHECK(decision.granted_epoch == 6u);
  REQUIRE(is_decoded(encoded(migration_decision{21, {}}), decision));
  CHECK_FALSE(decision.granted_epoch.has_value());
  object_rejected rejected;
  REQUIRE(is_decoded(encoded(object_rejected{36, 13, failure_number(4)}), rejected));
  CHECK((rejected.object == 36 && rejected.epoch == 13));
  CHECK(rejected.cause->id() == 4);
}

}  // namespace stretto::mobiles
