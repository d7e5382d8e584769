// CUDA devices with the tests' fake driver, which fails in all the ways that drivers do.
#include <stretto/error.hpp>
#include <stretto/kernel.hpp>

#include <doctest/doctest.h>

#include <thread>

#include "counting_completion.hpp"
#include "device/arrays.hpp"
#include "device/cuda/cuda_copies.hpp"
#include "device/cuda/cuda_launch.hpp"
#include "device/fake_driver.hpp"
#include "device/kernels_for_tests.hpp"
#include "thrown_by.hpp"

namespace stretto::device::cuda {
namespace {

using test::error_of;
using test::fake_driver;
using test::fake_driver_options;

/// Two pages of host memory.
std::byte* pages() {
  alignas(4096) static std::byte two[8192];
  return two;
}

/// The only result, which must have a reason and no device.
opened_device nothing_found(const options& o) {
  auto all = find(o);
  REQUIRE(all.size() == 1);
  CHECK_FALSE(all[0].is);
  CHECK_FALSE(all[0].remedy.empty());
  return std::move(all[0]);
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("every obstacle to using CUDA is reported with a remedy") {
  options o = fake_driver_options();
  SUBCASE("no driver") {
    o.library = "libno_such_cuda.so.1";
    const opened_device f = nothing_found(o);
    CHECK(f.name == "CUDA");
    CHECK(has(f.reason,
              "the CUDA library \"libno_such_cuda.so.1\" cannot be opened: libno_such_cuda.so.1: cannot open shared "
              "object file"));
    CHECK(has(f.remedy, "install NVIDIA's driver"));
  }
  SUBCASE("a library that is another one") {
    o.library = STRETTO_STUB_EMPTY;
    const opened_device f = nothing_found(o);
    CHECK(has(f.reason, "is too old, or another library: it has no cuInit"));
    CHECK(has(f.remedy, "for CUDA 11.2 or newer"));
  }
  SUBCASE("no device") {
    fake_driver d{{"init", 100}};
    const opened_device f = nothing_found(o);
    CHECK(has(f.reason, "no device can be used: cuInit says CUDA_ERROR_NO_DEVICE (100)"));
    CHECK(has(f.remedy, "CUDA_VISIBLE_DEVICES"));
  }
  SUBCASE("a driver that counts none") {
    fake_driver d{{"devices", 0}};
    CHECK(has(nothing_found(o).reason, "the CUDA driver has no device"));
  }
  SUBCASE("the stub of the toolkit") {
    fake_driver d{{"init", 34}};
    const opened_device f = nothing_found(o);
    CHECK(has(f.reason, "it is the stub to link against"));
    CHECK(has(f.remedy, "LD_LIBRARY_PATH"));
  }
  SUBCASE("a driver that was updated under a running kernel") {
    fake_driver d{{"init", 803}};
    CHECK(has(nothing_found(o).remedy, "restart the machine"));
  }
  SUBCASE("an error that nobody knows") {
    fake_driver d{{"init", 12345}};
    const opened_device f = nothing_found(o);
    CHECK(has(f.reason, "cuInit says CUDA error 12345"));
    CHECK(has(f.remedy, "nvidia-smi"));
  }
  SUBCASE("an old driver") {
    fake_driver d{{"version", 10020}};
    const opened_device f = nothing_found(o);
    CHECK(has(f.reason, "is too old: it belongs to CUDA 10.2"));
    CHECK(has(f.remedy, "for CUDA 11.2 or newer"));
  }
}

TEST_CASE("a device that cannot be used is named, and does not hide the others") {
  options o = fake_driver_options();
  SUBCASE("no compiler") {
    o.compiler = "libno_such_nvrtc.so";
    const auto all = find(o);
    REQUIRE(all.size() == 2);
    CHECK(all[1].name == "Fake GPU 1");
    CHECK_FALSE(all[1].is);
    CHECK(has(all[1].reason, "libno_such_nvrtc.so"));
    CHECK(has(all[1].remedy, "install CUDA's NVRTC"));
    o.only = std::vector<device_selection>{{.number = 1}};
    REQUIRE(find(o).size() == 1);
    CHECK(find(o)[0].name == "Fake GPU 1");
    o.only.reset();
    o.at_most = 1;
    REQUIRE(find(o).size() == 1);
    CHECK(find(o)[0].name == "Fake GPU 0");
  }
  SUBCASE("a compiler that is none") {
    o.compiler = STRETTO_STUB_EMPTY;
    CHECK(has(find(o)[0].reason, "it has no nvrtcVersion"));
  }
  SUBCASE("a context that cannot be had") {
    fake_driver d{{"retain", 999}};
    const auto all = find(o);
    CHECK(has(all[0].reason, "the CUDA driver refused cuDevicePrimaryCtxRetain: CUDA_ERROR_UNKNOWN (999)"));
    CHECK(has(all[0].remedy, "nvidia-smi"));
  }
  SUBCASE("memory that others hold") {
    fake_driver d{{"alloc", 2}};
    o.memory_bytes = 0;
    const auto all = find(o);
    CHECK(has(all[0].reason, "of which 256 of 256 MiB are free: CUDA_ERROR_OUT_OF_MEMORY (2)"));
  }
  SUBCASE("older than what is compiled for") {
    fake_driver d{{"capability", 35}};
    const auto all = find(o);
    CHECK(has(all[0].reason, "it has compute capability 3.5"));
    CHECK(has(all[0].reason, "compiles for 7.5 and later"));
    CHECK(has(all[0].remedy, "older CUDA"));
  }
  CHECK(fake_driver().get("live") == 0);
}

TEST_CASE("nine tenths of what is free are a device's memory, or what is asked for") {
  fake_driver driver;
  options o = fake_driver_options();
  o.memory_bytes = 0;
  CHECK(find(o)[0].is->about().memory_bytes == 230u << 20);
  o.memory_bytes = 12 << 20;
  CHECK(find(o)[0].is->about().memory_bytes == 12u << 20);
  CHECK(find(o)[1].is->about().local_memory_bytes == 99u << 10);
}

/// A device of the fake driver, its stream, and a completion that records its result.
struct told : test::counting_completion {
  std::string code() const {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const error& e) {
      return e.code();
    }
    return "";
  }
};
struct bench {
  std::unique_ptr<stretto::device::device> on;
  std::unique_ptr<stream> s;

