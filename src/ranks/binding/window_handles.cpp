#include "ranks/binding/window_handles.hpp"

namespace stretto::ranks {

rank_window& object_of(MPI_Win handle) {
  if (!is_predefined(handle)) return addressed<rank_window>(handle);
  throw call_error(error_class::window,
                   handle == MPI_WIN_NULL ? "the window is MPI_WIN_NULL" : "the handle is none of a window");
}

}  // namespace stretto::ranks
