// launch_cache.hpp - cache of the tasks of repeated launches. Each has a number, its task's `shape`, by which the
// graphs recognise it.
//
// Threads     one owner. The pipeline shares ownership of enqueued launches.
// Cost        a hash of the key and a comparison; a new launch costs building its task.
// Memory      256 tasks. A launch is cached only if its mappers are values or functions without captures: a cached
//             function would keep alive what it owns.
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

/// The encoded fields of a launch, except values: equal launches have equal keys.
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
  /// False if a mapper may own objects.
  bool is_cacheable() const noexcept { return is_cacheable_; }
  /// True if a mapper is a custom function of the program.
  bool has_functions() const noexcept { return has_functions_; }
  std::uint64_t hash() const noexcept;
  const std::vector<std::uint64_t>& all() const noexcept { return fields_; }

 private:
  std::vector<std::uint64_t> fields_;
  bool is_cacheable_ = true, has_functions_ = false;
};

struct cached_launch {
  graph::task task;
  std::vector<launch_argument> arguments;  // the values are those of the last launch
  std::vector<const detail::reduction_kind*> folds;
  std::shared_ptr<const call_signature> call;     // for comparison between nodes; null if there is none
  std::vector<mapper_learner::argument> learned;  // in learn mode: the mappers given for the accesses
  bool are_uses_checked = false;                  // the checks of use_checks.hpp have passed
  // For the pipeline.
  bool is_never_refused = false;       // no division of it can fail with B04, B05, B06 or B24
  std::uint64_t checked_in_epoch = 0;  // the check_epoch in which its checks have passed
  std::uint32_t submission_ns = 0;     // submission time; read concurrently
  std::uint32_t submissions = 0;       // number of submissions
};

class launch_cache {
 public:
  /// Returns the launch with this key; make(cached_launch&) fills in a new one.
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
  /// The cached launch with this key, or null.
  std::shared_ptr<cached_launch> find_cached(const launch_key& key, std::string_view name) const {
    if (entries_.empty() || !key.is_cacheable()) return nullptr;
    const entry& e = entries_[1 + key.hash() % most];
    return e.is_of(key, name) ? e.is : nullptr;
  }
  /// Drops a launch that is not cacheable at the end of the call that submits it.
  class uncached_scope {
   public:
    explicit uncached_scope(launch_cache& of) noexcept : of_(of) {}
    ~uncached_scope() { of_.entries_[0].is.reset(); }
    uncached_scope(const uncached_scope&) = delete;
    uncached_scope& operator=(const uncached_scope&) = delete;

   private:
    launch_cache& of_;
  };

 private:
  static constexpr std::size_t most = 256;
  struct entry {
    std::vector<std::uint64_t> key;
    std::shared_ptr<cached_launch> is;  // null: empty

    bool is_of(const launch_key& k, std::string_view name) const {
      return is && is->task.shape != 0 && key == k.all() && is->task.name == name;
    }
  };
  std::vector<entry> entries_;  // the first entry is for launches that are not cacheable
  std::uint64_t last_shape_ = 0;
};

}  // namespace stretto::buffers
