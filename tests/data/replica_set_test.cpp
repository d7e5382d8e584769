#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "campaign.hpp"
#include "data/replica_set.hpp"
#include "data/simulated_memories.hpp"

using namespace stretto;
using namespace stretto::data;
using test::each_point, test::garbage, test::simulated_memories, test::stored;

namespace {

using copies = std::vector<replica_set::copy>;
using tokens = std::vector<token>;
using storages = std::vector<replica_set::storage>;
using ids = std::vector<replica_id>;

const box whole(0, 100);

double farther_is_dearer(memory_number from, memory_number to, std::uint64_t) {
  return from > to ? from - to : to - from;
}

// A set of which every token counts as pending, driven as its header says.
struct driven {
  std::uint64_t most_joined = UINT64_MAX;
  replica_set set{4, farther_is_dearer, [](token) { return false; }, [this](memory_number) { return most_joined; }};
  replica_set::plan plan = {};
  token last = 0;

  const replica_set::plan& acquire(memory_number in, std::initializer_list<replica_set::need> needs) {
    set.acquire(in, {needs.begin(), needs.size()}, plan);
    return plan;
  }
  void carry_out() {
    REQUIRE(set.is_current(plan));
    for (const auto& s : plan.allocate) set.add(s, ++last);
    for (const auto& f : plan.fills) set.filled(f, ++last);
    for (const auto& c : plan.copies) set.copied(c, ++last);
    for (const auto& f : plan.folds) set.folded(f, ++last);
  }
  void retire() {
    tokens ignored;
    for (const replica_id r : plan.retire) REQUIRE(set.drop(r, ignored));
  }
  token task(memory_number in, std::initializer_list<replica_set::need> needs) {
    acquire(in, needs);
    carry_out();
    ++last;
    std::size_t i = 0;
    for (const auto& n : needs) set.used(plan.use[i++], n, last);
    retire();
    return last;
  }
};

}  // namespace

TEST_CASE("valid elements are used in place, and nothing is planned") {
  driven d;
  d.task(1, {{whole, out_use}});
  const auto& p = d.acquire(1, {{box(10, 20), in_use}});
  CHECK(p.allocate.empty());
  CHECK(p.copies.empty());
  CHECK(p.use == ids{0});
}

TEST_CASE("reading elsewhere copies, writing there makes the first invalid") {
  driven d;
  d.task(0, {{whole, out_use}});
  CHECK(d.acquire(1, {{whole, in_use}}).allocate == storages{{1, 1, whole}});
  CHECK(d.plan.copies == copies{{0, 1, whole}});
  d.carry_out();
  CHECK(d.set.only_in(0).is_empty());
  d.task(1, {{box(0, 50), inout_use}});
  CHECK(d.set.only_in(1) == region(box(0, 50)));
  CHECK(d.acquire(0, {{whole, in_use}}).copies == copies{{1, 0, box(0, 50)}});
}

TEST_CASE("elements that are overwritten are not fetched") {
  driven d;
  d.task(0, {{whole, out_use}});
  CHECK(d.acquire(1, {{box(0, 50), out_use}, {box(40, 70), in_use}}).copies == copies{{0, 1, box(40, 70)}});
  CHECK(d.plan.allocate == storages{{1, 1, box(0, 70)}});
}

TEST_CASE("tiles far apart get storage of their own, overlapping ones grow together") {
  driven d;
  d.task(0, {{whole, out_use}});
  d.task(1, {{box(0, 10), in_use}, {box(50, 60), in_use}});
  CHECK(d.set.replicas(1) == storages{{1, 1, box(0, 10)}, {2, 1, box(50, 60)}});
  CHECK(d.acquire(1, {{box(5, 20), in_use}}).allocate == storages{{3, 1, box(0, 20)}});
  CHECK(d.plan.copies == copies{{1, 3, box(0, 10)}, {0, 3, box(10, 20)}});
  CHECK(d.plan.retire == ids{1});
  d.carry_out();
  d.retire();
  CHECK(d.set.replicas(1) == storages{{2, 1, box(50, 60)}, {3, 1, box(0, 20)}});
}

