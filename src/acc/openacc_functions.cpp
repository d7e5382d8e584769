// openacc_functions.cpp - the functions of OpenACC (include/stretto_acc/openacc.h) for a device that has the host's
// memory and runs each operation before its call returns.
#include <unistd.h>

#include <stretto_acc/openacc.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "ranks/thread_identity.hpp"

namespace stretto::acc {
namespace {

constexpr int first_queue = 0;

/// The settings of a rank.
struct rank_settings {
  acc_device_t type = acc_device_host;
  int default_queue = first_queue;
};

/// Of the calling thread's rank. A reference stays valid.
rank_settings& settings() {
  static std::mutex mutex;
  static std::unordered_map<const ranks::program_copy*, rank_settings> all;
  const ranks::thread_identity* const identity = ranks::identity_of_thread();
  const std::scoped_lock lock(mutex);
  return all[identity ? identity->copy : nullptr];
}

bool is_host(acc_device_t type) {
  return type == acc_device_host || type == acc_device_default || type == acc_device_current;
}

/// The index of the first queue in a list, whose other entries are acc_async_sync; -1 if there is none.
int first_of(const int* queues, int count) {
  const int* const found = std::find_if(queues, queues + count, [](int one) { return one != acc_async_sync; });
  return found == queues + count ? -1 : static_cast<int>(found - queues);
}

std::size_t pages(int name) {
  return static_cast<std::size_t>(::sysconf(name)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace
}  // namespace stretto::acc

using namespace stretto::acc;

#pragma GCC visibility push(default)

int acc_get_num_devices(acc_device_t type) { return is_host(type) ? 1 : 0; }
void acc_set_device_type(acc_device_t type) { settings().type = is_host(type) ? acc_device_host : settings().type; }
acc_device_t acc_get_device_type() { return settings().type; }
void acc_set_device_num(int, acc_device_t type) { acc_set_device_type(type); }
int acc_get_device_num(acc_device_t) { return 0; }

size_t acc_get_property(int, acc_device_t, acc_device_property_t property) {
  switch (property) {
    case acc_property_memory: return pages(_SC_PHYS_PAGES);
    case acc_property_free_memory: return pages(_SC_AVPHYS_PAGES);
    case acc_property_shared_memory_support: return 1;
    default: return 0;
  }
}

const char* acc_get_property_string(int, acc_device_t, acc_device_property_t property) {
  switch (property) {
    case acc_property_name: return "host";
    case acc_property_vendor:
    case acc_property_driver: return "Stretto";
    default: return nullptr;
  }
}

void acc_init(acc_device_t) {}
void acc_init_device(int, acc_device_t) {}
void acc_shutdown(acc_device_t) {}
void acc_shutdown_device(int, acc_device_t) {}
int acc_on_device(acc_device_t type) { return is_host(type) ? 1 : 0; }

int acc_async_test(int) { return 1; }
int acc_async_test_device(int, int) { return 1; }
int acc_async_test_all() { return 1; }
int acc_async_test_all_device(int) { return 1; }
void acc_wait(int) {}
void acc_wait_device(int, int) {}
void acc_wait_async(int, int) {}
void acc_wait_device_async(int, int, int) {}
void acc_wait_all() {}
void acc_wait_all_device(int) {}
void acc_wait_all_async(int) {}
void acc_wait_all_device_async(int, int) {}
int acc_wait_any(int count, int* queues) { return first_of(queues, count); }
int acc_wait_any_device(int count, int* queues, int) { return first_of(queues, count); }
int acc_get_default_async() { return settings().default_queue; }
void acc_set_default_async(int queue) { settings().default_queue = queue == acc_async_default ? first_queue : queue; }

void* acc_malloc(size_t bytes) { return std::malloc(bytes); }
void acc_free(void* device) { std::free(device); }
void acc_map_data(void*, void*, size_t) {}
void acc_unmap_data(void*) {}
void* acc_deviceptr(void* host) { return host; }
void* acc_hostptr(void* device) { return device; }
int acc_is_present(void*, size_t) { return 1; }

void* acc_copyin(void* host, size_t) { return host; }
void* acc_pcopyin(void* host, size_t) { return host; }
void* acc_present_or_copyin(void* host, size_t) { return host; }
void acc_copyin_async(void*, size_t, int) {}
void* acc_create(void* host, size_t) { return host; }
void* acc_pcreate(void* host, size_t) { return host; }
void* acc_present_or_create(void* host, size_t) { return host; }
void acc_create_async(void*, size_t, int) {}
void acc_copyout(void*, size_t) {}
void acc_copyout_async(void*, size_t, int) {}
void acc_copyout_finalize(void*, size_t) {}
void acc_copyout_finalize_async(void*, size_t, int) {}
void acc_delete(void*, size_t) {}
void acc_delete_async(void*, size_t, int) {}
void acc_delete_finalize(void*, size_t) {}
void acc_delete_finalize_async(void*, size_t, int) {}
void acc_update_device(void*, size_t) {}
void acc_update_device_async(void*, size_t, int) {}
void acc_update_self(void*, size_t) {}
void acc_update_self_async(void*, size_t, int) {}
void acc_attach(void**) {}
void acc_attach_async(void**, int) {}
void acc_detach(void**) {}
void acc_detach_async(void**, int) {}
void acc_detach_finalize(void**) {}
void acc_detach_finalize_async(void**, int) {}

void acc_memcpy_to_device(void* device, void* host, size_t bytes) { std::memmove(device, host, bytes); }
void acc_memcpy_to_device_async(void* device, void* host, size_t bytes, int) { std::memmove(device, host, bytes); }
void acc_memcpy_from_device(void* host, void* device, size_t bytes) { std::memmove(host, device, bytes); }
void acc_memcpy_from_device_async(void* host, void* device, size_t bytes, int) { std::memmove(host, device, bytes); }
void acc_memcpy_device(void* to, void* from, size_t bytes) { std::memmove(to, from, bytes); }
void acc_memcpy_device_async(void* to, void* from, size_t bytes, int) { std::memmove(to, from, bytes); }
void acc_memcpy_d2d(void* to, void* from, size_t bytes, int, int) { std::memmove(to, from, bytes); }
void acc_memcpy_d2d_async(void* to, void* from, size_t bytes, int, int, int) { std::memmove(to, from, bytes); }

#pragma GCC visibility pop
