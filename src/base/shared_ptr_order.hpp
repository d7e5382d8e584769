// shared_ptr_order.hpp - announces to the program's ThreadSanitizer what the counts of std::shared_ptr order.
//
// The library's atomics are not seen (sanitizers.hpp): the last owner would seem to free memory that another one still
// uses. libstdc++ asks for two macros around each count. They must be there before its first header, so the build
// includes this file ahead of all others, in the library alone: the program's own counts are seen.
//
// Threads     any.
// Cost        as sanitizers.hpp: a load and a predicted branch for each macro.
// Source      libstdc++ manual, chapter 3, "Debugging Support", section "Data Race Hunting".
#pragma once

#define _GLIBCXX_SYNCHRONIZATION_HAPPENS_BEFORE(A) ::stretto::base::announce_release(A)
#define _GLIBCXX_SYNCHRONIZATION_HAPPENS_AFTER(A) ::stretto::base::announce_acquire(A)

#include "base/sanitizers.hpp"
