// The history of calls as a rolling hash, the point of divergence, and its description.
#include "buffers/call_history.hpp"

#include <doctest/doctest.h>

#include "buffers/divergence_report.hpp"
#include "thrown_by.hpp"

using namespace stretto;
using namespace stretto::buffers;

namespace {

using verdict = call_history::comparison::outcome;

std::shared_ptr<const call_signature> reading(coordinate from) {
  return std::make_shared<const call_signature>(
      buffer_call{.what = buffer_call::verb::read, .range = box(from, from + 1), .uses = {{.buffer = 3}}});
}

void add_reads(call_history& c, coordinate first, coordinate last) {
  for (coordinate i = first; i < last; ++i)
    c.add(reading(i), static_cast<std::uint64_t>(i), std::source_location::current());
}

buffer_call blur() {
  buffer_call c{.what = buffer_call::verb::launch, .name = "blur", .line = 7, .range = box(0, 64)};
  c.uses.push_back(
      {.buffer = 0, .how = access::in, .by = {.is = detail::range_mapper::kind::neighborhood, .border = {1}}});
  c.uses.push_back({.buffer = 1, .how = access::out, .by = {.is = detail::range_mapper::kind::one_to_one}});
  return c;
}

}  // namespace

TEST_CASE("equal calls have equal hashes, and every field changes the hash") {
  CHECK(blur().hash() == blur().hash());
  std::vector<buffer_call> others(16, blur());
  others[0].name = "blur2";
  others[1].line = 8;
  others[2].range = box(0, 65);
  others[3].uses[0].by.border = {2};
  others[4].uses[0].by.is = detail::range_mapper::kind::star;
  others[5].uses[0].buffer = 1;
  others[6].uses[1].how = access::inout;
  others[7].uses.pop_back();
  others[8].hints.is_in_tiles = true;
  others[9].hints.pieces = 2;
  others[10].kinds = on(device_kind::host);
  others[11].is_in_groups = true;
  others[12].what = buffer_call::verb::host_task;
  others[13].numbers = {1};
  others[14].kinds = on(device_kind::host, device_kind::gpu);
  others[15].driver = "sim";
  for (std::size_t i = 0; i < others.size(); ++i) {
    CAPTURE(i);
    CHECK(others[i].hash() != blur().hash());
    for (std::size_t j = 0; j < i; ++j) CHECK(others[i].hash() != others[j].hash());
  }
}

TEST_CASE("the text of a call names its buffers and mappers") {
  CHECK(blur().text() == "launch of \"blur\" over [0,64): reads B0 by neighborhood(1), writes B1 by one_to_one");
  buffer_call c = blur();
  c.hints = {.is_in_tiles = true, .pieces = 3};
  c.kinds = on(device_kind::host);
  c.uses = {{.buffer = 2, .how = access::reduce}, {.buffer = 4, .how = access::reduce, .includes_current = false}};
  CHECK(c.text() ==
        "launch of \"blur\" over [0,64), in tiles, in 3 pieces, on the host: reduces into B2, reduces into B4 from the "
        "identity");
  c.kinds = on(device_kind::accelerator, device_kind::gpu);
  c.driver = "sim";
  CHECK(c.text().find(", on a gpu or accelerator, on driver \"sim\": ") != std::string::npos);
  CHECK(buffer_call{.what = buffer_call::verb::host_task, .where = detail::nodes_of_task::each}.text() ==
        "host task on each node");
  CHECK(
      buffer_call{.what = buffer_call::verb::host_task, .where = detail::nodes_of_task::collective, .group_of_nodes = 2}
          .text() == "host task on all nodes together, group 2");
  CHECK(buffer_call{.what = buffer_call::verb::host_task, .where = detail::nodes_of_task::one}.text() ==
        "host task on one node");
  CHECK(reading(5)->is.text() == "read of [5,6) of B3");
  CHECK(buffer_call{.what = buffer_call::verb::make,
                    .name = "u",
                    .range = box(0, 4),
                    .uses = {{.buffer = 9}},
                    .numbers = {8, 1, 1}}
            .text() == "buffer B9 \"u\" of [0,4), 8 bytes an element, with its content");
  CHECK(buffer_call{.what = buffer_call::verb::set_horizons, .numbers = {4, 256}}.text() ==
        "set_horizons({.step = 4, .most_parallel = 256})");
  CHECK(buffer_call{.what = buffer_call::verb::set_weights, .numbers = {1, 2.5}}.text() ==
        "set_weights({.nodes = {1, 2.5}})");
  CHECK(buffer_call{.what = buffer_call::verb::save, .name = "u.zarr", .uses = {{.buffer = 1}}}.text() ==
        "save of B1 as \"u.zarr\"");
  CHECK(buffer_call{}.text() == "end of the program");
}