TEST_CASE("tiles that would be too large together stay separate, and elements in both are copied between them") {
  driven d{.most_joined = 4 * 12};
  d.task(0, {{whole, out_use}});
  d.task(1, {{box(0, 12), in_use}});
  CHECK(d.acquire(1, {{box(10, 22), in_use}}).allocate == storages{{2, 1, box(10, 22)}});
  CHECK(d.plan.copies == copies{{1, 2, box(10, 12)}, {0, 2, box(12, 22)}});
  CHECK(d.plan.retire.empty());
  d.carry_out();
  CHECK(d.set.valid_elements(1, whole) == 22);  // and not 24
  d.task(1, {{box(1, 11), inout_use}});
  CHECK(d.set.only_in(1) == region(box(1, 11)));
  CHECK(d.acquire(1, {{box(10, 22), in_use}}).copies == copies{{1, 2, box(10, 11)}});
  CHECK(d.acquire(1, {{box(11, 12), in_use}}).use == ids{1});
  CHECK(d.plan.is_idle());
  // one task uses both
  CHECK(d.acquire(1, {{box(2, 11), out_use}, {box(10, 20), in_use}}).allocate == storages{{3, 1, box(2, 20)}});
  // large by itself, it supersedes the storage it contains
  CHECK(d.acquire(1, {{box(0, 24), in_use}}).retire == ids{1, 2});
  CHECK(d.plan.copies == copies{{1, 3, box(0, 12)}, {2, 3, box(12, 22)}, {0, 3, box(22, 24)}});
}

TEST_CASE("room is allocated with what is needed, but not filled") {
  driven d;
  d.task(0, {{whole, out_use}});
  CHECK(d.acquire(1, {{box(5, 10), in_use, whole}}).allocate == storages{{1, 1, whole}});
  CHECK(d.plan.copies == copies{{0, 1, box(5, 10)}});
}

TEST_CASE("the nearest memory is the source, part by part") {
  driven d;
  d.task(0, {{whole, out_use}});
  d.task(3, {{box(30, 60), in_use}});
  CHECK(d.acquire(5, {{whole, in_use}}).copies ==
        copies{{1, 2, box(30, 60)}, {0, 2, box(0, 30)}, {0, 2, box(60, 100)}});
}

TEST_CASE("content that was never written is known as such") {
  driven d;
  CHECK(d.acquire(0, {{whole, in_use}}).unwritten == region(whole));
  d.task(0, {{box(20, 30), out_use}});
  CHECK(d.acquire(1, {{whole, inout_use}}).unwritten == region{box(0, 20), box(30, 100)});
  CHECK(d.plan.lost.is_empty());
  CHECK(d.acquire(1, {{whole, out_use}}).unwritten.is_empty());
  d.set.discard(box(25, 30));
  CHECK(d.acquire(0, {{box(20, 30), in_use}}).unwritten == region(box(25, 30)));
}

TEST_CASE("readers wait for the writer, writers and frees for the readers too") {
  driven d;
  const token write = d.task(0, {{whole, out_use}});
  const token read = d.task(0, {{box(0, 50), in_use}});
  tokens waits;
  d.set.waits_of(0, {box(40, 60), in_use}, waits);
  CHECK(waits == tokens{write});
  waits.clear();
  d.set.waits_of(0, {box(60, 70), inout_use}, waits);
  CHECK(waits == tokens{write});
  waits.clear();
  d.set.waits_of(0, {whole, out_use}, waits);
  std::sort(waits.begin(), waits.end());
  CHECK(waits == tokens{write, read});
  d.task(1, {{whole, out_use}});
  waits.clear();
  CHECK(d.set.drop(0, waits));
  std::sort(waits.begin(), waits.end());
  CHECK(waits == tokens{write, read});
}

