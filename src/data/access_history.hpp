// access_history.hpp - what was done to the elements of one instance, as far as later accesses may conflict with it.
//
// Threads     one at a time.
// Memory      at most `most_accesses` accesses; the oldest are forgotten first.
// Cost        a look at each access that is kept. Few are: one that a later access of at least its boxes and strength
//             follows is dropped, since whatever conflicts with it unordered conflicts with the later one too.
// Source      the last writer and the readers since, per location: Flanagan, Freund, "FastTrack", PLDI 2009; here for boxes.
#pragma once

#include <source_location>
#include <vector>

#include "data/happens_before.hpp"
#include "geometry/region.hpp"

namespace stretto::data {

/// `scatter` writes what it writes element by element: two of them may share a box. So may two that `update` by the same operator, since
/// reductions take turns.
enum class access_kind : std::uint8_t { read, write, scatter, update };

struct element_access {
  box where;
  access_kind kind = access_kind::read;
  const void* updated_by = nullptr;  // the operator of an update
  happens_before::epoch when;
  const char* verb = nullptr;
  std::source_location line;
};

class access_history {
 public:
  static constexpr std::size_t most_accesses = 1024, most_unwritten = 64;

  explicit access_history(const box& whole) : unwritten_(whole) {}

  /// The access that conflicts with `now` and is not before it, if there is one. `order` is about the same operation.
  const element_access* conflict(const element_access& now, const happens_before& order) const;
  void add(const element_access& now, const happens_before& order);
  /// Something of which it is not known what it follows: what was done before is not looked at any more.
  void forget(const box& where);

  /// The elements of the box that nothing has written; none if the program itself may write.
  region unwritten(const box& where) const;
  void written(const box& where);
  /// The program reads and writes the elements itself from now on, which is not seen.
  void open() noexcept { unwritten_ = {}; }

  std::size_t size() const noexcept { return kept_.size(); }

 private:
  void retire(const element_access& now, const happens_before& order);

  std::vector<element_access> kept_;
  std::vector<element_access> rest_;  // parts of those that are partly overwritten; empty between calls
  std::vector<box> pieces_;
  region unwritten_;
};

}  // namespace stretto::data