TEST_CASE("equal histories have equal hashes after each call, and others differ from the first different call on") {
  for (coordinate differs_at = 0; differs_at < 40; ++differs_at) {
    call_history a, b;
    add_reads(a, 0, 40);
    add_reads(b, 0, differs_at);
    add_reads(b, 1000, 1001);
    add_reads(b, differs_at + 1, 50);
    for (std::uint64_t n = 1; n <= 40; ++n) {
      CAPTURE(n);
      CHECK((a.hash_after(n) == b.hash_after(n)) == (n <= static_cast<std::uint64_t>(differs_at)));
    }
    const call_history::comparison found = a.compare(b.window());
    CHECK(found == b.compare(a.window()));
    CHECK(found == call_history::comparison{verdict::differs, static_cast<std::uint64_t>(differs_at)});
  }
  call_history a, b;
  add_reads(a, 0, 40), add_reads(b, 0, 13);
  CHECK(a.compare(b.window()).is == verdict::same);
  CHECK(b.compare(a.window()).is == verdict::same);
  CHECK_FALSE(b.hash_after(14));
  CHECK_FALSE(b.hash_after(0));
}

TEST_CASE("a long history keeps the last calls, and reports older ones as not stored") {
  constexpr auto kept = static_cast<coordinate>(call_history::most_kept);
  call_history a, b, far;
  add_reads(a, 0, 3 * kept);
  add_reads(b, 7, 3 * kept);  // without seven
  add_reads(far, 0, 9 * kept);
  CHECK_FALSE(a.hash_after(2 * call_history::most_kept));
  CHECK(a.hash_after(2 * call_history::most_kept + 1));
  CHECK_FALSE(a.describe(2 * call_history::most_kept - 1));
  CHECK(a.describe(2 * call_history::most_kept)->what == "T" + std::to_string(2 * kept) + ", read of [" +
                                                             std::to_string(2 * kept) + "," +
                                                             std::to_string(2 * kept + 1) + ") of B3");
  CHECK(a.compare(b.window()) == call_history::comparison{verdict::differs_before, 2 * call_history::most_kept});
  CHECK(a.compare(far.window()).is == verdict::unknown);
  CHECK(a.compare(call_history().window()).is == verdict::unknown);
}

TEST_CASE("a host task is identified by its line, and a launch by its kernel, wherever it is launched") {
  const auto at = [](buffer_call::verb what, const std::source_location& where) {
    call_history c;
    c.add(std::make_shared<const call_signature>(buffer_call{.what = what, .name = "same"}), 0, where);
    return *c.hash_after(1);
  };
  const auto here = std::source_location::current();
  const auto there = std::source_location::current();
  using verb = buffer_call::verb;
  CHECK(at(verb::host_task, here) == at(verb::host_task, here));
  CHECK(at(verb::host_task, here) != at(verb::host_task, there));
  CHECK(at(verb::launch, here) == at(verb::launch, there));
}

TEST_CASE("the text of nodes has numbers and intervals, and is shortened for very many") {
  using nodes = std::vector<std::uint32_t>;
  CHECK(text_of_nodes(nodes{2}) == "node 2");
  CHECK(text_of_nodes(nodes{0, 1}) == "nodes 0 and 1");
  CHECK(text_of_nodes(nodes{0, 1, 2, 5, 7, 8}) == "nodes 0 to 2, 5, 7 and 8");
  nodes odd;
  for (std::uint32_t n = 1; n < 100; n += 2) odd.push_back(n);
  CHECK(text_of_nodes(odd) == "nodes 1, 3, 5, 7, 9, 11 and 44 more");
}

TEST_CASE("the report says that the minority differs from the majority, and of two nodes the second from the first") {
  const call_of_node calls[] = {
      {0, "a", "p.cpp:1", 1}, {2, "b", "p.cpp:2", 2}, {1, "a", "p.cpp:1", 1}, {3, "a", "p.cpp:1", 1}};
  CHECK(std::string(stretto::buffers::error_of(divergence_report_of(16, true, calls)).what())
            .starts_with("error B23: node 2 makes a different buffer call than nodes 0, 1 and 3\n"
                         "  where       buffer call 17\n"
                         "  nodes 0, 1 and 3 a (p.cpp:1)\n"
                         "  node 2      b (p.cpp:2)\n"
                         "  because     all nodes must make"));
  const call_of_node two[] = {{1, "a", "", 1}, {0, "b", "", 2}};
  const std::string says = stretto::buffers::error_of(divergence_report_of(0, false, two)).what();
  CHECK(says.starts_with("error B23: node 1 makes a different buffer call than node 0\n"));
  CHECK(says.find("before buffer call 1") != says.npos);
}
