#include "buffers/failed_run.hpp"

#include <doctest/doctest.h>
#include <stretto/event.hpp>
#include <stretto/runtime.hpp>

#include <exception>
#include <stdexcept>
#include <string>

#include "base/bytes.hpp"
#include "dist/message_codec.hpp"

namespace stretto::buffers {
namespace {

failed_run any_run() {
  return failed_run_of(1, 7, std::make_exception_ptr(std::runtime_error("no paper")), std::source_location::current());
}

}  // namespace

TEST_CASE("a failed run is decoded as it was encoded") {
  const failed_run sent = any_run();
  base::writer encoded;
  dist::encode_message(encoded, message_of(sent), {});
  base::reader read(encoded.all());
  run_failure received;
  REQUIRE(dist::decode_message(read, received, {}));
  const failed_run came = failed_run_of(received);
  CHECK(came.node == 1);
  CHECK(came.tasks == 7);
  CHECK(std::string(error_of(came).what()) == error_of(sent).what());
  CHECK(std::string(error_of(came).what()).find("no paper") != std::string::npos);
}

TEST_CASE("a poisoned event names the failed run before its message has arrived") {
  const error run = error_of(any_run());
  std::optional<error> itself, skipped, other,
      unlike = failed_run_in(std::make_exception_ptr(std::runtime_error("no ink")));
  runtime rt({.workers = 1});
  rt.run([&] {
    const auto in = [](std::exception_ptr why) -> std::optional<error> {
      const user_event e = user_event::create();
      e.poison(std::move(why));
      try {
        wait(e);
      } catch (...) {
        return failed_run_in(std::current_exception());
      }
      return {};
    };
    itself = failed_run_in(std::make_exception_ptr(run));
    skipped = in(std::make_exception_ptr(run));
    other = in(std::make_exception_ptr(error("B05", "something else")));
  });
  REQUIRE(itself);
  REQUIRE(skipped);
  CHECK(std::string(itself->what()) == run.what());
  CHECK(std::string(skipped->what()) == run.what());
  CHECK_FALSE(other);
  CHECK_FALSE(unlike);
}

}  // namespace stretto::buffers
