// async_copy.hpp - bytes from an address at one place to an address at another, deferred, by whatever way there is.
//
// Threads     any thread of the runtime.
// Memory      what was copied is visible once the event has triggered. The bytes are read at some time after the
//             preconditions, and both ends stay valid until then.
// Cost        between host places, nothing to wait for, up to 16 KiB: a memcpy in the call and 20 ns. Else as copy().
// Invariants  (1) if a precondition is poisoned nothing is written. (2) what the call can know to be wrong is thrown
//             there: D11, D12, D20.
// Source      HiPER's async_copy(place, pointer, place, pointer, bytes), with the same order of parameters.
#pragma once

#include <stretto/instance.hpp>

#include <cstddef>

STRETTO_API_BEGIN

namespace stretto {

/// Copies `bytes` from `source` at `from` to `target` at `to`; the ranges do not overlap.
///
///   to, from  places of this runtime. Host memories, caches and processors stand for memory that the processor
///             addresses, and so does place{}; what an address means at other places, their module says
///   throws    D12 if no registered channels lead from one place to the other; D20 for a place of another platform; D11
///             for ranges that overlap
///   returns   happens when the bytes are there; the default event if they are already
///
/// Without a direct channel the bytes go through host memory in pieces, several at a time under way; platform::route of
/// this_machine() says which way.
///
///     event read = async_copy(numa_0, buffer, disk, file.at(4096), 65536);
///     event back = async_copy(disk, file.at(0), numa_0, buffer, 65536, after(read));
event async_copy(place to, void* target, place from, const void* source, std::size_t bytes,
                 const preconditions& after = {}, std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
