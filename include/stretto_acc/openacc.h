/* openacc.h - the functions of OpenACC 3.3, for programs that `stretto cc` translates.
 *
 * Threads     any thread of a rank; each rank has its own current device and default queue.
 * Devices     one for each rank. By default the cores of the host, of type acc_device_host: host and device have one
 *             memory, so that data is always present, device addresses are those of the host, and functions that move
 *             data do nothing. With STRETTO_ACC_DISCRETE=1 they have memory of their own, for tests. With
 *             STRETTO_ACC_DEVICE_TYPE a device of CUDA, of type acc_device_nvidia, or of OpenCL: acc_device_radeon, or
 *             acc_device_not_host where OpenACC has no name for its type. acc_set_device_num and acc_set_device_type
 *             change nothing.
 * Queues      functions that end in _async return before their operation has ended: acc_wait and acc_wait_async wait
 *             for it, acc_async_test does not. A small copy of an idle queue has ended when its function returns.
 * Source      The OpenACC Application Programming Interface, version 3.3, chapter 3.
 */
#ifndef STRETTO_OPENACC_H
#define STRETTO_OPENACC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum acc_device_t {
  acc_device_none = 0,
  acc_device_default = 1,
  acc_device_host = 2,
  acc_device_not_host = 4,
  acc_device_nvidia = 5,
  acc_device_radeon = 8,
  acc_device_current = 9
} acc_device_t;

typedef enum acc_device_property_t {
  acc_property_memory = 1,      /* bytes */
  acc_property_free_memory = 2, /* bytes */
  acc_property_shared_memory_support = 3,
  acc_property_name = 0x10001, /* of acc_get_property_string, as are those below */
  acc_property_vendor = 0x10002,
  acc_property_driver = 0x10003
} acc_device_property_t;

enum { acc_async_noval = -1, acc_async_sync = -2, acc_async_default = -3 };

/* Devices */
int acc_get_num_devices(acc_device_t type);
void acc_set_device_type(acc_device_t type);
acc_device_t acc_get_device_type(void);
void acc_set_device_num(int device, acc_device_t type);
int acc_get_device_num(acc_device_t type);
size_t acc_get_property(int device, acc_device_t type, acc_device_property_t property);
const char* acc_get_property_string(int device, acc_device_t type, acc_device_property_t property);
void acc_init(acc_device_t type);
void acc_init_device(int device, acc_device_t type);
void acc_shutdown(acc_device_t type);
void acc_shutdown_device(int device, acc_device_t type);
int acc_on_device(acc_device_t type);

/* Queues. A test is 1 if all operations of the queue have ended. */
int acc_async_test(int queue);
int acc_async_test_device(int queue, int device);
int acc_async_test_all(void);
int acc_async_test_all_device(int device);
void acc_wait(int queue);
void acc_wait_device(int queue, int device);
void acc_wait_async(int queue, int waiting);
void acc_wait_device_async(int queue, int waiting, int device);
void acc_wait_all(void);
void acc_wait_all_device(int device);
void acc_wait_all_async(int waiting);
void acc_wait_all_device_async(int waiting, int device);
int acc_wait_any(int count, int queues[]);
int acc_wait_any_device(int count, int queues[], int device);
int acc_get_default_async(void);
void acc_set_default_async(int queue);

/* Memory of the device */
void* acc_malloc(size_t bytes);
void acc_free(void* device);
void acc_map_data(void* host, void* device, size_t bytes);
void acc_unmap_data(void* host);
void* acc_deviceptr(void* host);
void* acc_hostptr(void* device);
int acc_is_present(void* host, size_t bytes);

/* Data of the host on the device */
void* acc_copyin(void* host, size_t bytes);
void* acc_pcopyin(void* host, size_t bytes);
void* acc_present_or_copyin(void* host, size_t bytes);
void acc_copyin_async(void* host, size_t bytes, int queue);
void* acc_create(void* host, size_t bytes);
void* acc_pcreate(void* host, size_t bytes);
void* acc_present_or_create(void* host, size_t bytes);
void acc_create_async(void* host, size_t bytes, int queue);
void acc_copyout(void* host, size_t bytes);
void acc_copyout_async(void* host, size_t bytes, int queue);
void acc_copyout_finalize(void* host, size_t bytes);
void acc_copyout_finalize_async(void* host, size_t bytes, int queue);
void acc_delete(void* host, size_t bytes);
void acc_delete_async(void* host, size_t bytes, int queue);
void acc_delete_finalize(void* host, size_t bytes);
void acc_delete_finalize_async(void* host, size_t bytes, int queue);
void acc_update_device(void* host, size_t bytes);
void acc_update_device_async(void* host, size_t bytes, int queue);
void acc_update_self(void* host, size_t bytes);
void acc_update_self_async(void* host, size_t bytes, int queue);
void acc_attach(void** pointer);
void acc_attach_async(void** pointer, int queue);
void acc_detach(void** pointer);
void acc_detach_async(void** pointer, int queue);
void acc_detach_finalize(void** pointer);
void acc_detach_finalize_async(void** pointer, int queue);

/* Copies between addresses */
void acc_memcpy_to_device(void* device, void* host, size_t bytes);
void acc_memcpy_to_device_async(void* device, void* host, size_t bytes, int queue);
void acc_memcpy_from_device(void* host, void* device, size_t bytes);
void acc_memcpy_from_device_async(void* host, void* device, size_t bytes, int queue);
void acc_memcpy_device(void* to, void* from, size_t bytes);
void acc_memcpy_device_async(void* to, void* from, size_t bytes, int queue);
void acc_memcpy_d2d(void* to, void* from, size_t bytes, int to_device, int from_device);
void acc_memcpy_d2d_async(void* to, void* from, size_t bytes, int to_device, int from_device, int queue);

#ifdef __cplusplus
}
#endif

#endif
