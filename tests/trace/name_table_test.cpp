#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "trace/name_cache.hpp"

using stretto::trace::name_cache;
using stretto::trace::name_id;
using stretto::trace::name_table;
using stretto::trace::no_name;

TEST_CASE("equal name, file and line give one id, and any difference gives another") {
  name_table names;
  const std::string file = "src/wave.cpp", same_file = "src/wave.cpp";
  const name_id id = names.intern("blur", file, 41);
  CHECK(id != no_name);
  CHECK(names.intern(std::string("blur"), same_file, 41) == id);
  CHECK(names.intern("blur", file, 42) != id);
  CHECK(names.intern("blur", "src/wave.hpp", 41) != id);
  CHECK(names.intern("blurs", file, 41) != id);
  CHECK(names.intern("blur") != id);
  CHECK(names[id].name == "blur");
  CHECK(names[id].file == "src/wave.cpp");
  CHECK(names[id].line == 41);
}

TEST_CASE("nothing at all is no_name") {
  name_table names;
  CHECK(names.intern("") == no_name);
  CHECK(names[no_name].name.empty());
  CHECK(names.size() == 1);
}

TEST_CASE("a name may hold any bytes") {
  name_table names;
  const std::string bytes("a\0b\xff\n\"", 6);
  CHECK(names[names.intern(bytes)].name == bytes);
  CHECK(names.intern(std::string_view(bytes).substr(0, 1)) != names.intern(bytes));
}

TEST_CASE("a source location is kept with the name") {
  name_table names;
  const auto here = std::source_location::current();
  const auto& e = names[names.intern("tile", here)];
  CHECK(e.file == here.file_name());
  CHECK(e.line == here.line());
}

TEST_CASE("ids stay right while the table grows, whatever the length of the names") {
  name_table names;
  std::vector<std::pair<name_id, std::string>> told;
  for (int i = 0; i < 5000; ++i) {
    std::string name = std::string(static_cast<std::size_t>(i % 40), 'x') + std::to_string(i);
    const name_id id = names.intern(name);
    told.emplace_back(id, std::move(name));
  }
  for (const auto& [id, name] : told) {
    REQUIRE(names[id].name == name);
    REQUIRE(names.intern(name) == id);
  }
  CHECK(names.size() == 5001);
}

TEST_CASE("names beyond the memory allowed share one entry that says so") {
  name_table names(10);
  const name_id kept = names.intern("12345678");
  const name_id further = names.intern("another");
  CHECK(names[further].name == "(further names)");
  CHECK(names.intern("a third one") == further);
  CHECK(names.intern("12345678") == kept);
  CHECK(names.size() == 3);
}

TEST_CASE("threads that intern the same names get the same ids") {
  name_table names;
  std::vector<std::vector<name_id>> got(4);
  {
    std::vector<std::jthread> threads;
    for (auto& ids : got)
      threads.emplace_back([&names, &ids] {
        for (int i = 0; i < 3000; ++i) {
          ids.push_back(names.intern("task " + std::to_string(i)));
          if (names[ids.back()].name != "task " + std::to_string(i)) ids.back() = no_name;
        }
      });
  }
  for (const auto& ids : got) CHECK(ids == got[0]);
  CHECK(std::count(got[0].begin(), got[0].end(), no_name) == 0);
  CHECK(names.size() == 3001);
}

TEST_CASE("a cache of names answers as its table does") {
  name_table names;
  name_cache cache;
  const auto here = std::source_location::current(), there = std::source_location::current();
  for (int round = 0; round < 3; ++round)
    for (const std::source_location& where : {here, there})
      for (const char* name : {"blur", "sharpen", "", static_cast<const char*>(nullptr)})
        CHECK(cache.intern(names, name, where, "task") == names.intern(name ? name : "task", where));
  // A text of the same address may be another one meanwhile.
  char text[] = "first";
  const name_id first = cache.intern(names, text, here, "task");
  text[0] = 'F';
  CHECK(cache.intern(names, text, here, "task") != first);
  CHECK(names[cache.intern(names, text, here, "task")].name == "First");
}

TEST_CASE("a cache of a full table keeps to the table's entry for all others") {
  name_table names(4);
  name_cache cache;
  const auto here = std::source_location::current();
  for (int round = 0; round < 3; ++round)
    for (const char* name : {"a name", "another name", "one more"})
      CHECK(cache.intern(names, name, here, "task") == names.intern(name, here));
}
