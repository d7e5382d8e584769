// Errors of launches on objects are reported by the call or by its event, and do not affect other launches.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include "conformance/devices.hpp"
#include "device/kernels_for_tests.hpp"
#include "device/kernels_that_devices_refuse.hpp"
#include "device/sim/sim_device.hpp"
#include "function_reference.hpp"
#include "objects/on_devices.hpp"
#include "thrown_by.hpp"
#include "usable_devices.hpp"
#include "with_variable.hpp"
#include "written_by.hpp"

namespace stretto {
namespace {

using test::error_of;
using test::on_devices;
using test::thrown_by;

const box small({0, 0}, {8, 8});

// clang-format off
STRETTO_KERNEL(one_more, (inout<unsigned, 2> a), { a(global_id(0), global_id(1)) += 1; })
STRETTO_KERNEL(add_a_third, (inout<double, 2> a), { a(global_id(0), global_id(1)) += 1.0 / 3.0; })
STRETTO_KERNEL(reach_too_far, (in<unsigned, 2> a, inout<unsigned, 2> b), {
  b(global_id(0), global_id(1)) += a(global_id(0), global_id(1) + 1);
})
// clang-format on

void on(const char* devices, test::function_reference<void()> body) {
  const test::with_variable little("STRETTO_DEVICE_MEMORY", "4096");
  runtime rt({.workers = 2, .devices = devices});
  rt.run([&] { body(); });
}

/// The failure of an event as text, without reporting it to the finish.
std::string end_of(const event& e) {
  return thrown_by([&] { wait(e); });
}

TEST_CASE("objects that name nothing, parts that are not there, places that compute nothing") {
  on("sim", [] {
    object<unsigned, 2> none, a(small, {.name = "a"});
    CHECK(error_of([&] { launch(set_all, small, none, 1u); }).code() == "A02");
    CHECK(error_of([&] { none.read(); }).code() == "A02");
    CHECK(error_of([&] { none.elements(); }).code() == "A02");
    CHECK(error_of([&] { launch(set_all, small, a(box({0, 0}, {8, 9})), 1u); }).code() == "A05");
    CHECK(error_of([&] { a.read(box({-1, 0}, {2, 2})); }).code() == "A05");
    const object<unsigned, 2> moved = std::move(a);
    CHECK(error_of([&] { launch(set_all, small, a, 1u); }).code() == "A02");
    CHECK(error_of([&] { launch(set_all, in_groups(small, {1, 1, 1}), moved, 1u); }).code() == "K24");
    wait(launch(set_all, small, moved, 1u));
  });
  on("none", [] {
    object<unsigned, 2> a(small, {.name = "a"});
    CHECK(error_of([&] { launch(on(device_kind::device), set_all, small, a, 1u); }).code() == "A06");
    wait(launch(on(device_kind::host), set_all, small, a, 1u));
  });
}

TEST_CASE("an object is of its runtime") {
  std::optional<object<unsigned, 2>> kept;
  on("sim", [&] {
    kept.emplace(small, object_options{.name = "kept"});
    launch(set_all, small, *kept, 1u);
  });
  on("none", [&] { CHECK(error_of([&] { kept->read(); }).code() == "A02"); });
}

TEST_CASE("elements that nothing wrote are not read, and what depends on them is skipped") {
  on("sim", [] {
    object<unsigned, 2> a(small, {.name = "a"}), b(small, {.name = "b"});
    const box half({0, 0}, {4, 8});
    launch(set_all, half, a(half), 3u);
    const std::string what = thrown_by([&] { finish([&] { launch(mix, small, a, b, 0, 0, 1u); }); });
    CHECK(what.find("A03") != std::string::npos);
    CHECK(what.find("object \"a\"") != std::string::npos);
    CHECK(what.find("[4,8)x[0,8)") != std::string::npos);
    CHECK(thrown_by([&] { b.read().get(); }).find("A03") != std::string::npos);
    CHECK(a.read(half).get().view()(1, 1) == 3u + 32u);
    CHECK(thrown_by([&] { a.change().get(); }).find("A03") != std::string::npos);
    a.overwrite().get().view()(7, 7) = 5;
    CHECK(a.read().get().view()(7, 7) == 5);
  });
}

TEST_CASE("readers of a failed launch's elements are skipped, and one failure is reported, with the root") {
  const test::with_variable check("STRETTO_CHECK", "1");
  on("sim", [] {
    const std::vector<unsigned> zeros(64);
    object<unsigned, 2> a(small, zeros.data(), {.name = "a"}), b(small, zeros.data(), {.name = "b"}),
        c(small, zeros.data());
    for (const device_kind kind : {device_kind::host, device_kind::device}) {
      const std::string why = thrown_by([&] {
        finish([&] {
          const event broken = launch(stretto::on(kind), name("broken"), reach_too_far, small, a, b);
          while (!broken.has_triggered()) yield();
          launch(name("reader"), mix, small, b, c, 0, 0, 1u);
        });
      });
      CHECK(why.find("K01") != std::string::npos);
      CHECK(why.find("S06") == std::string::npos);  // one failure, though two launches were skipped
      for (const auto& lost : {b, c}) {
        CHECK(thrown_by([&] { lost.read().get(); }).find("K01") != std::string::npos);
        lost.overwrite().get().view()(0, 0) = 1;
        launch(set_all, small, lost, 0u);
      }
    }
  });
}

TEST_CASE("elements written after a failure are read as if there had been none") {
  on("sim", [] {
    object<unsigned, 2> a(small, {.name = "a"});
    const user_event asked = user_event::create();
    finish([&] {
      launch(set_all, small, a, 3u);
      launch(after(asked), name("late"), set_all, small, a, 4u);
      const event follows =
          launch(name("next"), mix, small, a, object<unsigned, 2>(small, std::vector<unsigned>(64).data()), 0, 0, 1u);
      asked.poison(std::make_exception_ptr(std::runtime_error("no")));
      CHECK(end_of(follows).find("launch \"late\"") != std::string::npos);  // it must not read the older data
    });                                                                     // it is reported already
    CHECK(thrown_by([&] { a.read().get(); }).find("launch \"late\"") != std::string::npos);
    launch(set_all, small, a, 7u);
    CHECK(a.read().get().view()(0, 0) == 7u);
  });
}

TEST_CASE("arguments that fit into no memory fail with the bytes") {
  on("sim", [] {
    const box large({0, 0}, {64, 64});
    object<unsigned, 2> a(large, {.name = "large"});
    const std::string what = end_of(launch(stretto::on(device_kind::device), set_all, large, a, 1u));
    CHECK(what.find("A04") != std::string::npos);
    CHECK(what.find("16384 bytes") != std::string::npos);
    CHECK(what.find("of 4096 bytes") != std::string::npos);
    wait(launch(set_all, large, a, 1u));  // the host has enough memory
    CHECK(a.read().get().view()(0, 1) == 2u);
  });
}

TEST_CASE("arguments that do not fit into a device run where they do, whoever is asked first") {
  for (const char* policy : {"fifo", "locality", "earliest_finish", "work_stealing"}) {
    const test::with_variable how("STRETTO_SCHEDULER", policy), quiet("STRETTO_LOG", "off");
    on("sim:2", [] {
      const box large({0, 0}, {64, 64});
      std::vector<object<unsigned, 2>> all;
      for (int n = 0; n < 12; ++n) launch(set_all, large, all.emplace_back(large), 1u);
      for (const auto& a : all) CHECK(a.read().get().view()(0, 1) == 2u);
    });
  }
}

device::sim::options small_device(const char* name, bool has_double = true) {
  device::sim::options o;
  o.name = name;
  o.memory_bytes = 4096;
  o.has_double = has_double;
  return o;
}

std::vector<std::unique_ptr<device::device>> devices_of(std::vector<device::sim::made>& made) {
  std::vector<std::unique_ptr<device::device>> devices;
  for (device::sim::made& m : made) devices.push_back(std::move(m.device));
  return devices;
}

constexpr const char* policies_to_misuse[] = {"fifo", "locality", "earliest_finish", "work_stealing"};

TEST_CASE("a kernel that a device cannot compile runs where it can") {
  for (const char* policy : policies_to_misuse) {
    std::vector<device::sim::made> one;
    one.push_back(device::sim::make(small_device("single", false)));
    on_devices(devices_of(one), policy, [](device::device_set& all) {
      const std::vector<double> zeros(64);
      object<double, 2> a(small, zeros.data(), {.name = "a"});
      for (int n = 0; n < 30; ++n) launch(add_a_third, small, a);
      CHECK(a.read().get().view()(3, 3) == doctest::Approx(10));
      CHECK(end_of(launch(stretto::on(all.all()[0]->processor()), add_a_third, small, a)).find("K13") !=
            std::string::npos);
      CHECK(thrown_by([&] { a.read().get(); }).find("K13") != std::string::npos);
    });
  }
}

/// Leaves to the host only what devices cannot run.
class devices_first : public device_scheduler {
 public:
  void start(std::span<const device_view> devices) override { devices_.assign(devices.begin(), devices.end()); }
  void push(const device_task& t) override { waiting_.push_back(&t); }
  const device_task* pop(const device_view& d) override {
    const auto is_for = [&](const device_task* t) {
      return t->may_run_on(d) && (d.kind != "host" || std::ranges::none_of(devices_, [&](const device_view& other) {
                                    return other.kind != "host" && t->may_run_on(other);
                                  }));
    };
    const auto found = std::ranges::find_if(waiting_, is_for);
    if (found == waiting_.end()) return nullptr;
    const device_task* const taken = *found;
    waiting_.erase(found);
    return taken;
  }

