#include "buffers/file_tasks.hpp"

#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <string>

#include "dist/simulated.hpp"
#include "thrown_by.hpp"

namespace stretto {

TEST_CASE("a failure too long for the nodes' reports is cut, wherever that is, and nothing of the next node is added") {
  const std::string text(2100, 'x');
  const auto failure = [&](int part) {
    return error(part == 0 ? text : "F01", part == 1 ? text : "it is full")
        .because(part == 2 ? text : "")
        .remedy(part == 3 ? text : "");
  };
  for (int part = 0; part < 4; ++part) {
    CAPTURE(part);
    std::atomic<int> alike = 0;
    test::on_nodes_of(simulated_job({.nodes = 3}), {.workers = 1}, [&](runtime&) {
      const error e = test::error_of([&] {
        buffers::run_on_all_nodes(
            "fail", [&] { throw failure(part); }, buffers::file_work("test"), std::source_location::current());
      });
      const std::string all = e.code() + e.sentence() + e.why() + e.what_to_try();
      CHECK(all.size() < 2048);
      CHECK(all.find(std::string(2000, 'x')) != all.npos);
      CHECK(all.find('!') == all.npos);  // the first byte of each node's report
      CHECK(e.facts().size() == 1);      // the node
      ++alike;
    });
    CHECK(alike == 3);
  }
}

}  // namespace stretto
