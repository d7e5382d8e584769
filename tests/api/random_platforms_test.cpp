// random_platforms_test.cpp - every platform file that is accepted runs every floor, or the runtime refuses it when it
// starts.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <stretto/buffer_checkpoint.hpp>
#include <stretto/copy.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/reduce.hpp>
#include <stretto/reservation.hpp>
#include <stretto/stretto.hpp>

#include "campaign.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

using namespace stretto;

namespace {

/// Draws parts of platform files: often the usual ones, sometimes what nobody would write.
class random_file {
 public:
  explicit random_file(std::uint32_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  template <class T, std::size_t N>
  T one_of(const T (&all)[N]) {
    return all[below(N)];
  }

  /// The text of a locality graph, which may be one that is refused.
  std::string text() {
    draw_places();
    std::string all = "{\"nworkers\": " + std::to_string(below(20) ? 1 + below(4) : 17);
    std::string list;
    for (std::size_t p = 0; p < names_.size(); ++p) list += (p ? ", " : "") + declaration(p);
    all += ", \"declarations\": [" + list + "]";
    if (names_.size() > 1 || below(2)) all += ", \"reachability\": [" + links() + "]";
    if (const std::string paths = paths_of(1, "climb"); !paths.empty()) all += ", \"pop_paths\": {" + paths + "}";
    if (const std::string paths = paths_of(0, "nearest"); !paths.empty()) all += ", \"steal_paths\": {" + paths + "}";
    return all + "}";
  }

 private:
  void draw_places() {
    // Names from which kinds follow, and those that the runtime gives to places of its own.
    static constexpr const char* stems[] = {"sysmem",       "core_0",
                                            "core_1",       "L1_0",
                                            "L2_0",         "L3_0",
                                            "numa_0",       "numa_1",
                                            "package_0",    "pinned",
                                            "GPU0",         "GPU_mem",
                                            "Interconnect", "storage",
                                            "disk",         "host memory",
                                            "spill",        "global_memory",
                                            "sim_0",        "sim_0_memory",
                                            "sim_1",        "sim_0_host_memory",
                                            "\xC3\xA4"};
    names_.clear();
    for (std::uint32_t left = 1 + below(below(3) ? 4 : 9); left > 0; --left) {
      const std::string name = one_of(stems);
      if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
    }
  }
  std::string declaration(std::size_t p) {
    static constexpr const char* sizes[] = {"0",       "1",        "4095",          "65536",
                                            "1048577", "16777216", "1099511627776", "18446744073709551615"};
    if (below(3) == 0) return '"' + names_[p] + '"';
    std::string about = "{\"name\": \"" + names_[p] + "\"";
    if (below(2)) {
      const auto kind = static_cast<place_kind>(below(static_cast<unsigned>(place_kind_count)));
      about += ", \"kind\": \"" + std::string(to_string(kind)) + "\"";
    }
    if (below(3) == 0) about += std::string(", \"capacity_bytes\": ") + one_of(sizes);
    if (below(4) == 0) about += ", \"cpus\": \"0-" + std::to_string(below(70)) + "\"";
    if (below(4) == 0) about += ", \"device_index\": " + std::to_string(below(3) ? below(4) : 4294967295u);
    if (below(4) == 0) about += std::string(", \"bandwidth_bytes_per_second\": ") + (below(2) ? "0" : "1e300");
    if (below(4) == 0) about += std::string(", \"latency_seconds\": ") + (below(2) ? "0" : "1e300");
    return about + "}";
  }
  std::string links() {
    std::string all;
    for (std::uint32_t p = 1; p < names_.size(); ++p)
      if (below(8)) all += (all.empty() ? "[\"" : ", [\"") + names_[p] + "\", \"" + names_[below(p)] + "\"]";
    return all;
  }
  std::string path(std::size_t least) {
    std::vector<std::string> steps = names_;
    std::shuffle(steps.begin(), steps.end(), random_);
    steps.resize(std::min(steps.size(), least + below(static_cast<std::uint32_t>(steps.size() + 1 - least))));
    std::string list;
    for (const std::string& s : steps) list += (list.empty() ? "\"" : ", \"") + s + '"';
    return '[' + list + ']';
  }
  /// Empty: the table is left out.
  std::string paths_of(std::size_t least, const char* rule) {
    const std::uint32_t which = below(4);
    if (which == 0) return {};
    std::string all = "\"default\": " + (which == 1 ? '"' + std::string(rule) + '"' : path(least));
    if (below(4) == 0) all += ", \"0\": " + path(least);
    return all;
  }

  std::mt19937 random_;
  std::vector<std::string> names_;
};

STRETTO_KERNEL(raised_on_any_platform, (inout<int> x, int by), { x(global_id(0)) += by; })

struct visited {
  int visits = 0;
  int visit(int n) { return visits += n; }
  template <class Archive>
  friend void fields(Archive& a, archived<visited, Archive>& v) {
    a(v.visits);
  }
};

constexpr coordinate elements = 100;

int leaves(int depth) {
  if (depth == 0) return 1;
  auto left = async([=] { return leaves(depth - 1); });
  const int right = leaves(depth - 1);
  return left.get() + right;
}

void run_tasks(runtime& rt) {
  CHECK(leaves(6) == 64);
  std::atomic<std::uint64_t> sum = 0;
  forasync(box(0, 1000), [&](coordinate i) { sum += static_cast<std::uint64_t>(i); }).get();
  CHECK(sum == 499'500);
  for (const place p : rt.machine().places()) {
    CAPTURE(rt.machine().name(p));
    if (rt.machine().is_served(p)) CHECK(async(at(p), [] { return 7; }).get() == 7);
    else CHECK(test::error_of([&] { async(at(p), [] {}); }).code() == "S02");
  }
}

void use_events() {
  const user_event go = user_event::create();
  const reservation r = reservation::create();
  const event held = r.acquire(go);
  int seen = 0;
  const auto first = async(after(held), [&] { seen += 1; });
  const event released = r.release(first);
  const event next = r.acquire(held);
  go.trigger();
  wait(next);
  CHECK(seen == 1);
  wait(released);  // the grant may trigger before it
  r.release();
}

/// Whether the file gives the memory, or leaves it, enough for everything here.
bool is_of_any_size(const platform& m, place memory) {
  const std::uint64_t said = m.about(memory).capacity_bytes.value_or(0);
  return said == 0 || said >= (1u << 20);
}

bool is_of_host(place_kind k) {
  return k == place_kind::numa || k == place_kind::system_memory || k == place_kind::pinned_memory;
}

/// Memory of which nothing more is known than a file's word holds no instances, which is said (D04); a small one may be
/// full (D03).
std::optional<instance<int>> made_in(const platform& m, place memory) {
  try {
    const auto [made, ready] = instance<int>::create(at(memory), box(0, elements));
    wait(ready);
    return made;
  } catch (const error& e) {
    const std::string code = e.code() == "E10" || e.code() == "D03" ? "D03" : e.code();
    CHECK((code == "D04" || code == "D03"));
    CHECK_FALSE((is_of_host(m.kind(memory)) && is_of_any_size(m, memory)));
    return {};
  }
}

void copy_everywhere(runtime& rt) {
  std::vector<instance<int>> all;
  for (const place p : rt.machine().memories()) {
    CAPTURE(rt.machine().name(p));
    if (auto made = made_in(rt.machine(), p)) all.push_back(*made);
  }
  for (std::size_t from = 0; from < all.size(); ++from)
    for (std::size_t to = 0; to < all.size(); ++to) {
      CAPTURE(rt.machine().name(all[from].memory()));
      CAPTURE(rt.machine().name(all[to].memory()));
      const int value = static_cast<int>(100 * from + to);
      wait(fill(all[from], value));
      if (from != to) wait(copy(all[from], all[to]));
      const place seen_at = all[to].memory();
      if (is_of_host(rt.machine().kind(seen_at))) CHECK(all[to].view()(elements - 1) == value);
    }
  for (const instance<int>& i : all) i.destroy();
}

void reduce_something(place memory) {
  const auto sums = reduction_instance<sum<long>>::create(at(memory), box(0, elements));
  {
    auto c = sums.contribute();
    for (coordinate i = 0; i < 10 * elements; ++i) c(i % elements) << i;
  }
  const auto [found, ready] = instance<long>::create(at(memory), box(0, elements));
  wait(fill(found, 1L, after(ready)));
  wait(reduce(sums, found));
  CHECK(found.view()(3) == 1 + 10 * 3 + 4500);
  wait(sums.destroy()), wait(found.destroy());
}

void use_objects() {
  const std::vector<int> ones(elements, 1);
  object<int> o(box(0, elements), ones.data());
  for (int round = 0; round < 3; ++round) launch(raised_on_any_platform, box(0, elements), o, round);
  CHECK(o.read().get().view()(7) == 4);
}

void use_buffers(const std::filesystem::path& folder) {
  buffer<int> b(box(0, elements), [](coordinate i) { return static_cast<int>(i); }, {.name = "b"});
  for (int round = 0; round < 3; ++round) launch(raised_on_any_platform, box(0, elements), b(one_to_one), 10);
  {
    buffer_checkpoint saved((folder / "run.ckpt").string());
    saved.keep("b", b);
    saved.save().get();
  }
  launch(raised_on_any_platform, box(0, elements), b(one_to_one), 1000);
  CHECK(b.read().get().view()(elements - 1) == 1129);
  buffer<int> again;
  buffer_checkpoint saved((folder / "run.ckpt").string());
  saved.keep("b", again);
  CHECK(saved.restore());
  CHECK(again.read().get().view()(elements - 1) == 129);
}

void visit_mobile_object() {
  const auto m = make_mobile<visited>();
  CHECK(send(m, call<&visited::visit>(3)).get() == 3);
  CHECK(send(m, call<&visited::visit>(4)).get() == 7);
  destroy(m).get();
}

struct tally {
  int refused_files = 0, refused_at_start = 0, ran = 0, full = 0;
};

/// An error of a small memory, or what it skips: the file said how small it is.
bool says_full(const error& e) {
  const std::string text = e.what();
  return std::ranges::any_of(std::initializer_list<const char*>{"D03", "D12", "D16", "A04"},
                             [&](const char* code) { return text.find(std::string("error ") + code) != text.npos; });
}

void use_every_floor(runtime& rt, const std::filesystem::path& folder, tally& seen) {
  const platform& m = rt.machine();
  const auto memories = m.memories();
  const bool all_fit = std::ranges::all_of(memories, [&](place p) { return is_of_any_size(m, p); });
  const auto main = std::ranges::find_if(memories, [&](place p) {
    return m.kind(p) == place_kind::numa || (m.kind(p) == place_kind::system_memory && m.name(p) != "spill");
  });
  REQUIRE(main != memories.end());
  rt.run([&] { run_tasks(rt), use_events(); });
  const auto may_be_full = [&](const std::function<void()>& use) {
    try {
      rt.run(use);
    } catch (const error& e) {
      INFO(std::string(e.what()));
      CHECK(says_full(e));
      CHECK_FALSE(all_fit);
      ++seen.full;
    }
  };
  may_be_full([&] { copy_everywhere(rt); });
  may_be_full([&] { reduce_something(*main); });
  may_be_full([] { use_objects(); });
  may_be_full([&] { use_buffers(folder); });
  may_be_full([] { visit_mobile_object(); });
}

/// Codes of what is said of a platform file, or of places that the runtime adds to it.
bool is_of_platform(const error& e) { return e.code().starts_with('P'); }

void try_file(std::uint32_t seed, tally& seen) {
  random_file draw(seed);
  const std::string text = draw.text();
  CAPTURE(seed);
  CAPTURE(text);
  std::optional<platform> machine;
  try {
    machine = platform::parse(text, "random.json");
  } catch (const error& e) {
    CHECK(is_of_platform(e));
    ++seen.refused_files;
    return;
  }
  const std::string devices = draw.one_of<const char*>({"none", "sim:1", "sim:2", "sim:3"});
  CAPTURE(devices);
  const test::temporary_folder folder;
  const test::with_variable shared("STRETTO_DEVICE_HOST_MEMORY", draw.below(3) ? "0" : "4M"),
      memory("STRETTO_DEVICE_MEMORY", "16M"), global("STRETTO_GLOBAL_MEMORY", draw.below(3) ? "0" : "1M"),
      spill("STRETTO_SPILL", draw.below(3) ? "" : folder.path.c_str());
  std::unique_ptr<runtime> rt;
  try {
    rt = std::make_unique<runtime>(
        runtime_options{.machine = std::make_shared<const platform>(*machine), .devices = devices});
  } catch (const error& e) {
    INFO(std::string(e.what()));
    CHECK(is_of_platform(e));
    ++seen.refused_at_start;
    return;
  }
  use_every_floor(*rt, folder.path, seen);
  ++seen.ran;
}

}  // namespace

TEST_CASE("a platform file that is accepted runs every floor, or is refused when the runtime starts") {
  tally seen;
  const std::uint32_t seeds = test::scaled(60u, 20'000u);
  for (std::uint32_t seed = 0; seed < seeds; ++seed) try_file(seed, seen);
  CHECK(seen.ran > static_cast<int>(seeds / 4));
}
