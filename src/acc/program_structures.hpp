// program_structures.hpp - what programs that `stretto cc` has translated pass to the runtime: data, arguments,
// launches.
//
// The translator declares the same structures in the text of the program (call_declarations in tools/cc/acc).
//
// Threads     values.
#pragma once

extern "C" {

/// The actions of clauses. Of those from `copy` to `present`, a data region does one part where it begins and one where
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
  stretto_acc_implied = 128,    // added: no clause names it; where it begins to be on the device, it is there
};

/// A dimension of a part of an array.
struct stretto_acc_extent {
  unsigned long first, count;  // elements
  unsigned long bytes;         // of one element
};

/// A variable, or a part of an array.
struct stretto_acc_data {
  int action;
  int extent_count;   // 0, of a pointer without a part: what is on the device where it points to
  int pointer_level;  // not 0: elements of this many dimensions are pointers, and what they point to has the others
  void* base;         // the address of the variable, or of the array's first element
  const struct stretto_acc_extent* extents;
  void** pointer;  // the variable that points to it; null if none does
  const char* name;
};

/// How a kernel takes an argument.
enum stretto_acc_way {
  stretto_acc_value,           // a copy of `bytes` bytes
  stretto_acc_address,         // the address on the device of the memory at `host`
  stretto_acc_pointer,         // a copy of the pointer at `host`, which then points to memory of the device
  stretto_acc_device_pointer,  // the same of a pointer that does already
};

struct stretto_acc_argument {
  int way;
  void* host;
  unsigned long bytes;
  const struct stretto_acc_data* part;  // the part of the array that is on the device; null if the source names none
  const char* name;
};

/// How a kernel of a device takes an argument, by the index of the argument in a launch.
enum stretto_acc_form {
  stretto_acc_form_value,    // the value itself
  stretto_acc_form_bytes,    // memory with a copy of the value
  stretto_acc_form_address,  // memory, and the bytes that are added to its address
};

struct stretto_acc_parameter {
  int form;
  long argument;
  unsigned long bytes;  // of a value
};

/// A region's kernel for devices. One item runs one gang.
struct stretto_acc_device_kernel {
  const char* name;
  const char* opencl;         // a program in OpenCL C; null if the language cannot express the region
  const char* opencl_reason;  // of that: "it calls \"printf\""
  const char* cuda;           // the same in C++ for CUDA
  const char* cuda_reason;
  const struct stretto_acc_parameter* parameters;  // of each program; null if there is none
  long parameter_count;
};

struct stretto_acc_launch {
  void (*kernel)(void** arguments, long gang, long gangs);  // one gang, on the host
  const char* where;                                        // the line: "jacobi.c:23"
  const struct stretto_acc_data* data;                      // of the region's own clauses
  long data_count;
  const struct stretto_acc_argument* arguments;
  long argument_count;
  long gangs;                                      // 0: the runtime chooses
  long work;                                       // operations; 0: not known
  int queue;                                       // acc_async_sync: the call returns when all gangs have ended
  int is_on_host;                                  // `if` with 0, or `self`: the kernel uses the memory of the host
  const struct stretto_acc_device_kernel* device;  // null: there is none
};

/// A data region that has begun.
struct stretto_acc_scope {
  const struct stretto_acc_data* data;  // null: its condition was 0
  long count;
  int queue;
  const char* where;
};
}
