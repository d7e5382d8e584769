// Random programs in which nodes post receives and others push elements to them, stepped from a seed: posts and pushes
// in any order, from several nodes, in any boxes, with failures on both sides.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "dist/posted_copies.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using blocks = instance<std::uint32_t, 3>;
constexpr std::uint32_t untouched = 0xdead;

std::uint32_t posted_value(std::uint64_t number, const point& p) {
  return static_cast<std::uint32_t>(number * 7919 + static_cast<std::uint64_t>(p[0] * 961 + p[1] * 31 + p[2] + 5000));
}
template <class F>
void for_each_point(const box& b, F&& f) {
  for (coordinate i = b.min()[0]; i < b.max()[0]; ++i)
    for (coordinate j = b.min()[1]; j < b.max()[1]; ++j)
      for (coordinate k = b.min()[2]; k < b.max()[2]; ++k) f(point(i, j, k));
}

/// An event that an operation waits for until an action triggers or poisons it; or none.
struct gate {
  user_event is;
  bool is_there = false, is_poisoned = false;
};

struct modelled_push {
  std::uint32_t asker = 0, source_node = 0;
  blocks source;
  event source_ready;
  std::vector<box> boxes;
  bool is_stray = false;  // names elements that no receive contains
  point shift;
  gate before;
  event done;
  bool is_asked = false;
};

struct modelled_posting {
  std::uint64_t number = 0;
  std::uint32_t node = 0;
  box whole;
  std::vector<box> parts;
  blocks target;
  event target_ready;  // an event of the node that has made it
  bool is_on_device = false, is_posted = false;
  gate before;
  std::vector<event> done;
  std::vector<bool> is_seen;
  std::vector<modelled_push> pushes;

  bool is_failing(const modelled_push& p) const { return p.is_stray || p.before.is_poisoned; }
  bool expects(const box& part) const {
    return !before.is_poisoned && std::ranges::none_of(pushes, [&](const modelled_push& p) {
      return is_failing(p) && std::ranges::any_of(p.boxes, [&](const box& b) { return b.meets(part); });
    });
  }
};

class posted_trial {
  template <class F>
  auto attached(std::uint32_t node, F&& f) {
    const attached_thread on(*all_[node]);
    return f();
  }

 public:
  posted_trial(std::uint64_t seed, bool with_death)
      : random_(seed * 31 + with_death), with_death_(with_death), job_(network_of(seed)) {
    constexpr const char* kinds[] = {"sim:1(messages)", "sim:1(in_place)", "sim:1", "sim:1(exports)"};
    const test::with_variable devices("STRETTO_DEVICES", kinds[seed % 4]);
    const test::with_variable check("STRETTO_CHECK", seed % 5 == 0 ? "1" : "0");
    for (std::uint32_t n = 0; n < job_.nodes(); ++n)
      all_.push_back(std::make_unique<runtime>(
          runtime_options{.workers = 1 + n % 2, .seed = seed, .stepped = true, .job = job_.endpoint(n)}));
    dead_.assign(job_.nodes(), false);
  }
  ~posted_trial() {
    if (all_.empty()) return;  // a failed test must not hang
    for (std::uint32_t n = 0; n < job_.nodes(); ++n) job_.kill(n);
    end();
  }

  void run(int postings) {
    postings_.resize(static_cast<std::size_t>(postings));
    for (std::size_t i = 0; i < postings_.size(); ++i) make(i);
    std::ranges::shuffle(actions_, random_);
    for (std::size_t i = 0; i < actions_.size(); ++i) {
      actions_[i]();
      for (std::uint64_t s = random_() % 40; s-- > 0;) step();
      if (with_death_ && i == actions_.size() / 2) {
        const auto victim = static_cast<std::uint32_t>(random_() % job_.nodes());
        job_.kill(victim);
        dead_[victim] = true;
      }
    }
  }

