// run_program.hpp - runs a program with one rank per copy: for now each on a thread of its own, without messages.
//
// Threads     the main thread of a launcher calls it once.
#pragma once

namespace stretto::ranks {

/// Runs STRETTO_RANKS copies, or as many as there are cores. Returns the first code other than 0, in order of ranks.
int run_program(const char* file, int argc, char** argv);

}  // namespace stretto::ranks

extern "C" [[gnu::visibility("default")]] int stretto_run_program(const char* file, int argc, char** argv);
