// Values saved by name: written, read by us and by other readers, and refused.
#include <doctest/doctest.h>

#include <stretto/checkpoint.hpp>
#include <stretto/stretto.hpp>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <map>
#include <set>

#include "temporary_folder.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using namespace test;

enum class phase : std::uint8_t { first, second };
struct vec3 {
  float x, y, z;
  friend bool operator==(const vec3&, const vec3&) = default;
};
struct settings {
  std::string name;
  std::map<std::string, double> values;
  friend bool operator==(const settings&, const settings&) = default;
  template <class Archive>
  friend void fields(Archive& a, archived<settings, Archive>& s) {
    a(s.name, s.values);
  }
};

STRETTO_KERNEL(numbered, (out<int, 2> u), { u(global_id(0), global_id(1)) = int(global_id(0) * 100 + global_id(1)); })

template <class T, std::size_t D>
std::vector<T> elements_of(const object<T, D>& o) {
  std::vector<T> all(o.elements().volume());
  if (!all.empty()) wait(o.copy_to(all.data()));
  return all;
}

std::string output_of(const std::string& command) {
  std::string all;
  FILE* const from = popen((command + " 2>&1").c_str(), "r");
  REQUIRE(from);
  char some[4096];
  while (const auto n = fread(some, 1, sizeof some, from)) all.append(some, n);
  CHECK(pclose(from) == 0);
  return all;
}

/// Runs `body` in a single-node runtime with a temporary folder.
template <class F>
void alone(F&& body) {
  const temporary_folder folder;
  runtime rt({.workers = 2});
  rt.run([&] { body(folder.path.string() + "/run.ckpt"); });
}

TEST_CASE("values are what they were, of every kind that fields knows") {
  alone([](const std::string& folder) {
    const settings s{"cold start", {{"dt", 0.125}, {"tolerance", 1e-9}}};
    const std::vector<double> energies{1, 2.5, std::numeric_limits<double>::infinity()};
    const std::vector<bool> flags{true, false, true};
    save_checkpoint(
        folder, {keep("step", 41), keep("time", 0.5), keep("is_warm", true), keep("s", s), keep("energies", energies),
                 keep("none", std::vector<int>()), keep("phase", phase::second), keep("at", vec3{1, 2, 3}),
                 keep("flags", flags), keep("words", std::string("tempo primo")), keep("big", std::uint64_t(1) << 63)})
        .get();
    const checkpoint c = open_checkpoint(folder);
    CHECK(c.value<int>("step") == 41);
    CHECK(c.value<double>("time") == 0.5);
    CHECK(c.value<bool>("is_warm"));
    CHECK(c.value<settings>("s") == s);
    CHECK(c.value<std::vector<double>>("energies") == energies);
    CHECK(c.value<std::vector<int>>("none").empty());
    CHECK(c.value<phase>("phase") == phase::second);
    CHECK(c.value<vec3>("at") == vec3{1, 2, 3});
    CHECK(c.value<std::vector<bool>>("flags") == flags);
    CHECK(c.value<std::string>("words") == "tempo primo");
    CHECK(c.value<std::uint64_t>("big") == std::uint64_t(1) << 63);
    CHECK(c.names() == std::vector<std::string>{"at", "big", "energies", "flags", "is_warm", "none", "phase", "s",
                                                "step", "time", "words"});
    CHECK(c.nodes() == 1);
  });
}

TEST_CASE("an object has the content that launches before the checkpoint write, its box and its elements' type") {
  alone([](const std::string& folder) {
    object<int, 2> u({{-2, 5}, {3, 9}});
    launch(numbered, u.elements(), u);
    std::vector<vec3> three(2 * 3 * 4);
    for (std::size_t i = 0; i < three.size(); ++i) three[i] = {float(i), float(i) + 0.5f, -float(i)};
    const object<vec3, 3> v({{0, 0, 7}, {2, 3, 11}}, three.data());
    const object<double, 1> none(box({0}, {0}));
    const auto before = elements_of(u);
    const auto written = save_checkpoint(folder, {keep("u", u), keep("v", v), keep("none", none)});
    launch(numbered, box({0, 5}, {3, 9}), u);  // while files are written
    wait(u.copy_from(std::vector<int>(20, 7).data()));
    written.get();
    const checkpoint c = open_checkpoint(folder);
    const auto r = c.value<object<int, 2>>("u");
    CHECK(r.elements() == box({-2, 5}, {3, 9}));
    CHECK(elements_of(r) == before);
    const auto w = c.value<object<vec3, 3>>("v");
    CHECK(w.elements() == v.elements());
    CHECK(elements_of(w) == three);
    CHECK(c.value<object<double, 1>>("none").elements().is_empty());
  });
}

TEST_CASE("an object with elements without a value is refused, and the last checkpoint stays") {
  alone([](const std::string& folder) {
    save_checkpoint(folder, {keep("step", 1)}).get();
    const object<int, 1> u(box({0}, {4}));
    CHECK(error_of([&] { save_checkpoint(folder, {keep("step", 2), keep("u", u)}).get(); }).code() == "A03");
    CHECK(open_checkpoint(folder).value<int>("step") == 1);
    CHECK_FALSE(std::filesystem::exists(folder + ".partial"));
    save_checkpoint(folder, {keep("step", 3)}).get();  // and others can be taken
    CHECK(open_checkpoint(folder).value<int>("step") == 3);
  });
}