  void check() {
    for (modelled_posting& p : postings_) {
      for (const event e : p.done)
        if (!dead_[p.node]) until_ended(p.node, e);
      for (const modelled_push& m : p.pushes)
        if (!dead_[m.asker]) until_ended(m.asker, m.done);
    }
    // Nothing is kept once all messages have arrived.
    for (std::uint32_t n = 0; n < job_.nodes(); ++n)
      if (!dead_[n])
        until([&] { return attached(n, [] { return test::remote_instances_here().posted_receives_kept() == 0; }); });
    if (with_death_) return end();
    for (modelled_posting& p : postings_) {
      for (std::size_t i = 0; i < p.done.size(); ++i) {
        const bool is_ok = attached(p.node, [&] { return p.done[i].result().ok(); });
        CHECK(is_ok == p.expects(p.parts[i]));
      }
      for (const modelled_push& m : p.pushes)
        if (m.is_asked) {
          const auto result = attached(m.asker, [&] { return m.done.result(); });
          if (!m.boxes.empty()) CHECK(result.ok() == !(p.is_failing(m) || p.before.is_poisoned));
        }
      check_elements(p);
    }
    end();
  }

 private:
  static simulated_network network_of(std::uint64_t seed) {
    std::mt19937_64 random(seed * 77);
    return {.nodes = static_cast<std::uint32_t>(2 + random() % 4),
            .seed = seed,
            .jitter_seconds = random() % 2 ? 1e-6 : 1e-4};
  }
  coordinate number(coordinate from, coordinate to) {
    return from + static_cast<coordinate>(random_() % static_cast<std::uint64_t>(to - from));
  }
  std::uint32_t some_node() { return static_cast<std::uint32_t>(random_() % job_.nodes()); }
  std::uint32_t node_but(std::uint32_t n) {
    return (n + 1 + static_cast<std::uint32_t>(random_() % (job_.nodes() - 1))) % job_.nodes();
  }
  void step() {
    all_[random_() % all_.size()]->step();
    if (random_() % 16 == 0) look();
  }
  template <class F>
  void until(F&& is_so) {
    for (std::uint64_t i = 0; !is_so(); ++i) {
      REQUIRE(i < 2'000'000);
      step();
    }
  }
  void until_ended(std::uint32_t node, event e) {
    until([&] { return attached(node, [&] { return e.has_triggered(); }); });
  }
  event issued(std::uint32_t node, event e) {
    issued_.emplace_back(node, e);
    return e;
  }

  /// Disjoint boxes whose union is `b`.
  void cut(const box& b, int deep, std::vector<box>& into) {
    const int axis = static_cast<int>(random_() % 3);
    if (deep == 0 || b.length(axis) < 2) {
      into.push_back(b);
      return;
    }
    point low = b.max(), high = b.min();
    low[axis] = high[axis] = number(b.min()[axis] + 1, b.max()[axis]);
    cut(box::between(b.min(), low), deep - 1, into);
    cut(box::between(high, b.max()), deep - 1, into);
  }

  gate some_gate(std::uint32_t of_node, unsigned one_in) {
    gate g;
    if (random_() % one_in != 0) return g;
    g.is_there = true;
    g.is_poisoned = random_() % 3 == 0;
    const std::uint32_t node = random_() % 2 ? of_node : some_node();
    g.is = attached(node, [] { return user_event::create(); });
    issued(node, g.is);
    actions_.push_back([this, g, node] {
      if (dead_[node]) return;
      const attached_thread on(*all_[node]);
      if (g.is_poisoned) g.is.poison(std::make_exception_ptr(std::runtime_error("nothing to send")));
      else g.is.trigger();
    });
    return g;
  }

  place memory_of(std::uint32_t node, bool on_device) {
    const auto& m = all_[node]->machine();
    return on_device ? m.places(place_kind::gpu_memory).front() : m.memories().front();
  }

