// window_handles.hpp - from handles of windows to windows.
//
// Threads     any thread of a rank.
// Errors      call_error(window).
#pragma once

#include "ranks/binding/handles.hpp"
#include "ranks/windows/rank_window.hpp"

namespace stretto::ranks {

rank_window& object_of(MPI_Win handle);

}  // namespace stretto::ranks
