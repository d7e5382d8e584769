// program_calls.hpp - what programs that `stretto cc` has translated call: data of regions, kernels, queues.
//
// The translator declares the same structures and functions in C, in the text of the program (program_calls.cpp in
// tools/cc/acc); both change together.
//
// Threads     tasks of a rank.
// Errors      end the job with a message, as a fatal error of MPI does: O12 to O14.
#pragma once

extern "C" {

/// What a clause asks for. Of those from `copy` to `present`, a data region does one part where it begins and one where
/// it ends; `enter data` and `exit data` do one of them.
enum stretto_acc_action {
  stretto_acc_copy,
  stretto_acc_copyin,
  stretto_acc_copyout,
  stretto_acc_create,
  stretto_acc_no_create,
  stretto_acc_present,
  stretto_acc_attach,
  stretto_acc_detach,
  stretto_acc_delete,
  stretto_acc_update_host,
  stretto_acc_update_device,
  stretto_acc_zero = 16,        // added to one of them: memory on the device begins as zeros
  stretto_acc_finalize = 32,    // added: the memory leaves the device, however often it was entered
  stretto_acc_if_present = 64,  // added: nothing is done if it is not on the device
};

/// A dimension of a part of an array.
struct stretto_acc_extent {
  unsigned long first, count;  // elements
  unsigned long bytes;         // of one element
};

/// A variable, or a part of an array.
struct stretto_acc_data {
  int action;
  int extent_count;
  int pointer_level;  // not 0: elements of this many dimensions are pointers, and what they point to has the others
  void* base;         // the address of the variable, or of the array's first element
  const struct stretto_acc_extent* extents;
  void** pointer;  // the variable that points to it; null if none does
  const char* name;
};

/// How a kernel takes an argument.
enum stretto_acc_way {
  stretto_acc_value,    // a copy of `bytes` bytes
  stretto_acc_address,  // the address on the device of the memory at `host`
  stretto_acc_pointer,  // a copy of the pointer at `host`, which then points to memory of the device
};

struct stretto_acc_argument {
  int way;
  void* host;
  unsigned long bytes;
  const struct stretto_acc_data* part;  // the part of the array that is on the device; null if the source names none
  const char* name;
};

struct stretto_acc_launch {
  void (*kernel)(void** arguments, long gang, long gangs);  // one gang, on the host
  const char* where;                                        // the line: "jacobi.c:23"
  const struct stretto_acc_data* data;                      // of the region's own clauses
  long data_count;
  const struct stretto_acc_argument* arguments;
  long argument_count;
  long gangs;      // 0: the runtime chooses
  int queue;       // acc_async_sync: the call returns when all gangs have ended
  int is_on_host;  // `if` with 0, or `self`: the kernel uses the memory of the host
};

/// A data region that has begun.
struct stretto_acc_scope {
  const struct stretto_acc_data* data;  // null: its condition was 0
  long count;
  int queue;
  const char* where;
};

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
/// Waits for queues, or makes another queue wait for them; all queues: `count` is -1.
void stretto_acc_wait(const int* queues, long count, int queue);
/// A type or number of -1 stands for none.
void stretto_acc_init(int type, int number);
void stretto_acc_shutdown(int type, int number);
void stretto_acc_set(int type, int number, int has_queue, int queue);
/// Excludes other gangs of all kernels of this process from what is between the two, as atomic directives and the ends
/// of reductions need it. Short: those that wait spin.
void stretto_acc_lock();
void stretto_acc_unlock();
/// The program ends: its queues end first.
void stretto_acc_end();

#pragma GCC visibility pop
}
