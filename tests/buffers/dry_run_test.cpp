// Dry runs generate the work of nodes in a real job and execute nothing; and graphs as files.
#include <stretto/buffer.hpp>
#include <stretto/buffer_files.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "buffers/buffers_floor.hpp"
#include "buffers/buffers_state.hpp"
#include "dist/simulated.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::with_variable;

STRETTO_KERNEL(dry_set, (out<long long, 2> u), { u(global_id(0), global_id(1)) = global_id(0); })
STRETTO_KERNEL(dry_step, (in<long long, 2> u, out<long long, 2> v, int rows), {
  const int i = global_id(0);
  const int j = global_id(1);
  v(i, j) = u(i, j) + (i > 0 ? u(i - 1, j) : 0) + (i + 1 < rows ? u(i + 1, j) : 0);
})
STRETTO_KERNEL(dry_sum, (in<long long, 2> u, reduce<sum<long long>> total),
               { total(0) << u(global_id(0), global_id(1)); })

class dry_folder {
 public:
  dry_folder() : path_(std::filesystem::temp_directory_path() / ("stretto_dry_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~dry_folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}

/// For three nodes with two devices: a stencil with changing weights, a custom mapper, a host task, a reduction and a
/// read.
STRETTO_KERNEL(dry_columns, (inout<long long, 2> u), { u(0, global_id(0)) = 1; })

void program_of_all_kinds() {
  constexpr int rows = 26, columns = 8;
  const box whole({0, 0}, {rows, columns});
  const std::vector<long long> first(rows * columns, 1);
  buffer<long long, 2> u(whole, {.name = "u"}), v(whole, first.data(), {.name = "v"});
  buffer<long long> total(box(0, 1), {.name = "total"});
  launch(dry_set, whole, u(one_to_one));
  for (int s = 0; s < 5; ++s) {
    launch(dry_step, whole, u(neighborhood(1, 0)), v(one_to_one), rows);
    std::swap(u, v);
    if (s == 2) set_weights({.nodes = {1, 2, 4}, .devices = {3, 1, 1}});  // the host computes, too
  }
  launch(dry_sum, whole, u(one_to_one), total.from_identity());
  host_task(
      whole, [](view<const long long, 2>, view<long long, 2>) {}, u.in([](const box& c, const box& all) {
        return intersection(all, box::between(c.min() - point(2, 0, 0), c.max() + point(2, 0, 0)));
      }),
      v.inout(one_to_one));
  host_task(on_one_node, [](view<const long long> t) { CHECK(t(0) > 0); }, total.in(all));
  auto seen = u.read();
  if (!is_dry_run()) CHECK(seen.get().view()(0, 0) > 0);
}

/// Ten launches in a chain, then ten independent ones.
std::size_t horizons_of_twenty_launches(const horizon_settings& asked) {
  const dry_folder here;
  const with_variable what("STRETTO_GRAPH_KIND", "tasks"), file("STRETTO_GRAPH", (here / "tasks.json").c_str()),
      job("STRETTO_DRY_NODES", "1");
  {
    runtime rt({.workers = 1});
    rt.run([&] {
      set_horizons(asked);
      const buffer<long long, 2> u(box({0, 0}, {10, 1}), {.name = "u"});
      for (int i = 0; i < 10; ++i) launch(dry_set, u.elements(), u(one_to_one));
      for (int i = 0; i < 10; ++i) launch(dry_set, box({i, 0}, {i + 1, 1}), u(one_to_one));
    });
  }
  const auto drawn = nlohmann::json::parse(content_of(here / "tasks.json"));
  return static_cast<std::size_t>(
      std::ranges::count_if(drawn.at("tasks"), [](const auto& t) { return t.at("kind") == "horizon"; }));
}

TEST_CASE("horizons follow chains and independent launches as the program asks, and not each launch") {
  const auto with = [](std::uint64_t step, std::uint64_t most_parallel) {
    return horizons_of_twenty_launches({.step = step, .most_parallel = most_parallel});
  };
  CHECK(with(0, 0) == 0);
  CHECK(with(5, 0) == 2);
  CHECK(with(0, 5) == 2);
  CHECK(with(2, 0) == 5);
  CHECK(test::error_of([&] { with(4, 1); }).code() == "B16");
}

/// An array of which each launch uses one more row, on two devices.
std::size_t allocations_of_growing(bool is_said) {
  const dry_folder here;
  const with_variable what("STRETTO_GRAPH_KIND", "instructions"), file("STRETTO_GRAPH", (here / "grows.json").c_str()),
      job("STRETTO_DRY_NODES", "1x2");
  {
    runtime rt({.workers = 1});
    rt.run([&] {
      constexpr coordinate rows = 64, columns = 40;
      const buffer<long long, 2> u(box({0, 0}, {rows, columns}), {.name = "u"});
      const auto of_rows = [](coordinate upper) {
        return [upper](const box& chunk, const box&) { return box({0, chunk.min()[0]}, {upper, chunk.max()[0]}); };
      };
      if (is_said) CHECK(launch(reserve_elements{}, dry_columns, box(0, columns), u(of_rows(rows))) == event());
      for (coordinate r = 1; r <= rows; ++r) launch(dry_columns, box(0, columns), u(of_rows(r)));
    });
  }
  const auto drawn = nlohmann::json::parse(content_of(here / "grows.json"));
  return static_cast<std::size_t>(std::ranges::count_if(drawn.at("nodes").at(0).at("instructions"),
                                                        [](const auto& t) { return t.at("kind") == "allocate"; }));
}

TEST_CASE("growing arrays are allocated once after an announcement, and a few times without") {
  CHECK(allocations_of_growing(true) == 2);
  const std::size_t unsaid = allocations_of_growing(false);
  CHECK(unsaid > 4);
  CHECK(unsaid < 40);
}

TEST_CASE(
    "a dry run as a node makes the graphs that this node makes in a real job, alone or with the others in one "
    "process") {
  const dry_folder here;
  for (const auto& [kind, bytes] :
       {std::pair("tasks", "8M"), {"commands", "8M"}, {"instructions", "8M"}, {"instructions", "4K"}}) {
    INFO(kind << " with " << bytes);
    const with_variable what("STRETTO_GRAPH_KIND", kind), memory("STRETTO_DEVICE_MEMORY", bytes);
    {
      const with_variable file("STRETTO_GRAPH", (here / "real.json").c_str());
      test::on_nodes_of(simulated_job({.nodes = 3, .seed = 5}), {.workers = 1, .devices = "sim:2"},
                        [](runtime&) { program_of_all_kinds(); });
    }
    const auto dry = [&](const char* which, const std::string& path) {
      const with_variable job("STRETTO_DRY_NODES", ("3x2:" + std::string(which)).c_str()),
          file("STRETTO_GRAPH", path.c_str());
      runtime rt({.workers = 1});
      rt.run(program_of_all_kinds);
    };
    std::vector<nlohmann::json> parts;
    for (const char* node : {"0", "1", "2"}) {
      dry(node, here / "dry.json");
      const std::string real =
          content_of(here / (node[0] == '0' ? "real.json" : "real.N" + std::string(node) + ".json"));
      CHECK(!real.empty());
      CHECK(real == content_of(here / "dry.json"));
      parts.push_back(nlohmann::json::parse(real));
    }
    dry("all", here / "dry.json");
    const auto all = nlohmann::json::parse(content_of(here / "dry.json"));
    for (std::size_t n = 0; all.contains("nodes") && n < 3; ++n) CHECK(all["nodes"][n] == parts[n]["nodes"][0]);
  }
}

TEST_CASE("a dry run runs no kernel and no host task, and all that is returned has happened") {
  const with_variable job("STRETTO_DRY_NODES", "4:2");
  runtime rt({.workers = 1});
  CHECK(rt.node() == 2);
  CHECK(rt.nodes() == 4);
  rt.run([] {
    CHECK(is_dry_run());
    CHECK(this_node() == 2);
    CHECK(job_nodes() == 4);
    bool ran = false;
    buffer<long long, 2> u(box({0, 0}, {8, 8}), {.name = "u"});
    CHECK(launch(dry_set, u.elements(), u(one_to_one)).has_triggered());
    const user_event never = user_event::create();
    CHECK(host_task(
              after(never), u.elements(), [&](view<const long long, 2>) { ran = true; }, u.in(one_to_one))
              .has_triggered());
    CHECK(host_task(on_each_node, [&](view<const long long, 2>) { ran = true; }, u.in(all)).has_triggered());
    CHECK(host_task(collective{}, [&](view<const long long, 2>) { ran = true; }, u.in(even_split)).has_triggered());
    never.trigger();
    CHECK(!ran);
  });
}

TEST_CASE("a dry run writes no file, and finds what its nodes would read of one that is there") {
  const dry_folder here;
  const std::string real = here / "real", dry = here / "dry";
  const box whole({0, 0}, {8, 4});
  const auto save = [&](const std::string& to) {
    buffer<long long, 2> u(whole, {.name = "u"});
    launch(dry_set, whole, u(one_to_one));
    save_zarr(u, to).get();
  };
  {
    runtime rt({.workers = 1});
    rt.run([&] { save(real); });
  }
  CHECK(std::filesystem::exists(real));
  const with_variable job("STRETTO_DRY_NODES", "4:2");
  runtime rt({.workers = 1});
  rt.run([&] {
    save(dry);
    CHECK(!std::filesystem::exists(dry));
    const auto u = load_zarr<long long, 2>(real);
    CHECK(u.elements() == whole);
    launch(dry_set, whole, u(one_to_one));
    CHECK(buffers::state_of(*base::current()->runtime)->dry->counted().commands.at("execute") > 4);
  });
}

TEST_CASE("a runtime that is no dry run says so") {
  runtime rt({.workers = 1});
  rt.run([] { CHECK(!is_dry_run()); });
}

TEST_CASE("a read in a dry run is poisoned with what to do about it, and may be left alone") {
  const with_variable job("STRETTO_DRY_NODES", "4");
  runtime rt({.workers = 1});
  rt.run([] {
    buffer<long long, 2> u(box({0, 0}, {8, 8}), {.name = "image"});
    launch(dry_set, u.elements(), u(one_to_one));
    u.read();  // the elements are not accessed: no failure
    auto all = u.read();
    try {
      all.get();
      FAIL("nothing was thrown");
    } catch (const error& e) {
      CHECK(e.code() == "E10");
      CHECK(std::string(e.what()).find("error B09: a dry run does not compute the elements of buffer B0 \"image\"") !=
            std::string::npos);
      CHECK(std::string(e.what()).find("dry_run_test.cpp") != std::string::npos);
      CHECK(std::string(e.what()).find("if (!is_dry_run())") != std::string::npos);
    }
  });
}

TEST_CASE("a dry run as the last of 4,096 nodes sends and receives a border") {
  const with_variable job("STRETTO_DRY_NODES", "4096x8:4095");
  runtime rt({.workers = 1});
  rt.run([] {
    constexpr int rows = 1 << 20;
    buffer<long long, 2> u(box({0, 0}, {rows, 4}), {.name = "u"}), v(box({0, 0}, {rows, 4}), {.name = "v"});
    launch(dry_set, u.elements(), u(one_to_one));
    for (int s = 0; s < 10; ++s) {
      launch(dry_step, u.elements(), u(neighborhood(1, 0)), v(one_to_one), rows);
      std::swap(u, v);
    }
    const auto& dry = *buffers::state_of(*base::current()->runtime)->dry;
    CHECK(dry.counted().sent_bytes == 10 * 4 * 8);
    CHECK(dry.counted().received_bytes == 10 * 4 * 8);
    CHECK(dry.counted().instructions.at("compute") == 11 * 8);
    CHECK(dry.text().starts_with("dry run as N4095 of 4096 nodes, 8 devices each: 11 tasks, 2 horizons; commands: "));
  });
}

buffers::dry_settings dry_settings_from(const std::string& text) {
  base::settings s;
  s.dry_nodes = text;
  return buffers::dry_settings_of(s);
}

TEST_CASE("the size of a dry run's job is read, and refused if no job has it") {
  CHECK(dry_settings_from("").nodes == 0);
  CHECK(dry_settings_from("").which.empty());
  const auto alone = dry_settings_from("65536");
  CHECK((alone.nodes == 65536 && alone.devices == 0));
  CHECK(alone.which == std::vector<graph::node_number>{0});
  const auto with_devices = dry_settings_from("3x63:1-2");
  CHECK((with_devices.nodes == 3 && with_devices.devices == 63));
  CHECK(with_devices.which == std::vector<graph::node_number>{1, 2});
  for (const char* wrong : {"0", "65537", "x2", "4x", "4x64", "4x-1", "-4", " 4", "4 ", "four", "4x2x2", ":0", "4.5"})
    CHECK_MESSAGE(test::error_of([&] { dry_settings_from(wrong); }).code() == "B21", wrong);
}

TEST_CASE("a list of nodes that are not there is refused with those that are") {
  const auto which = [](const char* list) { return dry_settings_from("4:" + std::string(list)).which; };
  using numbers = std::vector<graph::node_number>;
  CHECK(which("0") == numbers{0});
  CHECK(which("3,0-1") == numbers{0, 1, 3});
  CHECK(which("all") == numbers{0, 1, 2, 3});
  for (const char* wrong : {"", "4", "1,", ",1", "2-1", "0-4", "1-", "-1", "x", "1,,2", "99999999999", "1 2"})
    CHECK_MESSAGE(test::error_of([&] { which(wrong); }).code() == "B21", wrong);
}

TEST_CASE("a graph ends where more is asked than is kept, and says so") {
  buffers::graph_recorder all({.file = "graph.dot", .kind = base::graph_kind::tasks, .most = 3},
                              std::vector<graph::node_number>{0}, {});
  const graph::buffer b{.elements = box(0, 4), .name = "b"};
  all.add(b, 4);
  graph::task_graph order;
  order.add(b);
  graph::task t;
  t.range = box(0, 4);
  t.name = "again";
  for (int i = 0; i < 5; ++i) all.add(order.add(t), t, {});
  CHECK(all.text().find("T3 [label=") != std::string::npos);
  CHECK(all.text().find("T4 [label=") == std::string::npos);
  CHECK(all.text().ends_with("  label=\"the program goes on behind T3\";\n}\n"));
}

TEST_CASE("a graph can be written after the objects that a mapper refers to are destroyed") {
  const dry_folder here;
  const with_variable file("STRETTO_GRAPH", (here / "graph.json").c_str()), kind("STRETTO_GRAPH_KIND", "tasks");
  {
    runtime rt({.workers = 1});
    rt.run([] {
      const auto shift = std::make_unique<coordinate>(1);
      buffer<long long, 2> u(box({0, 0}, {8, 8}), {.name = "u"});
      host_task(
          box(0, 3), [](view<long long, 2>) {},
          u.out([&](const box& c) { return box({c.min()[0] + *shift, 0}, {c.max()[0] + *shift, 8}); }));
    });
  }
  CHECK(content_of(here / "graph.json").find("[1,4)x[0,8)") != std::string::npos);
}

TEST_CASE("a graph file that cannot be written is refused at the start, and reported at the end") {
  CHECK(test::error_of([] {
          const with_variable file("STRETTO_GRAPH", "graph.png");
          runtime rt({.workers = 1});
        }).code() == "B17");
  CHECK(test::error_of([] {
          const with_variable file("STRETTO_GRAPH", "graph.dot"), kind("STRETTO_GRAPH_KIND", "timeline");
          runtime rt({.workers = 1});
        }).code() == "B17");
  CHECK(test::error_of([] {
          const with_variable file("STRETTO_GRAPH", "nowhere/graph.dot");
          runtime rt({.workers = 1});
        }).code() == "B18");
  auto folder = std::make_unique<test::temporary_folder>();
  const std::vector<graph::node_number> one{0};
  const buffers::graph_recorder lost({.file = (folder->path / "graph.dot").string()}, one, {});
  folder.reset();
  CHECK(test::error_of([&] { lost.write(); }).code() == "B18");
}

}  // namespace
}  // namespace stretto
