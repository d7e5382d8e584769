// layout_copy.hpp - copies data from one layout to another without packing it in between.
//
// Threads     the caller's; parts of one copy may run on several threads, each with cursors of its own.
// Cost        contiguous data: one memcpy. Blocks of one length: a loop like one written by hand.
#pragma once

#include <cstdint>

#include "ranks/datatypes/layout_cursor.hpp"

namespace stretto::ranks {

/// Copies data from where `from` stands to where `to` stands and moves both behind it: `most` bytes, or all that both
/// have left. Returns how many bytes that was. The memory of the two may not overlap.
std::int64_t copy_data(layout_cursor& to, layout_cursor& from, std::int64_t most);

class device_copies;
/// Leaves the copy to the drivers of devices. Both sides have `bytes` bytes left.
void add_copies(device_copies& all, layout_cursor& to, layout_cursor& from, std::int64_t bytes);

}  // namespace stretto::ranks