TEST_CASE("only readers fail with the writers of their data, and no one with other readers") {
  driven d;
  const token write = d.task(0, {{whole, out_use}});
  const token read = d.task(0, {{whole, in_use}});
  const token add = d.task(0, {{box(0, 10), reduce_use(1)}});
  const auto waits_of = [&](const box& where, usage how) {
    replica_set::wait_list waits;
    d.set.waits_of(0, where, how, waits);
    std::ranges::sort(waits.content), std::ranges::sort(waits.order);
    return std::pair(waits.content, waits.order);
  };
  CHECK(waits_of(box(0, 20), in_use) == std::pair(tokens{write, add}, tokens{}));
  CHECK(waits_of(box(0, 20), inout_use) == std::pair(tokens{write, add}, tokens{read}));
  CHECK(waits_of(box(0, 20), out_use) == std::pair(tokens{}, tokens{write, read, add}));
  CHECK(waits_of(box(10, 20), out_use) == std::pair(tokens{}, tokens{write, read}));
  CHECK(waits_of(box(0, 20), reduce_use(1)) == std::pair(tokens{write}, tokens{read}));
  CHECK(waits_of(box(0, 20), reduce_use(2)) == std::pair(tokens{write, add}, tokens{read}));
}

TEST_CASE("a copy fails with the writer of its source, not with users of the elements it overwrites") {
  driven d;
  const token before = d.task(1, {{whole, out_use}});
  const token read = d.task(1, {{whole, in_use}});
  const token write = d.task(0, {{whole, out_use}});
  d.acquire(1, {{whole, in_use}});
  REQUIRE(d.plan.copies.size() == 1);
  replica_set::wait_list waits;
  d.set.waits_of(d.plan.copies[0], waits);
  std::ranges::sort(waits.order);
  CHECK(waits.content == tokens{write});
  CHECK(waits.order == tokens{before, read});
}

TEST_CASE("an element that is overwritten is valid again when those that used it before fail afterwards") {
  driven d;
  const token first = d.task(0, {{whole, inout_use}});
  d.task(0, {{box(20, 30), out_use}});
  CHECK(d.set.failed(first) == region{box(0, 20), box(30, 100)});
  CHECK(d.acquire(0, {{box(20, 30), in_use}}).is_idle());
  CHECK(d.acquire(0, {{box(20, 31), in_use}}).lost == region(box(30, 31)));
}

TEST_CASE("the only valid copy is not dropped before it is written back") {
  driven d;
  d.task(1, {{whole, out_use}});
  d.task(0, {{box(0, 30), in_use}});
  tokens waits;
  CHECK_FALSE(d.set.drop(0, waits));
  d.set.write_back(0, 2, d.plan);
  CHECK(d.plan.allocate == storages{{2, 2, box(30, 100)}});
  CHECK(d.plan.copies == copies{{0, 2, box(30, 100)}});
  d.carry_out();
  CHECK(d.set.drop(0, waits));
  CHECK(d.set.replicas(1).empty());
}

TEST_CASE("contributors of one side share, and wait for those of the other") {
  driven d;
  const token written = d.task(0, {{whole, out_use}});
  usage other = reduce_use(7);
  other.side = 1;
  const auto waits = [&](const usage& how) {
    tokens all;
    d.set.waits_of(0, whole, how, all);
    return all;
  };
  const token first = d.task(0, {{whole, reduce_use(7)}}), second = d.task(0, {{whole, reduce_use(7)}});
  CHECK(waits(reduce_use(7)) == tokens{written});
  CHECK(waits(other) == tokens{written, first, second});
  const token third = d.task(0, {{whole, other}});
  CHECK(waits(other) == tokens{written, first, second});
  CHECK(waits(reduce_use(7)) == tokens{written, third});
  CHECK(waits(in_use) == tokens{written, first, second, third});
}

