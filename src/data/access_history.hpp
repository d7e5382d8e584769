// access_history.hpp - past accesses to the elements of one instance, as far as later accesses may conflict with them.
//
// Threads     one at a time.
// Memory      at most `most_accesses` accesses; the oldest are dropped first.
// Cost        one check per kept access. Few are kept: an access is dropped when one that covers its boxes, is at least
//             as strong and is ordered after it follows. Anything unordered with the former would also conflict with
//             the latter.
// Source      the last writer and the readers since, per location: Flanagan, Freund, "FastTrack", PLDI 2009; here for
//             boxes.
#pragma once

#include <source_location>
#include <vector>

#include "data/happens_before.hpp"
#include "geometry/region.hpp"

namespace stretto::data {

/// Two accesses of kind `scatter` may share a box, since they write element by element. So may two of kind `update` by
/// the same operator, since reductions exclude one another.
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

  /// The access that conflicts with `now` and is not ordered before it, or null. `order` must be positioned at the same
  /// operation.
  const element_access* conflict(const element_access& now, const happens_before& order) const;
  void add(const element_access& now, const happens_before& order);
  /// After an access of unknown order: earlier accesses to the box are no longer checked.
  void forget(const box& where);

  /// The elements of the box that nothing has written; none once the program may write directly.
  region unwritten(const box& where) const;
  void written(const box& where);
  /// From now on the program may read and write the elements directly, which is not visible.
  void open() noexcept { unwritten_ = {}; }

  std::size_t size() const noexcept { return kept_.size(); }

 private:
  void retire(const element_access& now, const happens_before& order);

  std::vector<element_access> kept_;
  std::vector<element_access> rest_;  // scratch: the rest of accesses that are partly overwritten
  std::vector<box> pieces_;
  region unwritten_;
};

}  // namespace stretto::data
