#include <stretto_mpi/communicator.hpp>

#include <cstring>

#include "engine.hpp"
#include "new_parts.hpp"

namespace stretto::mpi {

using detail::call_kind;

// All have come when the barrier has ended, so that nobody waits for long inside MPI.
future<window> communicator::allocate(std::size_t bytes, std::size_t unit, const call_tags& how) const {
  const auto all_here = ibarrier(how);
  return async(
      after(all_here), name(how.name.empty() ? "a window" : how.name),
      [self = *this, bytes, unit, where = how.where] {
        new_window made{static_cast<MPI_Aint>(bytes), static_cast<int>(unit)};
        self.engine_->post({.kind = call_kind::win_allocate, .comm = self.comm_, .in = {&made}}, call_tags(where))
            .get(where);
        std::memset(made.memory, 0, bytes);
        self.ibarrier(call_tags(where)).get(where);  // nobody writes before all are zero
        window w = self.on(made.is);
        w.memory_ = made.memory, w.bytes_ = bytes;
        return w;
      },
      how.where);
}

window communicator::on(MPI_Win opened) const {
  window w;
  w.engine_ = engine_, w.over_ = *this, w.is_ = opened;
  return w;
}

namespace {

/// On every process: what it has started is done, then it is seen by all.
template <class Last>
future<void> together(const collectives& all, const future<void>& flushed, const char* what, const call_tags& how,
                      Last&& last) {
  return async(
      after(flushed), name(how.name.empty() ? what : how.name),
      [all, where = how.where, last] {
        all.ibarrier(call_tags(where)).get(where);
        last(where);
      },
      how.where);
}

}  // namespace

future<void> window::ifence(const call_tags& how) const {
  return together(over_, iflush_all(how), "a fence", how, [self = *this](const std::source_location& where) {
    self.post({.kind = kind::win_sync}, call_tags(where)).get(where);
  });
}

future<void> window::ifree(const call_tags& how) {
  const window self = std::exchange(*this, {});
  return together(
      self.over_, self.iflush_all(how), "the end of a window", how,
      [self](const std::source_location& where) { self.post({.kind = kind::win_free}, call_tags(where)).get(where); });
}

}  // namespace stretto::mpi
