// crash_report.hpp - names the rank, the function and the place in the file where a program crashes, then lets the
// signal end the process. Also the end of a rank by an exception that nothing catches.
//
// Threads     the handler runs on the thread that crashes, on a stack of its own where use_alternate_stack() gave one.
#pragma once

namespace stretto::ranks {

/// Handles SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT where the process has no handler, and uncaught exceptions.
void install_crash_reports();
/// Gives the calling thread a stack for the handler, so that it also runs when a stack overflows.
void use_alternate_stack();

}  // namespace stretto::ranks
