// launch_cache.hpp - tasks of launches that come again: made once, and by their shapes known to the graphs.
//
// Threads     one owner. The pipeline shares ownership of the launches that were handed over to it.
// Cost        a hash of what the launch says and a comparison; a new one costs its task.
// Memory      256 tasks. Only those are kept whose mappers are values, or functions without captures: what a function owns goes with it.
#pragma once

#include <stretto/buffer.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "buffers/call_history.hpp"
#include "buffers/instruction_executor.hpp"
#include "buffers/mapper_learner.hpp"
#include "graph/task.hpp"

namespace stretto::buffers {

/// What a launch says, but for values: equal launches say equal words.
class launch_key {
 public:
  void clear() { fields_.clear(), is_cacheable_ = true, has_functions_ = false; }
  void add(std::uint64_t w) { fields_.push_back(w); }
  void add(const void* p) { add(reinterpret_cast<std::uintptr_t>(p)); }
  void add(const box& b) { add(b.min()), add(b.max()); }
  void add(const point& p) {
    for (int a = 0; a < max_axes; ++a) add(static_cast<std::uint64_t>(p[a]));
  }
  void add(const detail::range_mapper& m);
  /// One of its functions may own something.
  bool is_cacheable() const noexcept { return is_cacheable_; }
  /// One of its mappers is a function of the program's own.
  bool has_functions() const noexcept { return has_functions_; }
  std::uint64_t hash() const noexcept;
  const std::vector<std::uint64_t>& all() const noexcept { return fields_; }

 private:
  std::vector<std::uint64_t> fields_;
  bool is_cacheable_ = true, has_functions_ = false;
};

struct cached_launch {
  graph::task task;
  std::vector<launch_argument> arguments;  // values are those of the launch before
  std::vector<const detail::reduction_kind*> folds;
  std::shared_ptr<const call_signature> call;  // for other nodes; null where nobody compares
  std::vector<mapper_learner::argument> learned;  // where that is done: of accesses, what they were given
  bool are_uses_checked = false;  // what its items use (use_checks.hpp)
  // By who hands launches over.
  bool is_never_refused = false;           // no cut of it can be refused: B04, B05, B06 and B24 are impossible
  std::uint64_t checked_in_epoch = 0;  // it was found right when this was what `rights` says
  std::uint32_t submission_ns = 0;        // ns, of taking it into the graphs; read meanwhile
  std::uint32_t submissions = 0;        // it was taken there
};

class launch_cache {
 public:
  /// The launch that says this; make(cached_launch&) fills in a new one.
  template <class Make>
  const std::shared_ptr<cached_launch>& find(const launch_key& key, std::string_view name, Make make) {
    if (entries_.empty()) entries_.resize(1 + most);
    entry& e = entries_[key.is_cacheable() ? 1 + key.hash() % most : 0];
    if (e.is_of(key, name)) return e.is;
    auto made = std::make_shared<cached_launch>();
    make(*made);
    e.is = std::move(made);
    if (!key.is_cacheable()) return e.is;
    e.key = key.all();
    e.is->task.shape = ++last_shape_;
    return e.is;
  }
  /// The same if it is kept already, else null.
  std::shared_ptr<cached_launch> find_cached(const launch_key& key, std::string_view name) const {
    if (entries_.empty() || !key.is_cacheable()) return nullptr;
    const entry& e = entries_[1 + key.hash() % most];
    return e.is_of(key, name) ? e.is : nullptr;
  }
  /// What is not kept has been submitted, or refused, when this ends.
  class uncached_scope {
   public:
    explicit uncached_scope(launch_cache& of) noexcept : of_(of) {}
    ~uncached_scope() {
      of_.entries_[0].is.reset();
    }
    uncached_scope(const uncached_scope&) = delete;
    uncached_scope& operator=(const uncached_scope&) = delete;

   private:
    launch_cache& of_;
  };

 private:
  static constexpr std::size_t most = 256;
  struct entry {
    std::vector<std::uint64_t> key;
    std::shared_ptr<cached_launch> is;  // null: there is none

    bool is_of(const launch_key& k, std::string_view name) const {
      return is && is->task.shape != 0 && key == k.all() && is->task.name == name;
    }
  };
  std::vector<entry> entries_;  // the first for what is not kept
  std::uint64_t last_shape_ = 0;
};

}  // namespace stretto::buffers
