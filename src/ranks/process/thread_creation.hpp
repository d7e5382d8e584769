// thread_creation.hpp - threads that programs start: each belongs to the rank that starts it.
//
// The launcher replaces pthread_create, which std::thread and OpenMP call, too.
//
// Threads     any.
#pragma once

#include <pthread.h>

namespace stretto::ranks {

/// From now on, threads without a runtime join that of their rank, and tasks belong to the rank that has started them.
void use_rank_threads();

using thread_function = void* (*)(void*);
using thread_creator = int (*)(pthread_t*, const pthread_attr_t*, thread_function, void*);

/// Replaces pthread_create in the process of ranks; `create` is that of the C library.
int create_thread(thread_creator create, pthread_t* made, const pthread_attr_t* attributes, thread_function start,
                  void* argument);

}  // namespace stretto::ranks