TEST_CASE("reductions gather where they run, and are folded when the content is needed") {
  using fills = std::vector<replica_set::fill>;
  using folds = std::vector<replica_set::fold>;
  driven d;
  d.task(0, {{whole, out_use}});
  CHECK(d.acquire(0, {{whole, reduce_use(7)}}).use == ids{0});  // in place
  CHECK(d.plan.folds.empty());
  CHECK(d.acquire(1, {{box(0, 50), reduce_use(7)}}).allocate == storages{{1, 1, box(0, 50), 7}});
  CHECK(d.plan.fills == fills{{1, box(0, 50), 7}});
  CHECK(d.plan.copies.empty());
  d.task(1, {{box(0, 50), reduce_use(7)}});
  d.task(1, {{box(0, 50), reduce_use(7)}});
  CHECK(d.acquire(1, {{box(0, 50), reduce_use(7)}}).fills.empty());
  CHECK(d.set.only_in(1) == region(box(0, 50)));
  CHECK(d.acquire(0, {{box(40, 60), in_use}}).folds == folds{{1, 0, box(40, 50), 7}});
  d.carry_out();
  CHECK(d.acquire(1, {{box(0, 50), reduce_use(7)}}).fills == fills{{1, box(40, 50), 7}});
  CHECK(d.acquire(1, {{box(0, 50), reduce_use(8)}}).folds == folds{{1, 2, box(0, 40), 7}});  // another operator
  CHECK(d.plan.copies == copies{{0, 2, box(0, 50)}});
  d.task(0, {{box(0, 30), out_use}});  // elements that are overwritten need no fold
  CHECK(d.acquire(0, {{whole, in_use}}).folds == folds{{1, 0, box(30, 40), 7}});
  CHECK(d.set.lose(1) == region(box(30, 40)));
}

TEST_CASE("a lost memory poisons what was valid there alone") {
  driven d;
  d.task(0, {{whole, out_use}});
  d.task(1, {{box(0, 50), inout_use}});
  d.task(0, {{box(0, 10), in_use}});
  CHECK(d.set.lose(1) == region(box(10, 50)));
  CHECK(d.acquire(0, {{whole, in_use}}).lost == region(box(10, 50)));
  CHECK(d.plan.unwritten.is_empty());
  d.task(0, {{box(0, 40), out_use}});
  CHECK(d.acquire(0, {{whole, in_use}}).lost == region(box(40, 50)));
}

TEST_CASE("the output of a failed operation is not valid, and no one waits for it") {
  driven d;
  d.task(0, {{whole, out_use}});
  d.acquire(1, {{whole, in_use}});
  d.carry_out();
  const token copied = d.last;
  CHECK(d.set.failed(copied).is_empty());  // still valid in memory 0
  CHECK(d.set.valid_elements(1, whole) == 0);
  tokens waits;
  d.set.waits_of(0, {whole, out_use}, waits);
  CHECK(std::find(waits.begin(), waits.end(), copied) == waits.end());
  const token write = d.task(1, {{box(0, 5), out_use}});
  CHECK(d.set.failed(write) == region(box(0, 5)));
}

TEST_CASE("readers of an array that is never written again are forgotten as they end") {
  token now = 0;
  replica_set set(4, farther_is_dearer, [&](token t) { return t + 10 < now; });
  set.add({set.next_id(), 0, whole}, 0);
  set.used(0, {whole, out_use}, ++now);
  for (int i = 0; i < 10'000; ++i) {
    const coordinate x = i % 89;
    set.used(0, {i % 3 ? whole : box(x, x + 1 + i % 11), in_use}, ++now);
  }
  tokens waits;
  set.waits_of(0, {whole, out_use}, waits);
  CHECK(waits.size() < 89 * 24);
}

