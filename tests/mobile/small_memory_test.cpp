// A node that cannot allocate memory for an incoming message rejects only that message, also a small one.
#include <doctest/doctest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <stretto/error.hpp>
#include <stretto/mobile.hpp>
#include <stretto/remote.hpp>

#include <atomic>
#include <string>
#include <type_traits>
#include <utility>

#include "base/config.hpp"
#include "dist/simulated.hpp"
#include "mobile/random_migration.hpp"
#include "process_memory.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using namespace test;

/// While it lives, and after close(), this process gets at most `more` bytes beyond its memory at that time.
class little_memory {
 public:
  explicit little_memory(std::int64_t more) : more_(more) {
    getrlimit(RLIMIT_DATA, &before_);
    mallopt(M_MMAP_THRESHOLD, 1 << 20);  // large free blocks go back to the system
  }
  little_memory(const little_memory&) = delete;
  ~little_memory() { open(); }
  void close() const {
    rlimit now = before_;
    now.rlim_cur = process_memory("VmData:") + static_cast<std::uint64_t>(more_);
    setrlimit(RLIMIT_DATA, &now);
  }
  void open() const { setrlimit(RLIMIT_DATA, &before_); }

 private:
  const std::int64_t more_;
  rlimit before_;
};
std::atomic<const little_memory*> closes{nullptr};

constexpr std::size_t some = std::size_t{12} << 20;

/// Memory is short once it has been written.
struct load {
  std::string content;
  template <class Archive>
  friend void fields(Archive& a, archived<load, Archive>& l) {
    a(l.content);
    if constexpr (std::is_same_v<Archive, field_writer>)
      if (const little_memory* const m = closes.exchange(nullptr)) m->close();
  }
};
struct store {
  load kept;
  int taken = 0;
  std::size_t take(const load& l) {
    ++taken;
    return l.content.size();
  }
  void fill(std::size_t bytes) { kept.content.assign(bytes, 'k'); }
  int count() const { return taken; }
  std::size_t size() const { return kept.content.size(); }
  std::uint32_t where() const { return this_node(); }
  template <class Archive>
  friend void fields(Archive& a, archived<store, Archive>& s) {
    a(s.taken, s.kept);
  }
};
load give(std::size_t bytes) { return {std::string(bytes, 'g')}; }

TEST_CASE("a message, a reply and a migration below 16 MiB fail alone if a node lacks memory") {
  if (migrates_at_random() || base::address_sanitizer || base::thread_sanitizer) return;
  if (mallinfo2().fordblks > some / 2) {
    MESSAGE("not tested: tests before this have left memory that the system need not be asked for");
    return;
  }
  on_all_nodes({.nodes = 2, .seed = 7}, 1, [](runtime&) {
    if (this_node() != 0) return;
    constexpr std::int64_t mebibyte = 1 << 20;
    const auto there = make_mobile<store>(at_node(1), name("a store"));
    load mine{std::string(some, 'l')};
    const auto fails_with = [&](const char* code, std::int64_t more, auto&& what) {
      const little_memory memory(more);
      closes = &memory;
      auto f = what();
      const std::string said = thrown_by([&] { f.get(); });
      memory.open();
      CAPTURE(said);
      CHECK(closes == nullptr);
      CHECK(said.find(code) != std::string::npos);
    };
    send(there, call<&store::take>(load{"small"}));
    // The bytes that were written are dropped, which frees as much memory.
    fails_with("N18", -mebibyte, [&] { return send(there, call<&store::take>(mine)); });
    CHECK(send(there, call<&store::take>(mine)).get() == some);
    CHECK(send(there, call<&store::count>()).get() == 2);
    mine.content = {};
    fails_with("N18", -mebibyte, [&] { return async(at_node(1), call<&give>(some)); });
    CHECK(async(at_node(1), call<&give>(some)).get().content.size() == some);
    send(there, call<&store::fill>(some)).get();
    fails_with("bad_alloc", 3 * mebibyte, [&] { return migrate(there, at_node(0)); });
    CHECK(send(there, call<&store::where>()).get() == 1);
    migrate(there, at_node(0)).get();
    CHECK(send(there, call<&store::where>()).get() == 0);
    CHECK(send(there, call<&store::size>()).get() == some);
  });
}

}  // namespace
}  // namespace stretto
