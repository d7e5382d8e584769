// collective_tags.hpp - the tags of the collectives of one communicator.
//
// All ranks begin the collectives of a communicator in one order, so they count alike. A persistent collective takes
// its tag when it is made.
//
// Threads     one thread of the rank at a time.
#pragma once

#include <cstdint>

namespace stretto::ranks {

class collective_tags {
 public:
  int next() { return static_cast<int>(next_++ & 0x3fff'ffff); }

 private:
  std::uint32_t next_ = 0;
};

}  // namespace stretto::ranks
