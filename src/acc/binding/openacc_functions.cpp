// openacc_functions.cpp - the functions of OpenACC (include/stretto_acc/openacc.h), for a rank's accelerator.
#include <stretto_acc/openacc.h>
#include <cstddef>
#include <stretto/task.hpp>

#include "acc/guarded_call.hpp"
#include "acc/program_calls.hpp"
#include "acc/rank_context.hpp"

namespace stretto::acc {
namespace {

rank_context& here() {
  return guarded([]() -> rank_context& { return rank_context::current(); });
}
bool is_shared() { return here().device().shares_host_memory(); }

acc_device_t own_type() { return here().device().facts().type; }
bool is_own(acc_device_t type) {
  const acc_device_t own = own_type();
  return type == own || type == acc_device_default || type == acc_device_current ||
         (type == acc_device_not_host && own != acc_device_host);
}

/// The rank's device, or the host, if the program asks for it; null: there is no device of that type.
accelerator* device_of_type(acc_device_t type) {
  return is_own(type) ? &here().device() : type == acc_device_host ? &here().host() : nullptr;
}

std::byte* bytes_at(void* address) { return static_cast<std::byte*>(address); }

using entry = void (*)(const stretto_acc_data* data, long count, int queue, const char* where);

/// Acts as a directive with one clause, for `bytes` bytes at `host`.
void act(entry how, int action, void* host, size_t bytes, int queue, const char* function) {
  const stretto_acc_extent extent{0, bytes, 1};
  const stretto_acc_data data{action, 1, 0, host, &extent, nullptr, function};
  how(&data, 1, queue, function);
}

void act_on_pointer(entry how, int action, void** pointer, int queue, const char* function) {
  const stretto_acc_data data{action, 0, 0, pointer, nullptr, pointer, function};
  how(&data, 1, queue, function);
}

void* entered(int action, void* host, size_t bytes, const char* function) {
  act(stretto_acc_enter, action, host, bytes, acc_async_sync, function);
  return acc_deviceptr(host);
}

void copy(transfer::kind way, void* device, void* other, size_t bytes, int queue, const char* function) {
  rank_context& in = here();
  if (bytes > 0) in.perform(in.queue_of(queue), function, {{{way, bytes_at(device), bytes_at(other), bytes}}, {}});
}

/// The result of a test. A program that tests in a loop lets other tasks of its worker run.
int tested(bool has_ended) {
  if (!has_ended) yield();
  return has_ended ? 1 : 0;
}

/// The index of the first queue in a list that has ended; -1 if all entries are acc_async_sync.
int first_ended(const int* queues, int count) {
  bool has_queue = false;
  for (;;) {
    for (int i = 0; i < count; ++i) {
      if (queues[i] == acc_async_sync) continue;
      has_queue = true;
      if (acc_async_test(queues[i])) return i;
    }
    if (!has_queue) return -1;
  }
}

}  // namespace
}  // namespace stretto::acc

using namespace stretto::acc;

#pragma GCC visibility push(default)

int acc_get_num_devices(acc_device_t type) { return device_of_type(type) ? 1 : 0; }
void acc_set_device_type(acc_device_t) {}
acc_device_t acc_get_device_type() { return own_type(); }
void acc_set_device_num(int, acc_device_t) {}
int acc_get_device_num(acc_device_t) { return 0; }

size_t acc_get_property(int, acc_device_t type, acc_device_property_t property) {
  const accelerator* const of = device_of_type(type);
  if (!of) return 0;
  switch (property) {
    case acc_property_memory: return of->facts().memory_bytes;
    case acc_property_free_memory: return of->facts().memory_bytes - of->allocated_bytes();
    case acc_property_shared_memory_support: return of->facts().shares_memory ? 1 : 0;
    default: return 0;
  }
}

const char* acc_get_property_string(int, acc_device_t type, acc_device_property_t property) {
  const accelerator* const of = device_of_type(type);
  if (!of) return nullptr;
  switch (property) {
    case acc_property_name: return of->facts().name.c_str();
    case acc_property_vendor: return of->facts().vendor.c_str();
    case acc_property_driver: return of->facts().driver.c_str();
    default: return nullptr;
  }
}

