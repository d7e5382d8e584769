// Buffers in files: a loaded buffer equals the saved one on any number of nodes, and failures are the same on all
// nodes.
#include <stretto/buffer_files.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"
#include "written_by.hpp"

namespace stretto {
namespace {

namespace fs = std::filesystem;
using test::error_of, test::temporary_folder, test::thrown_by, test::with_variable;

std::string bytes_of_file(const fs::path& p) {
  std::ifstream in(p, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_bytes(const fs::path& p, const std::string& bytes) { std::ofstream(p, std::ios::binary) << bytes; }

std::string output_of_program(const std::string& command) {
  std::string all;
  FILE* const from = popen((command + " 2>&1").c_str(), "r");
  REQUIRE(from);
  char piece[4096];
  while (const auto n = std::fread(piece, 1, sizeof piece, from)) all.append(piece, n);
  pclose(from);
  return all;
}

template <class Body>
void on_nodes_for_files(std::uint32_t nodes, const std::string& devices, std::uint32_t seed, Body&& body) {
  const with_variable memory("STRETTO_DEVICE_MEMORY", "8M");
  test::on_nodes_of(simulated_job({.nodes = nodes, .seed = seed}), {.workers = seed % 2 + 1, .devices = devices},
                    [&](runtime&) { body(); });
}

STRETTO_KERNEL(add_rows_for_files, (inout<float, 3> u, int a, int b), {
  u(global_id(0), global_id(1), global_id(2)) =
      u(global_id(0), global_id(1), global_id(2)) + a * global_id(0) + b * global_id(1) + global_id(2);
})

/// The expected elements, in C order.
template <class T, std::size_t D>
int wrong_elements(const buffer<T, D>& u, const std::vector<T>& expected) {
  const auto seen = u.read().get();
  const auto v = seen.view();
  const box all = u.elements();
  int wrong = 0;
  std::size_t n = 0;
  for (auto i = all.min()[0]; i < all.max()[0]; ++i)
    for (auto j = all.min()[1]; j < all.max()[1]; ++j)
      for (auto k = all.min()[2]; k < all.max()[2]; ++k, ++n) {
        const coordinate at[] = {i, j, k};
        std::array<std::int64_t, D> p{};
        for (std::size_t a = 0; a < D; ++a) p[a] = at[a];
        wrong += std::memcmp(&v.at(p), &expected[n], sizeof(T)) != 0;
      }
  return wrong;
}

TEST_CASE("random arrays go to Zarr and raw files and back, on other numbers of nodes and devices") {
  const std::uint32_t rounds = test::scaled(12, 300);
  for (std::uint32_t seed = 0; seed < rounds; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto number = [&](int least, int most) {
      return std::uniform_int_distribution<coordinate>(least, most)(random);
    };
    const temporary_folder folder;
    const std::string zarr = folder.path / "u.zarr", raw = folder.path / "u.raw";
    const point min(number(-9, 9), number(-9, 9), number(-9, 9)), size(number(1, 11), number(1, 11), number(1, 11));
    const box whole = box::between(min, min + size);
    const zarr_options how{.chunk = {number(0, 4), number(0, 4), number(0, 12)},
                           .compression = seed % 3 ? zarr_compression::none : zarr_compression::zstd};
    std::vector<float> begins(whole.volume()), ends;
    for (float& x : begins) x = static_cast<float>(number(-1000, 1000));
    ends = begins;
    std::size_t n = 0;
    for (auto i = min[0]; i < min[0] + size[0]; ++i)
      for (auto j = min[1]; j < min[1] + size[1]; ++j)
        for (auto k = min[2]; k < min[2] + size[2]; ++k) ends[n++] += static_cast<float>(3 * i + 5 * j + k);
    const char* const kinds[] = {"none", "sim", "sim:2"};
    const std::uint32_t writers = seed % 3 + 1, readers = seed / 3 % 3 + 1;
    on_nodes_for_files(writers, kinds[seed % 3], seed, [&] {
      buffer<float, 3> u(whole, begins.data(), {.name = "u"});
      launch(add_rows_for_files, whole, u(one_to_one), 3, 5);
      save_zarr(u, zarr, how);
      const auto saved = save_raw(u, raw);
      launch(add_rows_for_files, whole, u(one_to_one), 1, 1);  // this launch is in neither file
      CHECK(wrong_elements(load_zarr<float, 3>(zarr), ends) == 0);
      saved.get();
    });
    CHECK(bytes_of_file(raw) == std::string(reinterpret_cast<const char*>(ends.data()), ends.size() * sizeof(float)));
    CHECK_FALSE(fs::exists(zarr + ".partial"));
    on_nodes_for_files(readers, kinds[seed / 2 % 3], seed + 1, [&] {
      const auto u = load_zarr<float, 3>(zarr, {.name = "again"});
      CHECK(u.elements() == whole);
      CHECK(wrong_elements(u, ends) == 0);
      CHECK(wrong_elements(load_raw<float, 3>(raw, whole), ends) == 0);
    });
  }
}

struct page {
  char bytes[4096];
};

TEST_CASE("writing and reading much show how far they are, on node 0, and little shows nothing") {
  // half a gigabyte, and of no use to ThreadSanitizer in a short run
  if (base::thread_sanitizer && !test::long_campaign()) return;
  const with_variable shown("STRETTO_PROGRESS", "on");
  const temporary_folder folder;
  const std::string raw = folder.path / "pages.raw";
  for (const coordinate mib : {260, 1}) {
    const box pages(0, mib << 8);
    const auto told = [&](const std::function<void()>& of) {
      const std::string said = test::written_by(of);
      return std::pair(said.find("saving") != said.npos, said.find("loading") != said.npos);
    };
    runtime rt({.workers = 1, .devices = "none"});
    const bool is_much = mib > 256;
    CAPTURE(is_much);
    rt.run([&] {
      buffer<page> u(pages);
      host_task(
          pages,
          [](const box& mine, view<page> v) {
            for (coordinate i = mine.min()[0]; i < mine.max()[0]; ++i) v(i).bytes[i % 4096] = static_cast<char>(i);
          },
          u.out(one_to_one));
      wait(epoch());
      CHECK(told([&] { save_raw(u, raw).get(); }) == std::pair(is_much, false));
      CHECK(told([&] {
              wait(epoch());
              load_raw<page>(raw, pages).read(box(0, 1)).get();
            }) == std::pair(false, is_much));
    });
  }
}

struct pixel {
  std::uint8_t r, g, b;
};

TEST_CASE("a reader that knows the specification alone reads what nodes have written together") {
  const temporary_folder folder;
  fs::create_directory(folder.path / "kept"), fs::create_directory(folder.path / "mobile");
  for (const char* group : {"", "kept", "mobile"})
    write_bytes(folder.path / group / "zarr.json", R"({"zarr_format":3,"node_type":"group"})");
  on_nodes_for_files(3, "none", 1, [&] {
    std::vector<std::int16_t> numbers(20);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int16_t>(i * i - 100);
    const buffer<std::int16_t, 2> a(box({-2, 5}, {3, 9}), numbers.data());
    const std::vector<pixel> pixels{{1, 2, 3}, {4, 5, 6}};
    const buffer<pixel> b(box(0, 2), pixels.data());
    save_zarr(a, (folder.path / "a").string(), {.chunk = {2, 3}}).get();
    save_zarr(b, (folder.path / "b").string()).get();
  });
  CHECK(output_of_program("python3 -B " STRETTO_SOURCE_DIR "/tests/checkpoint/zarr_reader.py " + folder.path.string() +
                          " a b") ==
        "a [5, 4] int16 [-2, 5] [-100, -99, -96, -91, -84, -75, -64, -51, -36, -19, 0, 21, 44, 69, 96, 125, 156, 189, "
        "224, 261]\n"
        "b [2] r24 [0] ['010203', '040506']\n");
}

TEST_CASE(
    "bytes of which nothing is known are read under both of their names, with what an array has where no chunk is") {
  for (const auto& [type, fill] :
       {std::pair(R"("r24")", "[1, 2, 255]"),
        std::pair(R"({"name": "raw_bytes", "configuration": {"length_bytes": 3}})", R"("AQL/")")}) {
    const temporary_folder folder;
    write_bytes(folder.path / "zarr.json",
                std::string(R"({"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": )") + type +
                    R"(, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
      "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}], "fill_value": )" +
                    fill + "}");
    fs::create_directory(folder.path / "c");
    write_bytes(folder.path / "c" / "1", "abcdef");
    on_nodes_for_files(2, "none", 3, [&] {
      const auto u = load_zarr<pixel>(folder.path.string());
      CHECK(wrong_elements(u, std::vector<pixel>{{1, 2, 255}, {1, 2, 255}, {'a', 'b', 'c'}, {'d', 'e', 'f'}}) == 0);
    });
  }
  for (const char* type : {"0", "-3", "99999999999", "\"3\"", "2305843009213693955"}) {
    const temporary_folder folder;
    write_bytes(
        folder.path / "zarr.json",
        std::string(
            R"({"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": {"name": "raw_bytes", "configuration": {"length_bytes": )") +
            type + R"(}}, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
      "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}], "fill_value": "AQID"})");
    CAPTURE(type);
    on_nodes_for_files(1, "none", 3, [&] {
      const auto said = thrown_by([&] { load_zarr<pixel>(folder.path.string()); });
      CHECK((said.find("error F06") == 0 || said.find("error F02") == 0));
    });
  }
}

constexpr const char* gzip_of_two_chunks = R"(
import gzip, json, struct, sys
from pathlib import Path
root = Path(sys.argv[1])
root.mkdir()
(root / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "array", "shape": [5, 3], "data_type": "float64",
  "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2]}},
  "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "."}}, "fill_value": "NaN",
  "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "gzip", "configuration": {"level": 1}}]}))
for i in range(3):
    for j in range(2):
        if (i, j) != (1, 1):
            values = [10 * (2 * i + a) + 2 * j + b for a in range(2) for b in range(2)]
            (root / f"{i}.{j}").write_bytes(gzip.compress(struct.pack(">4d", *values)))
)";

TEST_CASE("arrays of other programs are read: gzip, big endian, other names of chunks, chunks that have no file") {
  const temporary_folder folder;
  write_bytes(folder.path / "make.py", gzip_of_two_chunks);
  const std::string array = folder.path / "theirs";
  CHECK(output_of_program("python3 -B " + (folder.path / "make.py").string() + " " + array) == "");
  on_nodes_for_files(2, "none", 4, [&] {
    const auto u = load_zarr<double, 2>(array);
    REQUIRE(u.elements() == box({0, 0}, {5, 3}));
    const auto seen = u.read().get();
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 3; ++j) {
        const double is = seen.view()(i, j);
        if (j == 2 && (i == 2 || i == 3)) CHECK(is != is);
        else CHECK(is == 10 * i + j);
      }
  });
}

/// Every node reports the error code of `body`; all must be equal.
template <class Body>
void fails_alike(const std::string& code, const std::string& words, Body&& body) {
  for (const std::uint32_t nodes : {1u, 3u}) {
    CAPTURE(nodes);
    std::atomic<std::uint32_t> alike = 0;
    on_nodes_for_files(nodes, "none", nodes, [&] {
      const error e = error_of(body);
      const bool is_that = std::string(e.what()).find(code) != std::string::npos &&
                           std::string(e.what()).find(words) != std::string::npos;
      CHECK_MESSAGE(is_that, e.what());
      alike += is_that;
    });
    CHECK(alike == nodes);
  }
}

TEST_CASE("files that are missing, of another type or length, or damaged, fail on all nodes with the file named") {
  const temporary_folder folder;
  const std::string zarr = folder.path / "u.zarr", raw = folder.path / "u.raw", none = folder.path / "none";
  std::vector<double> numbers(60, 1.5);
  on_nodes_for_files(1, "none", 1, [&] {
    const buffer<double, 2> u(box({0, 0}, {12, 5}), numbers.data());
    save_zarr(u, zarr, {.chunk = {2, 5}}).get();
    save_raw(u, raw).get();
  });
  fails_alike("F02", none, [&] { load_zarr<double, 2>(none); });
  fails_alike("F02", none, [&] { load_raw<double, 2>(none, box({0, 0}, {12, 5})); });
  fails_alike("F02", folder.path.string(), [&] { load_zarr<double, 2>(folder.path.string()); });
  fails_alike("F03", "float64, 2 axes", [&] { load_zarr<float, 2>(zarr); });
  fails_alike("F03", zarr, [&] { load_zarr<double, 1>(zarr); });
  fails_alike("F05", "480 bytes", [&] { load_raw<double, 2>(raw, box({0, 0}, {12, 4})); });
  const std::string chunk = bytes_of_file(zarr + "/c/5/0");
  for (const std::size_t at : {std::size_t{0}, chunk.size() / 2, chunk.size() - 1}) {
    std::string other = chunk;
    other[at] ^= 16;
    write_bytes(zarr + "/c/5/0", other);
    fails_alike("F04", zarr + "/c/5/0", [&] { (void)load_zarr<double, 2>(zarr).read(box({0, 0}, {1, 1})).get(); });
  }
  write_bytes(zarr + "/c/5/0", chunk.substr(1));
  fails_alike("F04", "84 bytes", [&] { (void)load_zarr<double, 2>(zarr).read().get(); });
  const std::string about = bytes_of_file(zarr + "/zarr.json");
  const auto with = [&](const std::string& old, const std::string& now) {
    std::string text = about;
    REQUIRE(text.find(old) != text.npos);
    write_bytes(zarr + "/zarr.json", text.replace(text.find(old), old.size(), now));
  };
  with("crc32c", "blosc");
  fails_alike("F06", "blosc", [&] { load_zarr<double, 2>(zarr); });
  with("float64", "complex128");
  fails_alike("F06", "complex128", [&] { load_zarr<double, 2>(zarr); });
  with("regular", "ragged");
  fails_alike("F06", "ragged", [&] { load_zarr<double, 2>(zarr); });
  with("12,", "-12,");
  fails_alike("F02", "zarr.json", [&] { load_zarr<double, 2>(zarr); });
  for (std::size_t length = 0; length < about.size(); length += 37) {
    write_bytes(zarr + "/zarr.json", about.substr(0, length));
    on_nodes_for_files(1, "none", 1,
                       [&] { CHECK(thrown_by([&] { load_zarr<double, 2>(zarr); }).find("error F02") == 0); });
  }
}

TEST_CASE("a file that cannot be written fails on all nodes, and its old content stays") {
  const temporary_folder folder;
  const std::string zarr = folder.path / "u.zarr", missing = folder.path / "missing/u.zarr", own = folder.path / "own";
  fs::create_directory(own);
  write_bytes(own + "/thesis.tex", "years of work");
  std::vector<int> numbers(40, 7);
  const auto made = [&] { return buffer<int, 2>(box({0, 0}, {8, 5}), numbers.data()); };
  on_nodes_for_files(2, "none", 1, [&] { save_zarr(made(), zarr, {.chunk = {1, 5}}).get(); });
  fails_alike("F01", missing, [&] { save_zarr(made(), missing).get(); });
  fails_alike("F01", missing, [&] { save_raw(made(), missing).get(); });
  fails_alike("F01", "not a Zarr array", [&] { save_zarr(made(), own).get(); });
  fails_alike("F01", "no file", [&] { save_raw(made(), own).get(); });
  CHECK(bytes_of_file(own + "/thesis.tex") == "years of work");
  fails_alike("F07", "axis 1", [&] { save_zarr(made(), zarr, {.chunk = {0, -1}}); });
  // A failed launch fails the file of its results.
  fails_alike("the sensor is off", "", [&] {
    auto u = made();
    host_task(
        u.elements(),
        [](const box& part, view<int, 2>) {
          if (part.contains(point(7, 4, 0))) throw std::runtime_error("the sensor is off");
        },
        u.inout(one_to_one));
    try {
      save_zarr(u, zarr).get();
    } catch (const std::runtime_error& e) {
      throw error("", e.what());
    }
  });
  CHECK_FALSE(fs::exists(zarr + ".partial"));
  on_nodes_for_files(2, "none", 2, [&] { CHECK(wrong_elements(load_zarr<int, 2>(zarr), numbers) == 0); });
}

TEST_CASE("arrays without elements, of one element, and those saved many times over, are files like others") {
  const temporary_folder folder;
  on_nodes_for_files(3, "none", 5, [&] {
    const std::string one = folder.path / "one", none = folder.path / "none";
    std::vector<long long> value{5};
    buffer<long long, 3> u(box({4, 5, 6}, {5, 6, 7}), value.data());
    for (int i = 0; i < 10; ++i) {
      host_task(on_one_node, [](view<long long, 3> u) { u(4, 5, 6) += 1; }, u.inout(all));
      save_zarr(u, one);
    }
    CHECK(load_zarr<long long, 3>(one).read().get().view()(4, 5, 6) == 15);
    const buffer<long long> empty(box(0, 0));
    save_zarr(empty, none).get();
    save_raw(empty, none + ".raw").get();
    CHECK(load_zarr<long long>(none).elements().is_empty());
    CHECK(load_raw<long long>(none + ".raw", box()).elements().is_empty());
  });
}

}  // namespace
}  // namespace stretto