  void make(std::size_t index) {
    modelled_posting& p = postings_[index];
    p.number = index + 1 + (random_() % 2 ? std::uint64_t{1} << 62 : 0);
    p.node = some_node();
    const int axes = static_cast<int>(1 + random_() % 3);
    point min, max(1, 1, 1);
    for (int a = 0; a < axes; ++a) {
      min[a] = number(-3, 4);
      max[a] = min[a] + number(1, 10);
    }
    p.whole = box::between(min, max);
    cut(p.whole, static_cast<int>(random_() % 4), p.parts);
    std::vector<box> gaps;
    for (std::size_t i = p.parts.size(); i-- > 0;)
      if (p.parts.size() > 1 && random_() % 8 == 0) {
        gaps.push_back(p.parts[i]);
        p.parts.erase(p.parts.begin() + static_cast<std::ptrdiff_t>(i));
      }
    if (random_() % 8 == 0) p.parts.emplace_back();  // an empty part
    p.is_seen.assign(p.parts.size(), false);

    // The target: made by this node or another, and often not ready yet.
    p.is_on_device = random_() % 3 == 0;
    instance_options how;
    const std::vector<std::int64_t> strided{700, 29, 1};
    if (random_() % 3 == 0) how.strides = strided;
    else if (random_() % 3 == 0) how.order = axis_order::fortran;
    if (random_() % 4 == 0) {
      const std::uint32_t creator = node_but(p.node);
      const attached_thread on(*all_[creator]);
      const auto made = blocks::create(at_node(p.node), at(memory_of(p.node, p.is_on_device)), p.whole, how);
      p.target = made.made;
      p.target_ready = issued(creator, fill(p.target, untouched, after(issued(creator, made.ready))));
    } else {
      const attached_thread on(*all_[p.node]);
      const auto made = blocks::create(at(memory_of(p.node, p.is_on_device)), p.whole, how);
      p.target = made.made;
      p.target_ready = issued(p.node, fill(p.target, untouched, after(made.ready)));
    }
    p.before = some_gate(p.node, 3);
    actions_.push_back([this, index] { post(postings_[index]); });

    // The pushes: other boxes, of some nodes.
    std::vector<box> cuts, sent;
    cut(p.whole, static_cast<int>(random_() % 5), cuts);
    for (const box& b : cuts) {
      std::vector<box> left{b}, next;
      for (const box& gap : gaps) {
        next.clear();
        for (const box& l : left) difference(l, gap, next);
        left = next;
      }
      sent.insert(sent.end(), left.begin(), left.end());
    }
    std::ranges::shuffle(sent, random_);
    while (!sent.empty() || random_() % 16 == 0) {
      modelled_push m;
      m.source_node = node_but(p.node);
      m.asker = random_() % 4 == 0 ? some_node() : m.source_node;
      for (std::uint64_t n = 1 + random_() % 4; n > 0 && !sent.empty(); --n) {
        m.boxes.push_back(sent.back());
        sent.pop_back();
      }
      for (int a = 0; a < axes; ++a) m.shift[a] = number(-5, 6);
      make_source(p, m);
      if (!gaps.empty() && !m.boxes.empty() && random_() % 6 == 0) {
        m.boxes.insert(m.boxes.begin() + number(0, static_cast<coordinate>(m.boxes.size()) + 1), gaps.front());
        m.is_stray = true;
      }
      m.before = some_gate(m.source_node, 4);
      p.pushes.push_back(std::move(m));
      actions_.push_back(
          [this, index, which = p.pushes.size() - 1] { push(postings_[index], postings_[index].pushes[which]); });
    }
  }

  void make_source(const modelled_posting& p, modelled_push& m) {
    const attached_thread on(*all_[m.source_node]);
    const blocks host = blocks::create(at(memory_of(m.source_node, false)), p.whole.shifted(m.shift)).made;
    auto v = host.view();
    for_each_point(p.whole, [&](const point& at) {
      const point there = at + m.shift;
      v(there[0], there[1], there[2]) = posted_value(p.number, at);
    });
    m.source = host;
    if (random_() % 4) return;
    m.source = blocks::create(at(memory_of(m.source_node, true)), p.whole.shifted(m.shift)).made;
    m.source_ready = issued(m.source_node, copy(host, m.source, after(m.source.ready())));
  }

