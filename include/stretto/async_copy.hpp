// async_copy.hpp - an asynchronous memcpy between the memories of two places.
//
//     void read_and_write_back(place disk, void* first_block, void* second_block) {  // addresses of the disk's module
//       std::vector<char> block(65536);
//       const place host = this_machine().nearest(this_machine().home(0), place_kind::system_memory).value();
//       event read = async_copy(host, block.data(), disk, first_block, block.size());
//       event written = async_copy(disk, second_block, host, block.data(), block.size(), after(read));
//       wait(written);
//     }
//
// Threads     any thread of the runtime.
// Memory      the copied bytes are visible once the event has triggered. The source is read at some time after the
//             preconditions; both ranges must stay valid until the event has triggered.
// Cost        up to 16 KiB between host places with no pending precondition: a memcpy in the call and 20 ns. Otherwise
//             the cost of copy().
// Invariants  (1) if a precondition is poisoned, nothing is written. (2) the call throws D11, D12 and D20 itself; later
//             failures poison the event.
// Source      HiPER's async_copy(place, pointer, place, pointer, bytes), with the same order of parameters.
#pragma once

#include <stretto/instance.hpp>

#include <cstddef>

STRETTO_API_BEGIN

namespace stretto {

/// Copies `bytes` bytes from address `source` of place `from` to address `target` of place `to`. The ranges must not
/// overlap.
///
///   to, from  places of this runtime. place{} and host memories, caches and processors stand for memory that the
///             processor addresses. The module of any other place defines its addresses
///   after     after(...), profile(into) or both
///   returns   an event that triggers when the bytes are there; the default event if they already are
///   throws    B20 on a thread of no runtime; D12 if no registered channels lead from one place to the other; D20 for a
///             place of another platform; D11 for ranges that overlap
///
/// Without a direct channel, the bytes go through host memory in pieces, several of them at a time.
/// this_machine().route(from, to) returns the route.
event async_copy(place to, void* target, place from, const void* source, std::size_t bytes,
                 const preconditions& after = {}, std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