 private:
  std::vector<device_view> devices_;
  std::vector<const device_task*> waiting_;
};

TEST_CASE("a kernel that no device's compiler takes runs on the host with one warning, and fails where it is pinned") {
  const test::with_variable memory("STRETTO_DEVICE_MEMORY", "8M");
  for (const std::string& kind : test::usable_devices({"sim", "opencl:1"}, "kernels that devices refuse")) {
    INFO(kind);
    const std::string said = test::written_by([&] {
      runtime rt({.workers = 2, .devices = kind, .scheduler = std::make_shared<devices_first>()});
      rt.run([] {
        const std::vector<int> zeros(100);
        object<int> x({0, 100}, zeros.data(), {.name = "x"});
        for (int n = 0; n < 10; ++n) launch(test::uses_a_macro, x.elements(), x);
        CHECK(x.read().get().view()(7) == 10 * (7 + STRETTO_TEST_RADIUS));
        object<int> y({0, 100}, zeros.data(), {.name = "y"});
        const std::string why = end_of(launch(stretto::on(device_kind::device), test::uses_a_macro, y.elements(), y));
        CHECK(why.find("error K12: kernel \"uses_a_macro\" does not compile for the device") != std::string::npos);
        CHECK(why.find("kernels_that_devices_refuse.hpp:") != std::string::npos);
      });
    });
    INFO(said);
    const std::string device = kind.substr(0, kind.find(':')) + "_0";
    const std::string warning =
        "warning: kernel \"uses_a_macro\" runs elsewhere than on \"" + device + "\": error K12: ";
    const std::size_t first = said.find(warning);
    CHECK(first != std::string::npos);
    CHECK(said.find("runs elsewhere than on", first + warning.size()) == std::string::npos);
  }
}

TEST_CASE("a driver that has less memory than it said is a full memory, and then no place for a launch") {
  for (const char* policy : policies_to_misuse) {
    INFO(std::string(policy));
    std::vector<device::sim::made> one;
    one.push_back(device::sim::make(small_device("shared")));
    device::sim::faults* const others = one.front().faults_of_device;
    on_devices(devices_of(one), policy, [&](device::device_set& all) {
      const place shared = all.all()[0]->processor();
      const std::vector<unsigned> zeros(64);
      std::vector<object<unsigned, 2>> objects;
      for (int n = 0; n < 12; ++n) objects.emplace_back(small, zeros.data());
      const auto all_are = [&](unsigned value) {
        for (const auto& o : objects) CHECK(o.read().get().view()(0, 0) == value);
      };
      others->reserve_for_others(3072);  // memory for four of the twelve
      for (unsigned round = 1; round <= 5; ++round)
        for (auto& o : objects) launch(stretto::on(shared), one_more, small, o);
      all_are(5);
      others->fail_allocation(2);  // and now and then for none
      for (auto& o : objects) launch(stretto::on(shared), one_more, small, o);
      all_are(6);
      others->reserve_for_others(4096);
      for (auto& o : objects) launch(one_more, small, o);
      all_are(7);
      object<unsigned, 2> pinned(small, zeros.data());
      const std::string why = end_of(launch(stretto::on(shared), one_more, small, pinned));
      CHECK(why.find("error A04: the device has no memory for the arguments of launch \"one_more\"") !=
            std::string::npos);
      CHECK(why.find("because     device \"shared\" has no 256 bytes of memory: others use 4096 of its 4096 bytes") !=
            std::string::npos);
      CHECK(why.find("free ") == std::string::npos);
      others->reserve_for_others(0);
      for (auto& o : objects) launch(stretto::on(shared), one_more, small, o);
      all_are(8);
    });
  }
}

STRETTO_GROUP_KERNEL(misuse_ends, (inout<float> x, local<float> kept), {
  each_item([&](item it) {
    if (it.local_id(0) == 0) kept(0) = 1;
    if (it.local_id(0) == 1) kept(1) = 2;
  });
  each_item([&](item it) { x(it.global_id(0)) += kept(0) + kept(1); });
})

TEST_CASE("groups that are too large for a device run on another, or on the host") {
  for (const char* policy : policies_to_misuse) {
    INFO(std::string(policy));
    device::sim::options large = small_device("large");
    large.memory_bytes = 1 << 20, large.most_items_per_group = 4096, large.local_memory_bytes = 1 << 20;
    device::sim::options usual = small_device("usual");
    usual.memory_bytes = 1 << 20, usual.most_groups = 100;
    std::vector<device::sim::made> two;
    two.push_back(device::sim::make(usual));
    two.push_back(device::sim::make(large));
    on_devices(devices_of(two), policy, [](device::device_set& all) {
      const std::vector<float> zeros(16384);
      object<float> x(box(0, 16384), zeros.data(), {.name = "x"});
      const auto both = [&] {
        std::vector<std::uint64_t> launches;
        for (const auto& d : objects::statistics_of(*base::current()->runtime)) launches.push_back(d.launches);
        return launches;
      };
      const std::int64_t most = 300 << 10;  // more than the host's groups declare, and than the first device has
      finish([&] {                          // after it all launches are counted
        for (int n = 0; n < 8; ++n) launch(misuse_ends, in_groups({0, 2}, 8192), x, local_size{2});
        for (int n = 0; n < 8; ++n) launch(misuse_ends, in_groups({0, 4}, 4096), x, local_size{2});
        for (int n = 0; n < 8; ++n) launch(misuse_ends, in_groups({0, 64}, 256), x, local_size{most / 4});
      });
      const auto seen = x.read().get();
      CHECK(seen.view()(0) == 3 * 24);
      CHECK(seen.view()(16383) == 3 * 24);
      CHECK(both()[1] == 0);
      CHECK(both()[0] + both()[2] == 24);
      const std::string pinned = end_of(launch(stretto::on(device_kind::device), misuse_ends, in_groups({0, 1}, 8192),
                                               object<float>(box(0, 8192), zeros.data()), local_size{2}));
      CHECK(pinned.find("error K22: groups of 8192 items") != std::string::npos);
      CHECK(pinned.find("candidates  \"sim_0\" 1024 items and 49152 bytes of local memory per group; \"sim_1\" 4096 "
                        "items and 1048576") != std::string::npos);
      CHECK(pinned.find("let the host run it") != std::string::npos);
      const place first = all.all()[0]->processor();
      const std::string local = end_of(launch(stretto::on(first), misuse_ends, in_groups({0, 1}, 64),
                                              object<float>(box(0, 64), zeros.data()), local_size{1 << 16}));
      CHECK(local.find("error K23: 262144 bytes of local memory") != std::string::npos);
      CHECK(local.find("sim_1") == std::string::npos);
      wait(launch(stretto::on(first), misuse_ends, in_groups({0, 1}, 64), object<float>(box(0, 64), zeros.data()),
                  local_size{1 << 10}));
      // More groups than a launch can have: reported for that launch alone, before any data is moved.
      object<float> y(box(0, 16384), zeros.data());
      for (int n = 0; n < 3; ++n) {
        launch(misuse_ends, in_groups({0, 512}, 32), y, local_size{2});
        launch(misuse_ends, in_groups({0, 100}, 32), y, local_size{2});
      }
      CHECK(y.read().get().view()(16383) == 3 * 3);
      const std::string many = end_of(launch(stretto::on(first), misuse_ends, in_groups({0, 101}, 32),
                                             object<float>(box(0, 3232), zeros.data()), local_size{2}));
      CHECK(many.find("error K44: the range has more groups than a launch can have") != std::string::npos);
      CHECK(many.find("at most     100 groups") != std::string::npos);
      wait(launch(stretto::on(first), misuse_ends, in_groups({0, 100}, 32), y, local_size{2}));
    });
  }
}

STRETTO_GROUP_KERNEL(misuse_neighbours, (inout<float> x, local<float> kept), {
  each_item([&](item it) {
    kept(it.local_id(0)) = x(it.global_id(0));
    x(it.global_id(0)) = kept((it.local_id(0) + 1) % group_size(0));
  });
})

TEST_CASE("a race within a group is reported where the host computes and checks") {
  const test::with_variable check("STRETTO_CHECK", "1");
  runtime rt({.workers = 2});
  rt.run([] {
    std::vector<float> numbers(64);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
    object<float> x(box(0, 64), numbers.data(), {.name = "x"});
    const std::string why =
        thrown_by([&] { wait(launch(misuse_neighbours, in_groups({0, 4}, 16), x, local_size{16})); });
    CHECK(why.find("error K03") != std::string::npos);
    CHECK(why.find("item        (0) of the group, (0) of all") != std::string::npos);
    wait(launch(misuse_neighbours, in_groups({0, 0}, 16), x(box(0, 0)), local_size{16}));
  });
}

STRETTO_KERNEL(misuse_shifts, (inout<float> x), { x(global_id(0)) = x(global_id(0) + 1); })
STRETTO_KERNEL(misuse_adds_to_out, (out<float> x), { x(global_id(0)) += 1; })

TEST_CASE(
    "races between items and reads of an unwritten out argument are reported, wherever a launch on objects runs") {
  const test::with_variable check("STRETTO_CHECK", "1");
  on("sim", [] {
    std::vector<float> numbers(64);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
    for (const device_kind kind : {device_kind::host, device_kind::device}) {
      object<float> x(box(0, 64), numbers.data(), {.name = "x"});
      const std::string race = thrown_by([&] { wait(launch(stretto::on(kind), misuse_shifts, box(3, 60), x)); });
      CHECK(race.find("error K04: two items of kernel \"misuse_shifts\" use x(4), and one of them writes it") !=
            std::string::npos);
      object<float> y(box(0, 64), {.name = "y"});
      const std::string read = thrown_by([&] { wait(launch(stretto::on(kind), misuse_adds_to_out, box(0, 64), y)); });
      CHECK(read.find("error K06: kernel \"misuse_adds_to_out\" reads x(0) of an out argument") != std::string::npos);
    }
  });
}

STRETTO_KERNEL(misuse_sets, (out<float> x), { x(global_id(0)) = 1; })
STRETTO_KERNEL(misuse_copies, (in<float> x, out<float> y), { y(global_id(0)) = x(global_id(0)); })

TEST_CASE("unwritten elements of an out argument are reported where they are read, on any device") {
  const test::with_variable check("STRETTO_CHECK", "1");
  on("sim", [] {
    const box all(0, 64);
    for (const device_kind writer : {device_kind::host, device_kind::device})
      for (const device_kind reader : {device_kind::host, device_kind::device}) {
        object<float> x(all, {.name = "x"}), y(all, {.name = "y"});
        launch(stretto::on(writer), misuse_sets, box(0, 32), x);
        const std::string kernel = thrown_by([&] { wait(launch(stretto::on(reader), misuse_copies, all, x, y)); });
        CHECK(kernel.find("error K07: kernel \"misuse_copies\" reads x(32), which has no value") != std::string::npos);
        CHECK(kernel.find("left by     kernel \"misuse_sets\"") != std::string::npos);
        const std::string host = thrown_by([&] { x.read().get().view(); });
        CHECK(host.find("error K07: the program reads an element of object \"x\" that has no value") !=
              std::string::npos);
        CHECK(host.find("element     (32)") != std::string::npos);
        CHECK(x.read(box(0, 32)).get().view()(31) == 1);
        launch(stretto::on(reader), misuse_sets, box(32, 64), x(box(32, 64)));
        wait(launch(stretto::on(writer), misuse_copies, all, x, y(all)));
        CHECK(y.read().get().view()(63) == 1);
      }
  });
}

TEST_CASE("a tile is all that a checked kernel may touch") {
  const test::with_variable check("STRETTO_CHECK", "1");
  on("sim", [] {
    const std::vector<unsigned> zeros(64);
    object<unsigned, 2> a(small, zeros.data(), {.name = "a"}), b(small, zeros.data(), {.name = "b"});
    const box left({0, 0}, {8, 4});
    for (const device_kind kind : {device_kind::host, device_kind::device}) {
      const std::string what = end_of(launch(stretto::on(kind), reach_too_far, left, a(left), b(left)));
      CHECK(what.find("K01") != std::string::npos);
      CHECK(what.find("reach_too_far") != std::string::npos);
    }
    wait(launch(reach_too_far, left, a, object<unsigned, 2>(small, zeros.data())));
  });
}

TEST_CASE("elements are held until they are given back, wherever that is") {
  on("sim", [] {
    object<unsigned, 2> a(small, std::vector<unsigned>(64).data(), {.name = "a"});
    auto one = a.read().get(), two = a.read().get();  // readers share
    const event e = launch(set_all, small, a, 9u);
    auto after_it = a.read();
    CHECK(one.view()(2, 2) == 0);
    CHECK_FALSE(e.has_triggered());
    one.release();
    CHECK_FALSE(bool(one));
    std::thread([mine = std::move(two)]() mutable { mine.release(); }).join();  // a thread without a runtime
    object<unsigned, 2> other(small);                                           // the next call handles the release
    CHECK(after_it.get().view()(0, 0) == 9u);
    auto none = a.read(box({3, 3}, {3, 3})).get();
    CHECK(none.view().size() == 0);
  });
}

TEST_CASE("objects may go while what uses them runs, and where no runtime is") {
  std::optional<object<unsigned, 2>> elsewhere;
  const test::with_variable little("STRETTO_DEVICE_MEMORY", "4096");
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([&] {
    for (int n = 0; n < 100; ++n) {  // many times the device's memory, if they stayed
      object<unsigned, 2> a(small);
      launch(stretto::on(device_kind::device), set_all, small, a, 1u);
    }
    elsewhere.emplace(small);
    launch(set_all, small, *elsewhere, 1u);
  });
  elsewhere.reset();
  rt.run([&] { CHECK(object<unsigned, 2>(small).elements() == small); });
}

TEST_CASE("the loss of a device loses only data that it alone had") {
  for (const char* policy : policies_to_misuse) {
    std::vector<device::sim::made> both;
    both.push_back(device::sim::make(small_device("one")));
    both.push_back(device::sim::make(small_device("other")));
    device::sim::faults* const fault = both.front().faults_of_device;
    on_devices(devices_of(both), policy, [&](device::device_set& all) {
      INFO(std::string(policy));
      const std::vector<unsigned> zeros(64);
      const place doomed = all.all()[0]->processor();
      object<unsigned, 2> there(small, {.name = "there"}), copied(small, {.name = "copied"});
      wait(launch(stretto::on(doomed), set_all, small, there, 1u));
      wait(launch(stretto::on(doomed), set_all, small, copied, 2u));
      copied.read().get();  // now the host has it as well
      fault->lose();
      CHECK(end_of(launch(stretto::on(doomed), set_all, small, object<unsigned, 2>(small), 1u)).find("K31") !=
            std::string::npos);
      CHECK(thrown_by([&] { there.read().get(); }).find("K31") != std::string::npos);
      CHECK(copied.read().get().view()(0, 0) == 2u);
      object<unsigned, 2> asked_for(small, zeros.data());
      CHECK(end_of(launch(stretto::on(doomed), set_all, small, asked_for, 1u)).find("K31") != std::string::npos);
      CHECK(thrown_by([&] { asked_for.read().get(); }).find("K31") != std::string::npos);
      for (int n = 0; n < 30; ++n) launch(mix, small, copied, object<unsigned, 2>(small, zeros.data()), 0, 0, 1u);
      wait(launch(set_all, small, there, 5u));
      CHECK(there.read().get().view()(0, 0) == 5u);
    });
  }
}

}  // namespace
}  // namespace stretto
