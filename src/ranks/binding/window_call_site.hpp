// window_call_site.hpp - the parts by which a call of a program creates a window.
//
// Threads     one thread of each rank concerned.
#pragma once

#include <functional>

#include "ranks/binding/creation.hpp"
#include "ranks/windows/window_creation.hpp"

namespace stretto::ranks {

/// Lives as long as the creation.
class window_call_site {
 public:
  explicit window_call_site(communicator& parent) : over_(creation_over(parent)) {}

  window_site site() {
    return {over_.site(), current_rank().node_of, caller().combining(), caller().messages(), reach_};
  }

 private:
  creation over_;
  const std::function<peer(world_rank)> reach_ = [](world_rank rank) { return caller().node().reach(rank); };
};

}  // namespace stretto::ranks