  void post(modelled_posting& p) {
    if (dead_[p.node]) return;
    const attached_thread on(*all_[p.node]);
    p.is_posted = true;
    p.done = test::post(p.number, p.target, p.parts,
                        issued(p.node, p.before.is_there ? merge(p.target_ready, p.before.is) : p.target_ready));
  }
  void push(const modelled_posting& p, modelled_push& m) {
    if (dead_[m.asker]) return;
    const attached_thread on(*all_[m.asker]);
    m.is_asked = true;
    m.done =
        test::push(m.source, p.node, p.number, m.boxes,
                   issued(m.asker, m.before.is_there ? merge(m.source_ready, m.before.is) : m.source_ready), m.shift);
  }

  /// The elements of a part are written when its event has triggered, whether or not other parts have failed.
  void look() {
    for (modelled_posting& p : postings_) {
      if (p.is_on_device || dead_[p.node]) continue;
      const attached_thread on(*all_[p.node]);
      for (std::size_t i = 0; i < p.done.size(); ++i)
        if (!p.is_seen[i] && p.done[i].has_triggered()) {
          p.is_seen[i] = true;
          if (p.done[i].result().ok()) CHECK(wrong_in_part(p, p.target.view(), p.parts[i]) == 0);
        }
    }
  }
  template <class View>
  static int wrong_in_part(const modelled_posting& p, const View& v, const box& part) {
    int wrong = 0;
    for_each_point(part, [&](const point& at) { wrong += v(at[0], at[1], at[2]) != posted_value(p.number, at); });
    return wrong;
  }

  void check_elements(const modelled_posting& p) {
    blocks mine;
    event copied;
    {
      const attached_thread on(*all_[p.node]);
      mine = blocks::create(at(memory_of(p.node, false)), p.whole).made;
      std::vector<event> all{p.target_ready};
      for (const event e : p.done) all.push_back(ignore_failure(e));
      copied = copy(p.target, mine, after(std::span<const event>(all)));
    }
    until_ended(p.node, copied);
    const attached_thread on(*all_[p.node]);
    REQUIRE(copied.result().ok());
    const auto v = mine.view();
    std::uint64_t outside = p.whole.volume();
    for (const box& part : p.parts) {
      if (p.expects(part)) CHECK(wrong_in_part(p, v, part) == 0);
      outside -= part.volume();
    }
    std::uint64_t left = 0;
    for_each_point(p.whole, [&](const point& at) {
      if (std::ranges::none_of(p.parts, [&](const box& part) { return part.contains(at); }))
        left += v(at[0], at[1], at[2]) == untouched;
    });
    CHECK(left == outside);
  }

  void end() {
    for (auto& rt : all_) rt->leave();
    until([&] { return std::ranges::all_of(all_, [](const auto& rt) { return rt->is_job_over(); }); });
    for (modelled_posting& p : postings_) {
      for (const event e : p.done) issued(p.node, e);
      for (const modelled_push& m : p.pushes) issued(m.asker, m.done);
    }
    for (const auto& [node, e] : issued_) {  // observe failures, so that the runtimes do not report them
      const attached_thread on(*all_[node]);
      if (e.has_triggered()) static_cast<void>(e.result());
    }
    all_.clear();
  }

  std::mt19937_64 random_;
  const bool with_death_;
  simulated_job job_;
  std::vector<std::unique_ptr<runtime>> all_;
  std::vector<bool> dead_;
  std::vector<modelled_posting> postings_;
  std::vector<std::function<void()>> actions_;
  std::vector<std::pair<std::uint32_t, event>> issued_;  // on which node
};

TEST_CASE(
    "pushed elements arrive whether the push or the receive is first, and each side learns of failures of the other") {
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(150, 10'000); ++seed) {
    CAPTURE(seed);
    posted_trial t(seed, false);
    t.run(6);
    t.check();
  }
}

TEST_CASE("once a node is lost, every posted receive ends, and every push to one") {
  for (std::uint64_t seed = 1; seed <= test::scaled_of_one_thread<std::uint64_t>(150, 10'000); ++seed) {
    CAPTURE(seed);
    posted_trial t(seed, true);
    t.run(6);
    t.check();
  }
}

}  // namespace
}  // namespace stretto
