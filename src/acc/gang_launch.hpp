// gang_launch.hpp - kernels of OpenACC on the cores of the host. Programs that `stretto cc` has translated call these
// functions by their names in C.
//
// Threads     tasks of a runtime.
// Cost        a task for each worker but one; the caller runs a part of the gangs itself.
#pragma once

extern "C" {

/// Runs the kernel for each gang from 0 to `gangs` - 1, and returns when all have ended.
///
///   kernel     called with the arguments, the number of the gang, and the number of gangs; from several threads at
///   once arguments  as the kernel takes them gangs      0 or less: one for each worker of the runtime
[[gnu::visibility("default")]] void stretto_acc_launch(void (*kernel)(void**, long, long), void** arguments,
                                                       long gangs);

/// Excludes other gangs of all kernels of this process from what is between the two, as atomic directives and the ends
/// of reductions need it. Short: those that wait spin.
[[gnu::visibility("default")]] void stretto_acc_lock();
[[gnu::visibility("default")]] void stretto_acc_unlock();
}