TEST_CASE("arrays can be read by a reader that follows only the specification of Zarr") {
  alone([](const std::string& folder) {
    object<int, 2> u({{-1, 5}, {2, 7}});
    launch(numbered, u.elements(), u);
    const vec3 elements[] = {{1, 2, 3}};
    const object<vec3, 1> v(box({0}, {1}), elements);
    save_checkpoint(folder, {keep("u", u), keep("v", v), keep("step", std::int16_t(-3)), keep("time", 0.25),
                             keep("is_warm", true), keep("few", std::vector<float>{0.5f, -1})})
        .get();
    CHECK(output_of("python3 -B " STRETTO_SOURCE_DIR "/tests/checkpoint/zarr_reader.py " + folder +
                    " kept/u kept/v kept/step kept/time kept/is_warm kept/few mobile/node0") ==
          "kept/u [3, 2] int32 [-1, 5] [-95, -94, 5, 6, 105, 106]\n"
          "kept/v [1] r96 [0] ['0000803f0000004000004040']\n"
          "kept/step [] int16 [] [-3]\n"
          "kept/time [] float64 [] [0.25]\n"
          "kept/is_warm [] bool [] [True]\n"
          "kept/few [2] float32 [] [0.5, -1.0]\n"
          "mobile/node0 [0] uint8 [] []\n");
  });
}

TEST_CASE("a second checkpoint replaces the first as a whole, and nothing is left beside it") {
  alone([](const std::string& folder) {
    save_checkpoint(folder, {keep("old", 1), keep("step", 1)}).get();
    const auto first = save_checkpoint(folder, {keep("step", 2)});
    const auto second = save_checkpoint(folder + "/", {keep("step", 3)});  // waits for the first one
    second.get();
    first.get();
    const checkpoint c = open_checkpoint(folder);
    CHECK(c.names() == std::vector<std::string>{"step"});
    CHECK(c.value<int>("step") == 3);
    std::set<std::string> beside;
    for (const auto& e : std::filesystem::directory_iterator(std::filesystem::path(folder).parent_path()))
      beside.insert(e.path().filename());
    CHECK(beside == std::set<std::string>{"run.ckpt"});
  });
}

TEST_CASE("where names cannot be exchanged and the program was killed in between, the one before is found") {
  alone([](const std::string& folder) {
    save_checkpoint(folder, {keep("step", 1)}).get();
    std::filesystem::rename(folder, folder + ".previous");
    CHECK(open_checkpoint(folder).value<int>("step") == 1);
    save_checkpoint(folder, {keep("step", 2)}).get();
    CHECK(open_checkpoint(folder).value<int>("step") == 2);
    CHECK_FALSE(std::filesystem::exists(folder + ".previous"));
  });
}

TEST_CASE("a value that was not saved, or with another type, is refused with an explanation") {
  alone([](const std::string& folder) {
    const object<float, 1> u(box({0}, {2}), std::vector<float>{1, 2}.data());
    save_checkpoint(folder, {keep("step", 1), keep("u", u), keep("words", std::string("allegro"))}).get();
    const checkpoint c = open_checkpoint(folder);
    const error missing = error_of([&] { c.value<int>("stop"); });
    CHECK(missing.code() == "C04");
    CHECK(missing.what_to_try() == "did you mean \"step\"?");
    const error other = error_of([&] { c.value<object<double, 1>>("u"); });
    CHECK(other.code() == "C05");
    CHECK(std::string(other.what()).find("float64, any") != std::string::npos);
    CHECK(std::string(other.what()).find("float32, 2") != std::string::npos);
    CHECK(error_of([&] { c.value<object<float, 2>>("u"); }).code() == "C05");
    CHECK(error_of([&] { c.value<double>("step"); }).code() == "C05");
    CHECK(error_of([&] { c.value<settings>("words"); }).code() == "C05");
    CHECK(error_of([&] { c.value<std::string>("u"); }).code() == "C05");
  });
}

TEST_CASE("names that no array can have are refused before anything happens") {
  alone([](const std::string& folder) {
    for (const char* const name : {"", "a/b", "..", ".hidden", "__zarr", "line\n", "no UTF-8: \xff"})
      CHECK(error_of([&] { save_checkpoint(folder, {keep(name, 1)}); }).code() == "C08");
    CHECK(error_of([&] { save_checkpoint(folder, {keep("twice", 1), keep("twice", 2)}); }).code() == "C08");
    CHECK_FALSE(try_open_checkpoint(folder));
  });
}

TEST_CASE("a place that cannot be written is refused before any work, and what is none is not read") {
  alone([](const std::string& folder) {
    CHECK(error_of([&] { save_checkpoint(folder + "/missing/run.ckpt", {keep("step", 1)}); }).code() == "C01");
    std::ofstream(folder + "-file") << "text";
    CHECK(error_of([&] { save_checkpoint(folder + "-file/run.ckpt", {keep("step", 1)}); }).code() == "C01");
    CHECK(error_of([&] { open_checkpoint(folder); }).code() == "C06");
    CHECK_FALSE(try_open_checkpoint(folder));
    CHECK(error_of([&] { open_checkpoint(folder + "-file"); }).code() == "C06");
    std::filesystem::create_directory(folder);
    CHECK(error_of([&] { open_checkpoint(folder); }).code() == "C06");
  });
}

}  // namespace
}  // namespace stretto