void acc_init(acc_device_t) {}
void acc_init_device(int, acc_device_t) {}
void acc_shutdown(acc_device_t) {}
void acc_shutdown_device(int, acc_device_t) {}
int acc_on_device(acc_device_t type) { return type == acc_device_host ? 1 : 0; }

int acc_async_test(int queue) {
  rank_context& in = here();
  const queue_number number = in.queue_of(queue);
  return tested(!number || in.queues().has_ended(*number));
}
int acc_async_test_device(int queue, int) { return acc_async_test(queue); }
int acc_async_test_all() { return tested(here().queues().have_all_ended()); }
int acc_async_test_all_device(int) { return acc_async_test_all(); }
void acc_wait(int queue) { stretto_acc_wait(&queue, 1, acc_async_sync); }
void acc_wait_device(int queue, int) { acc_wait(queue); }
void acc_wait_async(int queue, int waiting) { stretto_acc_wait(&queue, 1, waiting); }
void acc_wait_device_async(int queue, int waiting, int) { acc_wait_async(queue, waiting); }
void acc_wait_all() { stretto_acc_wait(nullptr, -1, acc_async_sync); }
void acc_wait_all_device(int) { acc_wait_all(); }
void acc_wait_all_async(int waiting) { stretto_acc_wait(nullptr, -1, waiting); }
void acc_wait_all_device_async(int waiting, int) { acc_wait_all_async(waiting); }
int acc_wait_any(int count, int* queues) { return first_ended(queues, count); }
int acc_wait_any_device(int count, int* queues, int) { return first_ended(queues, count); }
int acc_get_default_async() { return here().default_queue(); }
void acc_set_default_async(int queue) { here().set_default_queue(queue); }

void* acc_malloc(size_t bytes) { return here().data().allocate(bytes); }
void acc_free(void* device) {
  if (device) here().data().release(bytes_at(device));
}
void acc_map_data(void* host, void* device, size_t bytes) {
  if (!is_shared()) here().data().map(bytes_at(host), bytes_at(device), bytes, "acc_map_data");
}
void acc_unmap_data(void* host) {
  if (!is_shared()) here().data().unmap(bytes_at(host));
}
void* acc_deviceptr(void* host) { return is_shared() ? host : here().data().device_of(bytes_at(host)); }
void* acc_hostptr(void* device) { return is_shared() ? device : here().data().host_of(bytes_at(device)); }
int acc_is_present(void* host, size_t bytes) {
  return is_shared() || here().data().is_present(bytes_at(host), bytes) ? 1 : 0;
}

