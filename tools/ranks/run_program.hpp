// run_program.hpp - runs a program with many ranks: a runtime, and one task per rank.
//
// Threads     the main thread of a launcher calls it once.
#pragma once

#include "ranks/process/thread_creation.hpp"

namespace stretto::ranks {

/// Runs as many ranks as STRETTO_RANKS says, or as there are cores, or accelerators; one, apart from all others, if a
/// rank has started this process.
///
///   returns  the exit code: of the lowest rank whose code is not 0, or 0
///   throws   R80 to R88 if the program cannot be loaded; what a runtime throws
int run_program(const char* file, int argc, char** argv);

}  // namespace stretto::ranks

// The launcher calls:

/// In place of pthread_create, whose own definition is `create`.
extern "C" [[gnu::visibility("default")]] int stretto_create_thread(stretto::ranks::thread_creator create,
                                                                    pthread_t* made, const pthread_attr_t* attributes,
                                                                    stretto::ranks::thread_function start,
                                                                    void* argument);
/// The program's file, on a thread of a rank; null on any other.
extern "C" [[gnu::visibility("default")]] const char* stretto_program_of_thread();
extern "C" [[gnu::visibility("default")]] int stretto_run_program(const char* file, int argc, char** argv);
