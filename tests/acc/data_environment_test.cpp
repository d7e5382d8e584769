#include "acc/data_environment.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <stretto/error.hpp>
#include <string>
#include <vector>

#include "data_clause.hpp"
#include "recording_accelerator.hpp"

using namespace stretto;
using acc::data_work;
using acc::queue_number;
using test::data_clause;
using test::pointer_clause;
using scope = acc::data_environment::scope;
using record = std::vector<std::string>;

namespace {

/// Data on a device whose transfers happen at once, unless a test asks for the queues that they wait for.
struct present_data {
  explicit present_data(std::size_t capacity = std::size_t{1} << 20) : device(capacity) {}

  data_work enter(const stretto_acc_data& of, scope in, queue_number queue = {}) {
    data_work work;
    data.enter(of, in, queue, "x.c:5", work);
    device.perform(work.transfers);
    return work;
  }
  data_work leave(const stretto_acc_data& of, scope in, queue_number queue = {}) {
    data_work work;
    data.leave(of, in, queue, "x.c:6", work);
    device.perform(work.transfers);
    return work;
  }
  data_work update(const stretto_acc_data& of, queue_number queue = {}) {
    data_work work;
    data.update(of, queue, "x.c:7", work);
    device.perform(work.transfers);
    return work;
  }
  template <class Element>
  Element* on_device(Element* host) {
    return reinterpret_cast<Element*>(data.device_of(reinterpret_cast<const std::byte*>(host)));
  }
  bool has(const void* host, std::size_t bytes = 1) {
    return data.is_present(static_cast<const std::byte*>(host), bytes);
  }