  explicit bench(const options& o = fake_driver_options()) : on(std::move(find(o).at(0).is)), s(on->make_stream()) {}
  void wait(told& t) {
    while (!t.times)
      if (!on->poll()) std::this_thread::yield();
  }
  launch_argument integers(std::int64_t n) const {
    launch_argument a;
    a.is.origin = a.first = on->memory();
    a.is.stride[0] = 1;
    a.is.max[0] = n;
    a.bytes = static_cast<std::uint64_t>(n) * sizeof(int);
    return a;
  }
  void add_one(told* done = nullptr) {
    launch_range r;
    r.max[0] = 16;
    s->launch(*on->compile(::add_one.code()), r, std::vector{integers(16)}, done);
  }
};

TEST_CASE("events signal completion if the driver sets no flags") {
  {
    fake_driver d{{"write", 801}};  // CUDA_ERROR_NOT_SUPPORTED
    bench b;
    CHECK_FALSE(b.on->about().prefers_spinning);
    told t;
    b.add_one(&t);
    b.wait(t);
    CHECK(t.code() == "");
  }
  CHECK(bench().on->about().prefers_spinning);
  CHECK(fake_driver().get("live") == 0);
}

TEST_CASE("a word that is no longer set is a loss, not a wait for ever") {
  {
    fake_driver d;
    bench b;
    told before, after;
    b.add_one(&before);
    b.wait(before);
    d.set("fault", 1);
    b.s->launch(*b.on->compile(::add_one.code()), launch_range{.max = {16, 1, 1}}, std::vector{b.integers(16)},
                nullptr);
    b.add_one(&after);
    b.wait(after);
    CHECK(after.code() == "K31");
  }
  CHECK(fake_driver().get("live") == 0);
}

TEST_CASE("a fault in a kernel loses the device: what is under way and what follows ends with K31") {
  {
    fake_driver d{{"fault", 2}};
    bench b;
    told before, faulty, behind, copied, filled, later;
    int host = 0;
    b.add_one(&before);
    b.wait(before);
    CHECK(before.code() == "");
    b.add_one(&faulty);
    b.add_one(&behind);
    b.wait(behind);
    CHECK(faulty.code() == "K31");
    CHECK(behind.code() == "K31");
    b.s->copy({{}, reinterpret_cast<std::byte*>(&host)}, {{}, b.on->memory()}, {4}, &copied);
    b.s->fill({{}, b.on->memory()}, {4}, std::as_bytes(std::span("\1", 1)), &filled);
    b.add_one(&later);
    b.s->wait_for(b.s->record_marker());
    CHECK(b.on->pending() == 3);
    b.wait(later);
    CHECK(copied.code() == "K31");
    CHECK(filled.code() == "K31");
    CHECK(later.code() == "K31");
    CHECK(b.on->is_lost());
    CHECK_FALSE(b.on->lock_host(pages(), 4096));
    try {
      std::rethrow_exception(faulty.failure);
    } catch (const error& e) {
      CHECK(e.sentence() == "device \"Fake GPU 0\" was lost");
      CHECK(e.why() == "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered");
      CHECK(has(e.what_to_try(), "STRETTO_CHECK=1"));
    }
    CHECK(error_of([&] { b.on->compile(jacobi.code()); }).code() == "K31");
  }
  CHECK(fake_driver().get("live") == 0);
}

TEST_CASE("a kernel that writes beyond a group's memory is a fault, not an answer") {
  bench b;
  told t;
  launch_range r;
  r.group[0] = 32;
  const launch_argument x = b.integers(32), too_few{local_elements(16)};
  b.s->launch(*b.on->compile(sum_of_group.code()), r, std::vector{x, x, too_few}, &t);
  b.wait(t);
  CHECK(t.code() == "K31");
}

TEST_CASE("a launch that the driver refuses throws K43, and the device goes on") {
  fake_driver d;
  bench b;
  told after;
  b.add_one();
  d.set("launch", 701);
  const error e = error_of([&] { b.add_one(); });
  CHECK(e.code() == "K43");
  CHECK(e.sentence() == "the CUDA driver refused cuLaunchKernel");
  CHECK(e.why() == "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)");
  b.add_one(&after);
  b.wait(after);
  CHECK(after.code() == "");
}

TEST_CASE("failures to create streams and page-locked memory are reported") {
  fake_driver d;
  bench b;
  d.set("stream", 2);
  CHECK(error_of([&] { b.on->make_stream(); }).code() == "K43");
  d.set("pinned", 2);
  CHECK_FALSE(b.on->lock_host(pages(), 4096));
}

TEST_CASE("devices that are not wired do not reach one another") {
  fake_driver d{{"peers", 0}};
  auto all = find(fake_driver_options());
  CHECK_FALSE(all[0].is->reaches(*all[1].is));
  CHECK(all[0].is->reaches(*all[0].is));
}

TEST_CASE("distances that the driver refuses within a device are copied by a kernel") {
  fake_driver d{{"pitch", 512}};
  bench b;
  std::vector<unsigned char> from(64), back(64, 0xee);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i);
  told t;
  std::byte* const at = b.on->memory();
  const long launches = d.get("launches");
  b.s->copy({{}, reinterpret_cast<std::byte*>(from.data())}, {{}, at}, {64}, nullptr);
  b.s->copy({{}, at, 8, 0}, {{}, at + 1024, 5, 0}, {5, 8, 1}, nullptr);
  b.s->copy({{}, at + 1024, 5, 0}, {{}, reinterpret_cast<std::byte*>(back.data()), 8, 0}, {5, 8, 1}, &t);
  b.wait(t);
  CHECK(t.code() == "");
  CHECK(d.get("launches") == launches + 1);
  for (std::size_t i = 0; i < 64; ++i) CHECK(back[i] == (i % 8 < 5 ? i : 0xee));
}

TEST_CASE("a device that is used and ended leaves nothing with the driver, and misuses nothing") {
  fake_driver d;
  const long misuse = d.get("misuse");
  {
    bench b;
    const auto other = b.on->make_stream();
    for (int i = 0; i < 20; ++i) {
      told t;
      other->wait_for(b.s->record_marker());
      b.add_one(&t);
      b.wait(t);
    }
    CHECK(b.on->lock_host(pages(), 8192));
    CHECK_FALSE(b.on->lock_host(pages() + 4096, 4096));  // it is
    b.on->unlock_host(pages());
    b.add_one();  // pending when the stream is destroyed
  }
  CHECK(d.get("live") == 0);
  CHECK(d.get("misuse") == misuse);
}

TEST_CASE("a completion that waits when its stream ends runs before that returns") {
  bench b;
  told t;
  b.add_one(&t);
  b.s.reset();
  CHECK(t.times == 1);
  CHECK(b.on->pending() == 0);
}

TEST_CASE("kernels that do not fit a group are refused with the numbers") {
  bench b;
  launch_range r;
  r.dimensions = 3;
  r.group[0] = 128;
  launch_argument x = b.integers(1), sums = b.integers(1);
  CHECK(error_of([&] {
          b.s->launch(*b.on->compile(sum_of_group.code()), r, std::vector{x, sums, launch_argument{local_elements(1)}},
                      nullptr);
        }).sentence() == "groups of 128 items along axis 0 are too large for the device");
}

TEST_CASE("an error in a kernel is reported in the user's file and line, with any compiler") {
  const options o = fake_driver_options();
  // The same text with an error that only a device's compiler finds.
  kernel_code code = jacobi.code();
  const std::string body = "{ int i = global_id(0); v(i, i) = u(i, i) + no_such_thing; }";
  code.body_text = body;
  code.name = "faulty";
  bench b(o);
  const error e = error_of([&] { b.on->compile(code); });
  CHECK(e.code() == "K12");
  CHECK(e.sentence() == "kernel \"faulty\" does not compile for the device");
  CHECK(has(e.why(), "tests/device/kernels_for_tests.hpp:" + std::to_string(code.line) + ": error:"));
  CHECK(has(e.why(), "no_such_thing"));
  CHECK_FALSE(has(e.why(), "detected in the compilation"));
}

TEST_CASE("compiled kernels are cached, and compiled again if the cache is damaged") {
  const test::temporary_folder cache;
  options o = fake_driver_options();
  o.cache = cache.path;
  bench(o).add_one();
  std::vector<std::filesystem::path> kept;
  for (const auto& f : std::filesystem::directory_iterator(cache.path)) kept.push_back(f.path());
  REQUIRE(kept.size() == 1);
  const auto size = std::filesystem::file_size(kept[0]);
  const auto written = std::filesystem::last_write_time(kept[0]);
  bench(o).add_one();
  CHECK(std::filesystem::last_write_time(kept[0]) == written);
  std::filesystem::resize_file(kept[0], size / 2);
  bench(o).add_one();
  CHECK(std::filesystem::file_size(kept[0]) == size);
}

TEST_CASE("a cache of another driver's code is not used") {
  const test::temporary_folder cache;
  options o = fake_driver_options();
  o.cache = cache.path;
  bench(o).add_one();
  fake_driver d{{"capability", 86}};
  bench(o).add_one();
  CHECK(std::distance(std::filesystem::directory_iterator(cache.path), {}) == 2);
}

TEST_CASE("a device that is newer than the compiler runs what its driver translates") {
  fake_driver d{{"capability", 90}};
  bench b;
  told t;
  b.add_one(&t);
  b.wait(t);
  CHECK(t.code() == "");
}

// ---------------------------------------------------------------------------------------------------------------------

TEST_CASE("rows are joined where nothing lies between them") {
  const auto flat = [](std::size_t from_row, std::size_t from_plane, std::size_t to_row, std::size_t to_plane,
                       places::copy_shape s) {
    return flatten({{}, nullptr, from_row, from_plane}, {{}, nullptr, to_row, to_plane}, s);
  };
  const auto is = [](const flat_rows& r, std::size_t width, std::size_t rows, std::size_t planes) {
    CHECK(r.width == width);
    CHECK(r.rows == rows);
    CHECK(r.planes == planes);
  };
  is(flat(8, 32, 8, 32, {8, 4, 3}), 96, 1, 1);
  is(flat(8, 40, 8, 32, {8, 4, 3}), 32, 3, 1);
  is(flat(10, 40, 8, 32, {8, 4, 3}), 8, 12, 1);
  is(flat(10, 50, 8, 32, {8, 4, 3}), 8, 4, 3);
  is(flat(0, 50, 0, 9, {8, 1, 3}), 8, 3, 1);
  is(flat(0, 0, 0, 0, {8, 1, 1}), 8, 1, 1);
  CHECK(flat(0, 50, 0, 9, {8, 1, 3}).source_row == 50);
}

TEST_CASE("blocks cover a range with as few threads beside it as can be") {
  launch_range r;
  r.dimensions = 2;
  r.max[0] = 100, r.max[1] = 1000;
  geometry g = *geometry_of(r, false, 1024);
  CHECK(g.block[0] == 32);
  CHECK(g.block[1] == 8);
  CHECK(g.grid[0] == 32);  // the program's last axis
  CHECK(g.grid[1] == 13);
  r.max[1] = 3;
  g = *geometry_of(r, false, 64);  // a kernel that takes many registers
  CHECK(g.block[0] == 4);
  CHECK(g.block[1] == 16);
  r.max[0] = 10'000'000;
  g = *geometry_of(r, false, 1024);
  CHECK(g.blocks == counting::items_in_line);
  CHECK(g.grid[0] == 156'250);
  CHECK(g.grid[1] == 1);
  r.max[1] = std::int64_t{1} << 40;
  CHECK_FALSE(geometry_of(r, false, 1024));
}

TEST_CASE("each local array is aligned for its elements") {
  kernel_parameter of[] = {{access::local, element_kind::floating, 1, 4, 4},
                           {access::local, element_kind::floating, 1, 8, 8}};
  kernel_code code;
  code.parameters = of;
  const std::vector<launch_argument> given{{local_elements(3)}, {local_elements(2)}};
  packed_arguments p(code, {}, given);
  CHECK(*static_cast<std::uint64_t*>(p.pointers()[0]) == 0);
  CHECK(*static_cast<std::uint64_t*>(p.pointers()[1]) == 16);
  CHECK(p.local_bytes() == 32);
}

}  // namespace
}  // namespace stretto::device::cuda
