// program_calls.hpp - what programs that `stretto cc` has translated call: data of regions, kernels, queues.
//
// The translator declares the same functions in the text of the program (call_declarations in tools/cc/acc).
//
// Threads     tasks of a rank.
// Errors      end the job with a message, as a fatal error of MPI does: O12 to O14.
#pragma once

#include "acc/program_structures.hpp"

extern "C" {
#pragma GCC visibility push(default)

void stretto_acc_run(const struct stretto_acc_launch* launch);
/// enter data, exit data, update.
void stretto_acc_enter(const struct stretto_acc_data* data, long count, int queue, const char* where);
void stretto_acc_exit(const struct stretto_acc_data* data, long count, int queue, const char* where);
void stretto_acc_update(const struct stretto_acc_data* data, long count, int queue, const char* where);
/// A data region: the scope is closed where its block ends.
struct stretto_acc_scope stretto_acc_open(const struct stretto_acc_data* data, long count, int queue, int condition,
                                          const char* where);
void stretto_acc_close(struct stretto_acc_scope* scope);
/// use_device: the address on the device; that of the host if it is not there and `if_present`.
void* stretto_acc_use_device(void* host, int if_present, const char* name, const char* where);
/// acc mpi: the address on the device of a buffer that a message in a queue uses.
void* stretto_acc_message_buffer(void* host, int queue, const char* where);
/// acc mpi with readonly: a buffer of the call of MPI that follows, which the program only reads from then on. Returns
/// the buffer.
///   variable   of a receive, the program's only pointer to the buffer: it may point to the sender's memory afterwards;
///              null for other buffers
///   against    why the buffer is not shared in any case; null if it may be
void* stretto_acc_readonly_buffer(const void* buffer, void** variable, int is_sent, const char* against,
                                  const char* where);
/// Behind that call: returns its result.
int stretto_acc_readonly_end(int result, const char* where);
/// acc mpi with async: a call of MPI as an operation of a queue. `call` makes it, with its arguments.
///   request   of a call that does not block: gets a request at once; `call` is then given another one
void stretto_acc_message(int (*call)(const void* arguments, void** request), const void* arguments, unsigned long bytes,
                         void** request, int queue, const char* where);
/// Waits for queues, or makes another queue wait for them; all queues: `count` is -1.
void stretto_acc_wait(const int* queues, long count, int queue);
/// A type or number of -1 stands for none.
void stretto_acc_init(int type, int number);
void stretto_acc_shutdown(int type, int number);
void stretto_acc_set(int type, int number, int has_queue, int queue);
/// The number of the device's type, as acc_get_device_type gives it.
int stretto_acc_device_type();
/// Excludes other gangs of all kernels of this process from what is between the two, as atomic directives and the ends
/// of reductions need it. Short: those that wait spin.
void stretto_acc_lock();
void stretto_acc_unlock();
/// The program ends: its queues end first.
void stretto_acc_end();

#pragma GCC visibility pop
}