  test::recording_accelerator device;
  acc::data_environment data{device};
};

template <class Call>
std::string text_of_refusal(Call call) {
  try {
    call();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a region with copy copies to the device where it begins, and back where it ends") {
  present_data p;
  int a[4] = {1, 2, 3, 4};
  const data_clause copy(stretto_acc_copy, a, sizeof a);
  p.enter(copy.data, scope::structured);
  int* const there = p.on_device(a);
  REQUIRE(there);
  CHECK(std::equal(a, a + 4, there));
  there[2] = 30;
  CHECK(a[2] == 3);
  p.leave(copy.data, scope::structured);
  CHECK(a[2] == 30);
  CHECK(!p.has(a));
  CHECK(p.device.take_record() == record{"to device 16", "to host 16", "release"});
}

TEST_CASE("each clause copies in its own direction, once, in the outermost region") {
  struct expected {
    int action;
    record all;
  };
  for (const expected& one : {expected{stretto_acc_copyin, {"to device 16", "release"}},
                              {stretto_acc_copyout, {"to host 16", "release"}},
                              {stretto_acc_create, {"release"}},
                              {stretto_acc_copyout | stretto_acc_zero, {"clear 16", "to host 16", "release"}},
                              {stretto_acc_create | stretto_acc_zero, {"clear 16", "release"}}}) {
    present_data p;
    int a[4] = {};
    const data_clause outer(one.action, a, sizeof a), inner(stretto_acc_copy, a, sizeof a);
    p.enter(outer.data, scope::structured);
    p.enter(inner.data, scope::structured);
    p.leave(inner.data, scope::structured);
    CHECK(p.has(a, sizeof a));
    p.leave(outer.data, scope::structured);
    CHECK(!p.has(a));
    CHECK(p.device.take_record() == one.all);
  }
}

TEST_CASE("data stays until each enter data has its exit data") {
  present_data p;
  int a[4] = {1, 2, 3, 4};
  const data_clause in(stretto_acc_copyin, a, sizeof a), out(stretto_acc_copyout, a, sizeof a);
  p.enter(in.data, scope::dynamic);
  p.enter(in.data, scope::dynamic);
  p.leave(out.data, scope::dynamic);
  CHECK(p.has(a));
  p.leave(out.data, scope::dynamic);
  CHECK(!p.has(a));
  p.leave(out.data, scope::dynamic);  // nothing is there
  CHECK(p.device.take_record() == record{"to device 16", "to host 16", "release"});
}

TEST_CASE("finalize ends all enter data at once, but not a region") {
  present_data p;
  int a[4] = {1, 2, 3, 4};
  const data_clause in(stretto_acc_copyin, a, sizeof a), region(stretto_acc_create, a, sizeof a);
  const data_clause last(stretto_acc_delete | stretto_acc_finalize, a, sizeof a);
  for (int n = 0; n < 3; ++n) p.enter(in.data, scope::dynamic);
  p.leave(last.data, scope::dynamic);
  CHECK(!p.has(a));
  p.enter(region.data, scope::structured);
  for (int n = 0; n < 3; ++n) p.enter(in.data, scope::dynamic);
  p.leave(last.data, scope::dynamic);
  CHECK(p.has(a));
  p.leave(region.data, scope::structured);
  CHECK(!p.has(a));
  CHECK(p.device.take_record() == record{"to device 16", "release", "release"});
}

TEST_CASE("exit data within a region leaves the region its data") {
  present_data p;
  int a[2] = {1, 2};
  const data_clause region(stretto_acc_copyin, a, sizeof a), out(stretto_acc_copyout, a, sizeof a);
  p.enter(region.data, scope::structured);
  p.leave(out.data, scope::dynamic);
  CHECK(p.has(a));
  p.leave(region.data, scope::structured);
  CHECK(!p.has(a));
  CHECK(p.device.take_record() == record{"to device 8", "release"});
}

TEST_CASE("a copyout with finalize within a region copies where the region ends") {
  present_data p;
  int a[2] = {1, 2};
  const data_clause region(stretto_acc_copyin, a, sizeof a);
  const data_clause out(stretto_acc_copyout | stretto_acc_finalize, a, sizeof a);
  p.enter(region.data, scope::structured);
  p.leave(out.data, scope::dynamic);
  p.leave(region.data, scope::structured);
  CHECK(p.device.take_record() == record{"to device 8", "to host 8", "release"});
}

TEST_CASE("enter data within a region outlives it") {
  present_data p;
  int a[2] = {1, 2};
  const data_clause region(stretto_acc_copy, a, sizeof a), in(stretto_acc_copyin, a, sizeof a);
  p.enter(region.data, scope::structured);
  p.enter(in.data, scope::dynamic);
  p.leave(region.data, scope::structured);
  CHECK(p.has(a));
  p.leave(data_clause(stretto_acc_delete, a, sizeof a).data, scope::dynamic);
  CHECK(!p.has(a));
  CHECK(p.device.take_record() == record{"to device 8", "release"});
}

TEST_CASE("no_create uses what is there, and brings nothing") {
  present_data p;
  int a[2] = {1, 2};
  const data_clause optional(stretto_acc_no_create, a, sizeof a), in(stretto_acc_copyin, a, sizeof a);
  p.enter(optional.data, scope::structured);
  CHECK(!p.has(a));
  p.leave(optional.data, scope::structured);
  p.enter(in.data, scope::dynamic);
  p.enter(optional.data, scope::structured);
  p.leave(data_clause(stretto_acc_delete, a, sizeof a).data, scope::dynamic);
  CHECK(p.has(a));  // until the region ends
  p.leave(optional.data, scope::structured);
  CHECK(!p.has(a));
}

TEST_CASE("present without data is refused, with what is on the device") {
  present_data p;
  int a[2] = {}, b[2] = {};
  p.enter(data_clause(stretto_acc_create, b, sizeof b, "b").data, scope::dynamic);
  const data_clause present(stretto_acc_present, a, sizeof a);
  const std::string text = text_of_refusal([&] { p.enter(present.data, scope::structured); });
  CHECK(contains(text, "O13"));
  CHECK(contains(text, "\"a\" is not on the device"));
  CHECK(contains(text, "x.c:5"));
  CHECK(contains(text, "\"b\" since x.c:5"));
  p.enter(data_clause(stretto_acc_create, a, sizeof a).data, scope::dynamic);
  CHECK(text_of_refusal([&] { p.enter(present.data, scope::structured); }).empty());
}

TEST_CASE("null pointers and parts without elements are always present") {
  present_data p;
  int a[2] = {};
  p.enter(data_clause(stretto_acc_present, nullptr, 0).data, scope::structured);
  p.leave(data_clause(stretto_acc_present, nullptr, 0).data, scope::structured);
  p.enter(data_clause(stretto_acc_present, a, 0).data, scope::structured);
  p.leave(data_clause(stretto_acc_present, a, 0).data, scope::structured);
  CHECK(p.has(nullptr, 0));
  CHECK(!p.has(a));
}

TEST_CASE("a pointer without a part stands for what is on the device where it points") {
  present_data p;
  int a[4] = {1, 2, 3, 4};
  const auto clause = [&](int action) { return pointer_clause(action, nullptr); };
  stretto_acc_data whole = clause(stretto_acc_present).data;
  whole.base = a;
  CHECK(contains(text_of_refusal([&] { p.enter(whole, scope::structured); }), "O13"));
  p.enter(data_clause(stretto_acc_copyin, a, sizeof a).data, scope::dynamic);
  p.enter(whole, scope::structured);
  p.leave(whole, scope::structured);
  p.on_device(a)[3] = 40;
  whole.action = stretto_acc_update_host;
  p.update(whole);
  CHECK(a[3] == 40);
  p.on_device(a)[0] = 10;
  whole.action = stretto_acc_copyout;
  p.leave(whole, scope::dynamic);
  CHECK(a[0] == 10);
  CHECK(!p.has(a));
}

TEST_CASE("a part that overlaps present data is refused where it enters, leaves and is updated") {
  present_data p;
  std::byte a[100] = {};
  p.enter(data_clause(stretto_acc_create, a + 20, 20).data, scope::dynamic);
  for (const auto& [first, bytes] : {std::pair{10, 20}, {30, 20}, {0, 100}}) {
    const data_clause part(stretto_acc_copy, a + first, bytes), update(stretto_acc_update_host, a + first, bytes);
    CHECK(contains(text_of_refusal([&] { p.enter(part.data, scope::dynamic); }), "O12"));
    CHECK(contains(text_of_refusal([&] { p.leave(part.data, scope::dynamic); }), "O12"));
    CHECK(contains(text_of_refusal([&] { p.update(update.data); }), "O12"));
  }
  p.enter(data_clause(stretto_acc_create, a + 10, 10).data, scope::dynamic);
  p.enter(data_clause(stretto_acc_create, a + 40, 60).data, scope::dynamic);
  CHECK(p.device.allocated_bytes() == 90);
}

TEST_CASE("a device without memory refuses data, and says how much there is") {
  present_data p(100);
  std::byte a[60] = {}, b[60] = {};
  p.enter(data_clause(stretto_acc_create, a, sizeof a).data, scope::dynamic);
  const data_clause other(stretto_acc_create, b, sizeof b, "b");
  const std::string text = text_of_refusal([&] { p.enter(other.data, scope::dynamic); });
  CHECK(contains(text, "O14"));
  CHECK(contains(text, "no memory for \"b\""));
  CHECK(contains(text, "1 variables, 60 bytes"));
  p.leave(data_clause(stretto_acc_delete, a, sizeof a).data, scope::dynamic);
  CHECK(text_of_refusal([&] { p.enter(other.data, scope::dynamic); }).empty());
}

TEST_CASE("an update copies the parts that it names, and nothing between them") {
  present_data p;
  int a[4][5] = {}, n = 0;
  for (auto& row : a)
    for (int& one : row) one = n++;
  p.enter(data_clause(stretto_acc_create | stretto_acc_zero, a, sizeof a).data, scope::dynamic);
  p.device.take_record();
  const data_clause part(stretto_acc_update_device, a, {{1, 2, sizeof a[0]}, {3, 2, sizeof(int)}});
  p.update(part.data);
  CHECK(p.device.take_record() == record{"to device 8", "to device 8"});
  const int* const there = p.on_device(&a[0][0]);
  for (int i = 0; i < 20; ++i) CHECK(there[i] == (i == 8 || i == 9 || i == 13 || i == 14 ? i : 0));
  const data_clause back(stretto_acc_update_host, a, {{0, 1, sizeof a[0]}, {1, 3, sizeof(int)}});
  p.update(back.data);
  CHECK(std::vector<int>(a[0], a[1]) == std::vector<int>{0, 0, 0, 0, 4});
}

TEST_CASE("an update of what is not there is refused, or does nothing with if_present") {
  present_data p;
  int a[2] = {};
  const data_clause plain(stretto_acc_update_host, a, sizeof a);
  const data_clause optional(stretto_acc_update_host | stretto_acc_if_present, a, sizeof a);
  const std::string text = text_of_refusal([&] { p.update(plain.data); });
  CHECK(contains(text, "O13"));
  CHECK(contains(text, "x.c:7"));
  p.update(optional.data);
  CHECK(p.device.take_record().empty());
}

TEST_CASE("a pointer is attached where what it points to enters, and detached where it leaves") {
  present_data p;
  struct record_with_pointer {
    int before;
    double* x;
    int behind;
  };
  double x[3] = {1, 2, 3};
  record_with_pointer r{5, x, 7};
  p.enter(data_clause(stretto_acc_copyin, &r, sizeof r, "r").data, scope::dynamic);
  CHECK(p.on_device(&r)->x == x);
  data_clause part(stretto_acc_copyin, x, sizeof x, "r.x");
  part.data.pointer = reinterpret_cast<void**>(&r.x);
  p.enter(part.data, scope::dynamic);
  CHECK(p.on_device(&r)->x == p.on_device(x));
  CHECK(p.on_device(&r)->x[2] == 3);

  // Copies leave the pointer alone.
  r.before = 6, r.behind = 8;
  p.update(data_clause(stretto_acc_update_device, &r, sizeof r).data);
  CHECK(p.on_device(&r)->before == 6);
  CHECK(p.on_device(&r)->behind == 8);
  CHECK(p.on_device(&r)->x == p.on_device(x));
  p.on_device(&r)->behind = 9;
  p.update(data_clause(stretto_acc_update_host, &r, sizeof r).data);
  CHECK(r.behind == 9);
  CHECK(r.x == x);

  p.leave(part.data, scope::dynamic);
  CHECK(p.on_device(&r)->x == x);
  CHECK(!p.has(x));
}

TEST_CASE("a pointer is refused by a device whose kernels cannot follow it") {
  present_data p;
  p.device.follows = false;
  int x = 4;
  int* pointer = &x;
  p.enter(data_clause(stretto_acc_copyin, &pointer, sizeof pointer, "all.x").data, scope::dynamic);
  const pointer_clause attach(stretto_acc_attach, &pointer);
  p.enter(attach.data, scope::dynamic);  // nothing is there to point to
  p.enter(data_clause(stretto_acc_copyin, &x, sizeof x, "x").data, scope::dynamic);
  const std::string text = text_of_refusal([&] { p.enter(attach.data, scope::dynamic); });
  CHECK(contains(text, "O18"));
  CHECK(contains(text, "all.x"));
}

TEST_CASE("a pointer stays attached until it is detached as often, or finally") {
  present_data p;
  int x = 4;
  int* pointer = &x;
  p.enter(data_clause(stretto_acc_copyin, &x, sizeof x).data, scope::dynamic);
  p.enter(data_clause(stretto_acc_copyin, &pointer, sizeof pointer).data, scope::dynamic);
  const pointer_clause attach(stretto_acc_attach, &pointer), detach(stretto_acc_detach, &pointer);
  const pointer_clause last(stretto_acc_detach | stretto_acc_finalize, &pointer);
  const auto is_attached = [&] { return *p.on_device(&pointer) == p.on_device(&x); };
  p.enter(attach.data, scope::dynamic);
  p.enter(attach.data, scope::dynamic);
  p.leave(detach.data, scope::dynamic);
  CHECK(is_attached());
  p.leave(detach.data, scope::dynamic);
  CHECK(!is_attached());
  CHECK(*p.on_device(&pointer) == &x);
  p.leave(detach.data, scope::dynamic);  // it is not attached
  for (int n = 0; n < 3; ++n) p.enter(attach.data, scope::structured);
  p.leave(last.data, scope::dynamic);
  CHECK(!is_attached());
}

TEST_CASE("a pointer that has become null is detached, too") {
  present_data p;
  int x = 4;
  int* pointer = &x;
  p.enter(data_clause(stretto_acc_copyin, &x, sizeof x).data, scope::dynamic);
  p.enter(data_clause(stretto_acc_copyin, &pointer, sizeof pointer).data, scope::dynamic);
  p.enter(pointer_clause(stretto_acc_attach, &pointer).data, scope::dynamic);
  pointer = nullptr;
  stretto_acc_data detach = pointer_clause(stretto_acc_detach, &pointer).data;
  detach.base = nullptr;  // of a clause: the pointer's value
  p.leave(detach, scope::dynamic);
  CHECK(*p.on_device(&pointer) == nullptr);
}

TEST_CASE("a pointer to absent data, and one that is absent itself, are not attached") {
  present_data p;
  int x = 4;
  int *pointer = &x, *other = nullptr;
  const pointer_clause attach(stretto_acc_attach, &pointer), of_other(stretto_acc_attach, &other);
  p.enter(attach.data, scope::dynamic);
  p.enter(data_clause(stretto_acc_copyin, &pointer, sizeof pointer).data, scope::dynamic);
  p.enter(data_clause(stretto_acc_copyin, &other, sizeof other).data, scope::dynamic);
  p.enter(attach.data, scope::dynamic);
  p.enter(of_other.data, scope::dynamic);
  CHECK(*p.on_device(&pointer) == &x);
  CHECK(*p.on_device(&other) == nullptr);
}

TEST_CASE("a pointer is attached to a part that begins behind its first element") {
  present_data p;
  double x[2][3] = {{1, 2, 3}, {4, 5, 6}};
  double* pointers[2] = {x[0], x[1]};
  p.enter(data_clause(stretto_acc_create, pointers, sizeof pointers, "pointers").data, scope::dynamic);
  data_clause part(stretto_acc_copyin, x[1], {{1, 2, sizeof(double)}});
  part.data.pointer = reinterpret_cast<void**>(&pointers[1]);
  p.enter(part.data, scope::structured);
  CHECK(p.on_device(pointers)[1] + 1 == p.on_device(x[1] + 1));
  p.leave(part.data, scope::structured);
  data_clause all(stretto_acc_copyin, pointers, {{0, 2, sizeof(double*)}, {2, 1, sizeof(double)}});
  all.data.pointer_level = 1;
  p.enter(all.data, scope::structured);
  for (int i = 0; i < 2; ++i) CHECK(p.on_device(pointers)[i][2] == x[i][2]);
  p.leave(all.data, scope::structured);
}

TEST_CASE("rows of pointers enter with their table, are updated and copied back, and leave") {
  present_data p;
  double rows[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  double* table[3] = {rows[0], nullptr, rows[2]};
  data_clause all(stretto_acc_copy, table, {{0, 3, sizeof(double*)}, {0, 4, sizeof(double)}});
  all.data.pointer_level = 1;
  p.enter(all.data, scope::structured);
  double** const there = p.on_device(table);
  CHECK(there[0] == p.on_device(rows[0]));
  CHECK(there[1] == nullptr);
  CHECK(there[2][3] == 12);
  CHECK(!p.has(rows[1]));

  there[0][1] = 20;
  rows[2][0] = 90;
  data_clause part(stretto_acc_update_host, table, {{0, 1, sizeof(double*)}, {1, 1, sizeof(double)}});
  part.data.pointer_level = 1;
  p.update(part.data);
  CHECK(rows[0][1] == 20);
  data_clause column(stretto_acc_update_device, table, {{0, 3, sizeof(double*)}, {0, 1, sizeof(double)}});
  column.data.pointer_level = 1;
  p.update(column.data);
  CHECK(there[2][0] == 90);

  there[2][3] = 120;
  p.leave(all.data, scope::structured);
  CHECK(rows[2][3] == 120);
  CHECK(table[2] == rows[2]);
  CHECK(p.device.allocated_bytes() == 0);
  CHECK(p.device.misuses() == 0);
}

TEST_CASE("an implied part may exceed what is there, and is no memory of the device") {
  present_data p;
  std::byte a[100] = {};
  p.enter(data_clause(stretto_acc_create, a, 50).data, scope::dynamic);
  const data_clause implied(stretto_acc_copy | stretto_acc_implied, a + 10, 90);
  p.enter(implied.data, scope::structured);
  p.leave(implied.data, scope::structured);
  CHECK(p.has(a, 50));
  std::byte* const own = p.data.allocate(64);
  REQUIRE(own);
  const data_clause of_device(stretto_acc_copy | stretto_acc_implied, own + 8, 16);
  p.device.take_record();
  p.enter(of_device.data, scope::structured);
  p.leave(of_device.data, scope::structured);
  CHECK(p.device.take_record().empty());
  const data_clause absent(stretto_acc_copy | stretto_acc_implied, a + 50, 50);
  p.enter(absent.data, scope::structured);
  CHECK(p.has(a + 50, 50));
  p.leave(absent.data, scope::structured);
  CHECK(p.device.take_record() == record{"to device 50", "to host 50", "release"});
}

TEST_CASE("an implied part that begins ahead of its array belongs to its array") {
  present_data p;
  int both[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  int* const a = both[1];
  p.enter(data_clause(stretto_acc_copyin, a, sizeof both[1]).data, scope::dynamic);
  const data_clause part(stretto_acc_copy | stretto_acc_implied, a, {{-1UL, 5, sizeof(int)}});
  const auto used = [&] {
    data_work into;
    p.enter(part.data, scope::structured);
    std::byte* const found = p.data.used_by_kernel(reinterpret_cast<std::byte*>(a), &part.data, {}, into).address;
    p.leave(part.data, scope::structured);
    return reinterpret_cast<int*>(found);
  };
  CHECK(used() == p.on_device(a));
  p.enter(data_clause(stretto_acc_copyin, both[0], sizeof both[0]).data, scope::dynamic);
  CHECK(used() == p.on_device(a));
}

TEST_CASE("mapped memory is the program's: clauses neither copy nor release it") {
  present_data p;
  int a[4] = {1, 2, 3, 4};
  std::byte* const own = p.data.allocate(sizeof a);
  p.data.map(reinterpret_cast<std::byte*>(a), own, sizeof a, "acc_map_data");
  CHECK(reinterpret_cast<std::byte*>(p.on_device(a)) == own);
  CHECK(p.data.host_of(own + 4) == reinterpret_cast<std::byte*>(a + 1));
  const data_clause copy(stretto_acc_copy, a, sizeof a);
  p.enter(copy.data, scope::structured);
  p.leave(copy.data, scope::structured);
  p.leave(data_clause(stretto_acc_delete | stretto_acc_finalize, a, sizeof a).data, scope::dynamic);
  CHECK(p.has(a, sizeof a));
  CHECK(p.device.take_record().empty());
  p.data.unmap(reinterpret_cast<std::byte*>(a));
  CHECK(!p.has(a));
  CHECK(p.data.is_on_device(own));
  p.data.release(own);
  CHECK(!p.data.is_on_device(own));
  CHECK(p.device.misuses() == 0);
}

TEST_CASE("a kernel gets the whole memory that the program has allocated, where data is mapped into a part of it") {
  present_data p;
  int a[4] = {};
  std::byte* const own = p.data.allocate(100);
  p.data.map(reinterpret_cast<std::byte*>(a), own + 20, sizeof a, "x.c:1");
  data_work work;
  const acc::kernel_memory found =
      p.data.used_by_kernel(reinterpret_cast<std::byte*>(a + 1), nullptr, std::nullopt, work);
  CHECK(found.address == own + 24);
  CHECK(found.block.first == own);
  CHECK(found.block.bytes == 100);
}

TEST_CASE("addresses are translated both ways within present data alone") {
  present_data p;
  int a[4] = {};
  p.enter(data_clause(stretto_acc_create, a, sizeof a).data, scope::dynamic);
  auto* const there = reinterpret_cast<std::byte*>(p.on_device(a + 2));
  CHECK(p.data.host_of(there) == reinterpret_cast<std::byte*>(a + 2));
  CHECK(p.data.is_on_device(there));
  CHECK(!p.data.is_on_device(reinterpret_cast<std::byte*>(a)));
  CHECK(!p.data.host_of(reinterpret_cast<std::byte*>(a)));
  CHECK(p.data.present_address(reinterpret_cast<std::byte*>(a), "a", "x.c:8") == there - 8);
  int other = 0;
  const auto ask = [&] { p.data.present_address(reinterpret_cast<std::byte*>(&other), "other", "x.c:8"); };
  CHECK(contains(text_of_refusal(ask), "O13"));
}

TEST_CASE("an operation outside of queues waits for the queues that use its data, and for no others") {
  present_data p;
  int a[4] = {}, b[4] = {};
  const data_clause of_a(stretto_acc_create, a, sizeof a), of_b(stretto_acc_create, b, sizeof b);
  p.enter(of_a.data, scope::dynamic);
  p.enter(of_b.data, scope::dynamic);
  data_work launch;
  const auto use = [&](int* host, queue_number queue) {
    p.data.used_by_kernel(reinterpret_cast<std::byte*>(host), nullptr, queue, launch);
  };
  use(a, 3);
  use(a, 5);
  use(b, 7);
  CHECK(launch.queues.empty());  // a queue waits for no other one
  CHECK(p.update(data_clause(stretto_acc_update_device, b, 4).data, 8).queues.empty());
  CHECK(p.update(data_clause(stretto_acc_update_host, a, 4).data).queues == std::set<int>{3, 5});
  CHECK(p.update(data_clause(stretto_acc_update_host, a, 4).data).queues.empty());  // they have ended
  use(b, {});
  CHECK(launch.queues == std::set<int>{7, 8});
}

TEST_CASE("memory is released behind all queues that use it, also where a queue does it") {
  present_data p;
  int a[4] = {}, b[4] = {};
  const data_clause of_a(stretto_acc_copyin, a, sizeof a), of_b(stretto_acc_copyin, b, sizeof b);
  CHECK(p.enter(of_a.data, scope::structured, 1).queues.empty());
  p.enter(of_b.data, scope::structured, 1);
  data_work launch;
  for (int* const host : {a, b}) p.data.used_by_kernel(reinterpret_cast<std::byte*>(host), nullptr, 2, launch);
  CHECK(p.leave(of_a.data, scope::structured, 2).queues == std::set<int>{1});
  CHECK(p.leave(of_b.data, scope::structured).queues == std::set<int>{1, 2});
}

TEST_CASE("a kernel's pointer ahead of its array leads to the part that a clause names") {
  present_data p;
  int a[10] = {}, b[10] = {};
  const data_clause part(stretto_acc_create, a, {{4, 6, sizeof(int)}});
  p.enter(part.data, scope::structured);
  p.enter(data_clause(stretto_acc_create, b, sizeof b).data, scope::structured);
  data_work into;
  const auto used = [&](int* pointer) {
    const auto found = p.data.used_by_kernel(reinterpret_cast<std::byte*>(pointer), &part.data, {}, into);
    CHECK(p.data.block_at(found.block.first).bytes == found.block.bytes);
    return reinterpret_cast<int*>(found.address);
  };
  CHECK(used(a) == p.on_device(a + 4) - 4);
  CHECK(used(a + 5) == p.on_device(a + 5));
  CHECK(used(b) == p.on_device(b));  // the pointer has changed since its clause
}

TEST_CASE("the end of a rank's data releases all of its memory") {
  test::recording_accelerator device;
  int a[4] = {}, b[4] = {};
  {
    acc::data_environment data(device);
    data_work work;
    data.enter(data_clause(stretto_acc_create, a, sizeof a).data, scope::dynamic, {}, "x.c:5", work);
    std::byte* const own = data.allocate(sizeof b);
    data.map(reinterpret_cast<std::byte*>(b), own, sizeof b, "acc_map_data");
    CHECK(device.allocated_bytes() == 32);
  }
  CHECK(device.allocated_bytes() == 0);
  CHECK(device.misuses() == 0);
}

TEST_CASE("data that kernels use in the host's memory is present there, and never copied") {
  present_data p;
  p.device.shares = true;
  std::array<int, 4> a = {1, 2, 3, 4};
  const data_clause copy(stretto_acc_copy, a.data(), sizeof a), update(stretto_acc_update_host, a.data(), sizeof a);
  const data_clause zeros(stretto_acc_create | stretto_acc_zero, a.data(), sizeof a);
  p.enter(copy.data, scope::structured);
  CHECK(p.on_device(a.data() + 1) == a.data() + 1);
  CHECK(p.device.shared_count() == 1);
  const data_work waits = p.update(update.data);
  CHECK(waits.transfers.empty());
  p.leave(copy.data, scope::structured);
  CHECK(p.device.shared_count() == 0);
  CHECK_FALSE(p.has(a.data()));
  p.enter(zeros.data, scope::dynamic);
  CHECK(a[3] == 4);
  CHECK(p.device.take_record().empty());
  CHECK(p.device.misuses() == 0);
}

TEST_CASE("a pointer in memory that kernels use in place stays the host's") {
  present_data p;
  p.device.shares = true;
  int value = 3;
  int* pointer = &value;
  const data_clause pointers(stretto_acc_copy, &pointer, sizeof pointer),
      values(stretto_acc_copy, &value, sizeof value);
  p.enter(pointers.data, scope::dynamic);
  p.enter(values.data, scope::dynamic);
  const pointer_clause attach(stretto_acc_attach, &pointer), detach(stretto_acc_detach, &pointer);
  p.enter(attach.data, scope::dynamic);
  CHECK(pointer == &value);
  p.leave(detach.data, scope::dynamic);
  CHECK(p.device.take_record().empty());
  p.leave(values.data, scope::dynamic);
  p.device.shares = false;
  p.enter(values.data, scope::dynamic);
  CHECK(contains(text_of_refusal([&] { p.enter(attach.data, scope::dynamic); }), "O18"));
}