TEST_CASE("boxes that never come again do not fill the memory") {
  token now = 0;
  replica_set set(4, farther_is_dearer, [&](token t) { return t + 10 < now; });
  const box large({0, 0}, {1'000'000, 1'000});
  set.add({set.next_id(), 0, large}, 0);
  set.used(0, {large, out_use}, ++now);
  std::mt19937 random(1);
  std::size_t met = 0;
  for (int i = 0; i < test::scaled_of_one_thread(6'000, 200'000); ++i) {
    const auto x = static_cast<coordinate>(random() % 999'000), y = static_cast<coordinate>(random() % 900);
    const box where({x, y}, {x + 30, y + 30});
    set.used(0, {where, i % 2 ? in_use : inout_use}, ++now);
    if (i % 1000 == 999) {
      tokens waits;
      set.waits_of(0, {large, in_use}, waits);
      met = std::max(met, waits.size());
    }
  }
  CHECK(met < 4096);
}

namespace {

// Operator 3 adds, 4 multiplies.
std::int64_t combined(std::uint32_t by, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  return static_cast<std::int64_t>(by == 3 ? x + y : x * y);
}
std::int64_t identity(std::uint32_t of) { return of == 3 ? 0 : 1; }

// A random program on one array over several memories, and the expected value of each element.
struct program {
  explicit program(unsigned seed, bool with_losses)
      : random(seed),
        losses(with_losses),
        axes(1 + below(3)),
        side(axes == 1   ? 24
             : axes == 2 ? 6
                         : 4),
        all(extent(side, axes > 1 ? side : 1, axes > 2 ? side : 1)),
        memories(static_cast<memory_number>(2 + below(3))),
        expected(all.volume(), 0),
        lost(all.volume(), false) {
    for (unsigned i = 0; i < memories * memories; ++i) costs.push_back(1 + below(9));
    for (unsigned i = 0; i < memories; ++i)
      most_joined.push_back(below(3) ? 8 * static_cast<std::uint64_t>(1 + below(static_cast<int>(all.volume())))
                                     : UINT64_MAX);
  }

  int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
  std::size_t number(const point& p) const {
    return static_cast<std::size_t>((p[0] * all.length(1) + p[1]) * all.length(2) + p[2]);
  }

  bool is_valid_somewhere(replica_id r, const box& part) const {
    bool valid = false;
    each_point(part, [&](const point& p) { valid = valid || set.is_valid(r, box::sized(p, unit)); });
    return valid;
  }

  box any_box() {
    if (!named.empty() && below(3) != 0) return named[static_cast<std::size_t>(below(static_cast<int>(named.size())))];
    point min, max(1, 1, 1);
    for (int a = 0; a < axes; ++a) {
      min[a] = below(side);
      max[a] = min[a] + 1 + below(side - static_cast<int>(min[a]));
    }
    if (below(8) == 0) return all;
    named.push_back(box::between(min, max));
    return named.back();
  }

  /// Waits that have to succeed, and those that only have to end.
  template <class Operation>
  tokens waits_of(const Operation& operation) {
    replica_set::wait_list waits;
    set.waits_of(operation, waits);
    waits.content.insert(waits.content.end(), waits.order.begin(), waits.order.end());
    return waits.content;
  }

  void carry_out(const replica_set::plan& plan) {
    REQUIRE(set.is_current(plan));
    for (const auto& s : plan.allocate) {
      stored* const made = machine.make(s.memory, s.where);
      where[s.id] = made;
      set.add(s, machine.submit({}, {made}, [made] { made->usable = true; }));
    }
    for (const auto& f : plan.fills) {
      stored* const to = where.at(f.to);
      CHECK_FALSE(is_valid_somewhere(f.to, f.where));  // no needless operations
      const tokens waits = waits_of(f);
      set.filled(f, machine.submit(waits, {to}, [to, f] {
        REQUIRE(to->usable);
        each_point(f.where, [&](const point& p) { to->at(p) = identity(f.reduction); });
      }));
    }
    for (const auto& c : plan.copies) {
      stored *const from = where.at(c.from), *const to = where.at(c.to);
      CHECK_FALSE(is_valid_somewhere(c.to, c.where));
      const tokens waits = waits_of(c);
      set.copied(c, machine.submit(waits, {from, to}, [from, to, part = c.where] {
        REQUIRE(from->usable);
        REQUIRE(to->usable);
        each_point(part, [&](const point& p) { to->at(p) = from->at(p); });
      }));
    }
    for (const auto& f : plan.folds) {
      stored *const from = where.at(f.from), *const to = where.at(f.to);
      const tokens waits = waits_of(f);
      set.folded(f, machine.submit(waits, {from, to}, [from, to, f] {
        REQUIRE(from->usable);
        REQUIRE(to->usable);
        each_point(f.where, [&](const point& p) { to->at(p) = combined(f.reduction, to->at(p), from->at(p)); });
      }));
    }
  }

  // Superseded replicas are dropped now or later: until then they are ordinary replicas.
  void retire(const ids& old) {
    superseded.insert(superseded.end(), old.begin(), old.end());
    for (std::size_t i = superseded.size(); i-- > 0;)
      if (below(3) != 0 && set.only_in(superseded[i]).is_empty()) free(superseded[i]);
  }

  void free(replica_id r) {
    std::erase(superseded, r);
    tokens waits;
    REQUIRE(set.drop(r, waits));
    stored* const gone = where.at(r);
    where.erase(r);
    machine.submit(waits, {}, [gone] {
      gone->usable = false;
      std::fill(gone->values.begin(), gone->values.end(), garbage);
    });
  }

  static void change(const usage& how, std::int64_t& value, std::int64_t mine) {
    value = how.is == usage::mode::reduce ? combined(how.reduction, value, 2 * mine + 1) : mine;
  }

  // A kernel: reads its needs, compares, and writes its own number.
  token kernel(const std::vector<replica_set::need>& needs, const ids& use) {
    tokens waits;
    std::vector<stored*> uses;
    struct look {
      stored* at;
      point p;
      std::int64_t value;
    };
    std::vector<look> reads;
    for (std::size_t i = 0; i < needs.size(); ++i) {
      set.waits_of(use[i], needs[i], waits);
      uses.push_back(where.at(use[i]));
      if (needs[i].how.needs_content() && needs[i].how.is != usage::mode::reduce)
        each_point(needs[i].where, [&](const point& p) { reads.push_back({uses.back(), p, expected[number(p)]}); });
    }
    const std::int64_t mine = ++writes;
    const token t = machine.submit(waits, uses, [needs, uses, reads, mine] {
      bool right = true;
      for (const look& r : reads) right = right && r.at->usable && r.at->at(r.p) == r.value;
      REQUIRE(right);
      for (std::size_t i = 0; i < needs.size(); ++i)
        if (needs[i].how.changes_content()) {
          REQUIRE(uses[i]->usable);
          each_point(needs[i].where, [&](const point& p) { change(needs[i].how, uses[i]->at(p), mine); });
        }
    });
    for (std::size_t i = 0; i < needs.size(); ++i) {
      set.used(use[i], needs[i], t);
      if (needs[i].how.changes_content())
        each_point(needs[i].where, [&](const point& p) {
          change(needs[i].how, expected[number(p)], mine);
          written[number(p)] = true;
          if (needs[i].how.is != usage::mode::reduce) lost[number(p)] = false;
        });
    }
    return t;
  }

  void task() {
    std::vector<replica_set::need> needs;
    for (int n = 1 + below(2) + (below(4) == 0); n > 0; --n) {
      const usage how = below(2)        ? in_use
                        : below(2)      ? out_use
                        : below(3) == 0 ? inout_use
                                        : reduce_use(3 + below(8) / 7);
      needs.push_back({any_box(), how, below(6) ? box() : any_box()});
    }
    // An answer is repeated as long as the set reports no change.
    for (const auto& [in, asked, said] : answers)
      if (set.is_current(said)) {
        set.acquire(in, asked, plan);
        CHECK((plan.use == said.use && plan.allocate == said.allocate && plan.copies == said.copies &&
               plan.fills == said.fills && plan.folds == said.folds && plan.retire == said.retire &&
               plan.unwritten == said.unwritten && plan.lost == said.lost));
      }
    const auto in = static_cast<memory_number>(below(static_cast<int>(memories)));
    set.acquire(in, needs, plan);
    if (answers.size() == 8) answers.erase(answers.begin());
    answers.emplace_back(in, needs, plan);
    region unwritten, gone;
    for (const auto& n : needs)
      if (n.how.needs_content())
        each_point(n.where, [&](const point& p) {
          if (lost[number(p)]) gone |= box::sized(p, unit);
          else if (!written[number(p)]) unwritten |= box::sized(p, unit);
        });
    CHECK(plan.unwritten == unwritten);
    CHECK(plan.lost == gone);
    if (losses) CHECK((unwritten & gone).is_empty());
    else CHECK(gone.is_empty());
    const ids use = plan.use;
    carry_out(plan);
    for (std::size_t i = 0; i < needs.size(); ++i) {  // unwritten elements get a value first
      const region empty = (unwritten | gone) & region(needs[i].where);
      for (const box& b : empty.boxes())
        if (needs[i].how.needs_content() && !set.is_valid(use[i], b)) kernel({{b, out_use}}, {use[i]});
    }
    kernel(needs, use);
    retire(plan.retire);
  }

  void evict() {
    const auto m = static_cast<memory_number>(below(static_cast<int>(memories)));
    const auto there = set.replicas(m);
    if (there.empty()) return;
    const replica_id r = there[static_cast<std::size_t>(below(static_cast<int>(there.size())))].id;
    tokens waits;
    if (!set.only_in(r).is_empty()) {
      CHECK_FALSE(set.drop(r, waits));
      CHECK(waits.empty());
      set.write_back(r, (m + 1 + static_cast<memory_number>(below(static_cast<int>(memories) - 1))) % memories, plan);
      CHECK((plan.unwritten.is_empty() && plan.lost.is_empty()));
      carry_out(plan);
      free(r);
      retire(plan.retire);
    } else {
      free(r);
    }
  }

  void lose() {
    const auto m = static_cast<memory_number>(below(static_cast<int>(memories)));
    machine.lose(m);
    std::erase_if(superseded, [&](replica_id r) { return where.at(r)->memory == m; });
    std::erase_if(where, [&](const auto& w) { return w.second->memory == m; });
    now_lost(set.lose(m));
  }

  void now_lost(const region& gone) {
    each_point(all, [&](const point& p) {
      if (gone.contains(p)) lost[number(p)] = true;
    });
  }
  bool step() {
    return machine.step([&](token t) { now_lost(set.failed(t)); });
  }

  void run() {
    for (int i = 0; i < 60; ++i) {
      const int what = below(30);
      if (what < 20) task();
      else if (what < 26) evict();
      else if (what == 26) {
        const box b = any_box();
        set.discard(b);
        each_point(b, [&](const point& p) { written[number(p)] = lost[number(p)] = false; });
      } else if (what == 27 && losses) lose();
      for (int n = below(6); n > 0; --n) step();
    }
    while (step()) {
    }
  }

  std::mt19937 random;
  std::vector<std::tuple<memory_number, std::vector<replica_set::need>, replica_set::plan>> answers;
  bool losses;
  int axes, side;
  box all;
  memory_number memories;
  std::vector<std::int64_t> expected;  // per element: the last writer, and later reductions
  std::vector<bool> written = std::vector<bool>(expected.size(), false), lost;
  std::vector<double> costs;
  std::vector<box> named;
  std::int64_t writes = 0;
  std::vector<std::uint64_t> most_joined;
  simulated_memories machine{random};
  replica_set set{8, [this](memory_number a, memory_number b, std::uint64_t) { return costs[a * memories + b]; },
                  [this](token t) { return machine.has_ended(t); }, [this](memory_number m) { return most_joined[m]; }};
  replica_set::plan plan;
  std::map<replica_id, stored*> where;
  ids superseded;
};

}  // namespace

TEST_CASE("every read sees the last write, in whatever order operations run, over many seeds") {
  for (unsigned seed = 0; seed < test::scaled_of_one_thread(600u, 20'000u); ++seed) {
    CAPTURE(seed);
    program(seed, false).run();
  }
}

TEST_CASE("memories that are lost lose what was valid there alone, and nothing reads it unknowingly, over many seeds") {
  for (unsigned seed = 0; seed < test::scaled_of_one_thread(600u, 20'000u); ++seed) {
    CAPTURE(seed);
    program(seed, true).run();
  }
}