void* acc_copyin(void* host, size_t bytes) { return entered(stretto_acc_copyin, host, bytes, "acc_copyin"); }
void* acc_pcopyin(void* host, size_t bytes) { return acc_copyin(host, bytes); }
void* acc_present_or_copyin(void* host, size_t bytes) { return acc_copyin(host, bytes); }
void acc_copyin_async(void* host, size_t bytes, int queue) {
  act(stretto_acc_enter, stretto_acc_copyin, host, bytes, queue, "acc_copyin_async");
}
void* acc_create(void* host, size_t bytes) { return entered(stretto_acc_create, host, bytes, "acc_create"); }
void* acc_pcreate(void* host, size_t bytes) { return acc_create(host, bytes); }
void* acc_present_or_create(void* host, size_t bytes) { return acc_create(host, bytes); }
void acc_create_async(void* host, size_t bytes, int queue) {
  act(stretto_acc_enter, stretto_acc_create, host, bytes, queue, "acc_create_async");
}
void acc_copyout(void* host, size_t bytes) { acc_copyout_async(host, bytes, acc_async_sync); }
void acc_copyout_async(void* host, size_t bytes, int queue) {
  act(stretto_acc_exit, stretto_acc_copyout, host, bytes, queue, "acc_copyout");
}
void acc_copyout_finalize(void* host, size_t bytes) { acc_copyout_finalize_async(host, bytes, acc_async_sync); }
void acc_copyout_finalize_async(void* host, size_t bytes, int queue) {
  act(stretto_acc_exit, stretto_acc_copyout | stretto_acc_finalize, host, bytes, queue, "acc_copyout_finalize");
}
void acc_delete(void* host, size_t bytes) { acc_delete_async(host, bytes, acc_async_sync); }
void acc_delete_async(void* host, size_t bytes, int queue) {
  act(stretto_acc_exit, stretto_acc_delete, host, bytes, queue, "acc_delete");
}
void acc_delete_finalize(void* host, size_t bytes) { acc_delete_finalize_async(host, bytes, acc_async_sync); }
void acc_delete_finalize_async(void* host, size_t bytes, int queue) {
  act(stretto_acc_exit, stretto_acc_delete | stretto_acc_finalize, host, bytes, queue, "acc_delete_finalize");
}
void acc_update_device(void* host, size_t bytes) { acc_update_device_async(host, bytes, acc_async_sync); }
void acc_update_device_async(void* host, size_t bytes, int queue) {
  act(stretto_acc_update, stretto_acc_update_device, host, bytes, queue, "acc_update_device");
}
void acc_update_self(void* host, size_t bytes) { acc_update_self_async(host, bytes, acc_async_sync); }
void acc_update_self_async(void* host, size_t bytes, int queue) {
  act(stretto_acc_update, stretto_acc_update_host, host, bytes, queue, "acc_update_self");
}
void acc_attach(void** pointer) { acc_attach_async(pointer, acc_async_sync); }
void acc_attach_async(void** pointer, int queue) {
  act_on_pointer(stretto_acc_enter, stretto_acc_attach, pointer, queue, "acc_attach");
}
void acc_detach(void** pointer) { acc_detach_async(pointer, acc_async_sync); }
void acc_detach_async(void** pointer, int queue) {
  act_on_pointer(stretto_acc_exit, stretto_acc_detach, pointer, queue, "acc_detach");
}
void acc_detach_finalize(void** pointer) { acc_detach_finalize_async(pointer, acc_async_sync); }
void acc_detach_finalize_async(void** pointer, int queue) {
  act_on_pointer(stretto_acc_exit, stretto_acc_detach | stretto_acc_finalize, pointer, queue, "acc_detach_finalize");
}

void acc_memcpy_to_device(void* device, void* host, size_t bytes) {
  acc_memcpy_to_device_async(device, host, bytes, acc_async_sync);
}
void acc_memcpy_to_device_async(void* device, void* host, size_t bytes, int queue) {
  copy(transfer::kind::to_device, device, host, bytes, queue, "acc_memcpy_to_device");
}
void acc_memcpy_from_device(void* host, void* device, size_t bytes) {
  acc_memcpy_from_device_async(host, device, bytes, acc_async_sync);
}
void acc_memcpy_from_device_async(void* host, void* device, size_t bytes, int queue) {
  copy(transfer::kind::to_host, device, host, bytes, queue, "acc_memcpy_from_device");
}
void acc_memcpy_device(void* to, void* from, size_t bytes) { acc_memcpy_device_async(to, from, bytes, acc_async_sync); }
void acc_memcpy_device_async(void* to, void* from, size_t bytes, int queue) {
  copy(transfer::kind::within_device, to, from, bytes, queue, "acc_memcpy_device");
}
void acc_memcpy_d2d(void* to, void* from, size_t bytes, int to_device, int from_device) {
  acc_memcpy_d2d_async(to, from, bytes, to_device, from_device, acc_async_sync);
}
void acc_memcpy_d2d_async(void* to, void* from, size_t bytes, int, int, int queue) {
  const auto present = [](void* host) { return stretto_acc_use_device(host, 0, "an argument", "acc_memcpy_d2d"); };
  copy(transfer::kind::within_device, present(to), present(from), bytes, queue, "acc_memcpy_d2d");
}

#pragma GCC visibility pop
