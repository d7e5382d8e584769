#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "ranks/communicators/attribute_list.hpp"
#include "ranks/communicators/predefined_attributes.hpp"
#include "ranks/thrown_class.hpp"

using namespace stretto;
using ranks::attribute_list, ranks::attribute_owner, ranks::keyval_table, test::thrown_class;

namespace {

void* value_of(std::intptr_t number) { return reinterpret_cast<void*>(number); }

/// Keys of a rank whose functions write down their calls.
struct recorded_keys {
  keyval_table table;
  std::vector<std::string> calls;
  int code = 0;  // returned by the functions
  int object = 0;

  std::shared_ptr<const ranks::keyval> key() {
    ranks::keyval_functions functions;
    functions.copy = [this](void*, int number, void* value, void** copy, int* is_copied) {
      calls.push_back("copy " + std::to_string(number));
      *copy = value_of(reinterpret_cast<std::intptr_t>(value) + 1);
      *is_copied = reinterpret_cast<std::intptr_t>(value) % 2 == 0;
      return reinterpret_cast<std::intptr_t>(value) >= 100 ? code : 0;
    };
    functions.remove = [this](void* of, int number, void*) {
      CHECK(of == &object);
      calls.push_back("delete " + std::to_string(number));
      return code;
    };
    return table.find(table.create(attribute_owner::communicator, functions), attribute_owner::communicator);
  }
};

using calls = std::vector<std::string>;

}  // namespace

TEST_CASE("attributes are deleted in reverse order of when they were set") {
  recorded_keys keys;
  attribute_list list;
  const auto a = keys.key(), b = keys.key(), c = keys.key();
  for (const auto& key : {a, b, c}) list.set(key, value_of(2), &keys.object);
  list.set(a, value_of(4), &keys.object);  // deletes the former value
  CHECK(keys.calls == calls{"delete 1000"});
  CHECK(list.find(a->number) == value_of(4));
  list.remove_all(&keys.object);
  CHECK(keys.calls == calls{"delete 1000", "delete 1000", "delete 1002", "delete 1001"});
  CHECK(list.is_empty());
  CHECK(!list.find(a->number));
}

TEST_CASE("duplicates get what the copy functions return") {
  recorded_keys keys;
  attribute_list list, copy;
  const auto a = keys.key(), b = keys.key();
  list.set(a, value_of(2), &keys.object);
  list.set(b, value_of(3), &keys.object);
  const auto plain = keys.table.create(attribute_owner::communicator, {});
  list.set(keys.table.find(plain, attribute_owner::communicator), value_of(5), &keys.object);
  const auto dup = keys.table.create(attribute_owner::communicator, {ranks::value_copy(), {}});
  list.set(keys.table.find(dup, attribute_owner::communicator), value_of(6), &keys.object);
  list.copy_to(copy, &keys.object);
  CHECK(keys.calls == calls{"copy 1000", "copy 1001"});
  CHECK(copy.find(a->number) == value_of(3));
  CHECK(!copy.find(b->number));
  CHECK(!copy.find(plain));
  CHECK(copy.find(dup) == value_of(6));
}

TEST_CASE("an attribute stays where its delete function fails") {
  recorded_keys keys;
  attribute_list list;
  const auto a = keys.key(), b = keys.key();
  list.set(a, value_of(2), &keys.object);
  list.set(b, value_of(2), &keys.object);
  keys.code = 16;
  using enum ranks::error_class;
  CHECK(thrown_class([&] { list.set(a, value_of(8), &keys.object); }) == other);
  CHECK(thrown_class([&] { list.remove(a->number, &keys.object); }) == other);
  CHECK(thrown_class([&] { list.remove_all(&keys.object); }) == other);
  CHECK(list.find(a->number) == value_of(2));
  CHECK(list.find(b->number) == value_of(2));
  keys.code = 0;
  list.remove_all(&keys.object);
  CHECK(list.is_empty());
}

TEST_CASE("a copy function that fails ends the copying with its code") {
  recorded_keys keys;
  attribute_list list, copy;
  const auto a = keys.key(), b = keys.key(), c = keys.key();
  list.set(a, value_of(2), &keys.object);
  list.set(b, value_of(100), &keys.object);
  list.set(c, value_of(2), &keys.object);
  keys.code = 20'000;
  CHECK(static_cast<int>(thrown_class([&] { list.copy_to(copy, &keys.object); })) == 20'000);
  CHECK(keys.calls == calls{"copy 1000", "copy 1001"});
  CHECK(copy.find(a->number));
  CHECK(!copy.find(c->number));
}

TEST_CASE("a key that was freed works on until its last attribute is deleted") {
  recorded_keys keys;
  attribute_list list;
  auto key = keys.key();
  const int number = key->number;
  list.set(std::move(key), value_of(2), &keys.object);
  keys.table.free(number, attribute_owner::communicator);
  keys.table.free(number, attribute_owner::communicator);
  CHECK(keys.table.find(number, attribute_owner::communicator)->number == number);
  list.remove_all(&keys.object);
  CHECK(keys.calls == calls{"delete 1000"});
  const auto is_unknown = [&] { keys.table.find(number, attribute_owner::communicator); };
  CHECK(thrown_class(is_unknown) == ranks::error_class::keyval);
  CHECK(thrown_class([&] { keys.table.free(number, attribute_owner::communicator); }) == ranks::error_class::keyval);
}

TEST_CASE("a key is for objects of one kind") {
  keyval_table table;
  const int number = table.create(attribute_owner::window, {});
  CHECK(thrown_class([&] { table.find(number, attribute_owner::datatype); }) == ranks::error_class::keyval);
  CHECK(thrown_class([&] { table.free(number, attribute_owner::communicator); }) == ranks::error_class::keyval);
  CHECK(thrown_class([&] { table.find(501, attribute_owner::communicator); }) == ranks::error_class::keyval);
  table.free(number, attribute_owner::window);
}

TEST_CASE("functions of keys may set and delete attributes of the same object") {
  keyval_table table;
  attribute_list list;
  int object = 0;
  const auto made = [&](ranks::delete_function remove) {
    const int number = table.create(attribute_owner::communicator, {{}, std::move(remove)});
    return table.find(number, attribute_owner::communicator);
  };
  const auto plain = made({});
  const auto last = made([&](void* of, int number, void*) {
    if (number == plain->number) return 1;
    list.remove(plain->number, of);
    list.set(plain, value_of(9), of);
    return 0;
  });
  list.set(plain, value_of(1), &object);
  list.set(last, value_of(2), &object);
  list.remove(last->number, &object);
  CHECK(list.find(plain->number) == value_of(9));
  CHECK(!list.find(last->number));
}

TEST_CASE("predefined attributes are numbers of the rank and of the window") {
  ranks::environment_attributes environment;
  environment.universe_size = 12;
  CHECK(*ranks::predefined_attribute(environment, 507) == 12);
  CHECK(*ranks::predefined_attribute(environment, 501) >= 32767);
  CHECK(ranks::predefined_attribute(environment, 508) == nullptr);
  CHECK(ranks::predefined_attribute(environment, 601) == nullptr);
  int memory = 0;
  ranks::window_attributes window{&memory, 4, 2, 311, 321};
  CHECK(ranks::predefined_attribute(window, 601).value == &memory);
  CHECK(*static_cast<std::intptr_t*>(ranks::predefined_attribute(window, 603).value) == 4);
  CHECK(*static_cast<int*>(ranks::predefined_attribute(window, 602).value) == 2);
  CHECK(!ranks::predefined_attribute(window, 501).is_key);
}
