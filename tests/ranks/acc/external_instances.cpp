// Operations on instances and regions use the same memory of a device alternately. Prints what is wrong.
#include <stretto_acc/openacc.h>
#include <stretto_mpi/mpi.h>
#include <stretto_acc/accelerator_memory.hpp>
#include <stretto_acc/queue_event.hpp>

#include <cstdint>
#include <cstdio>
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/instance.hpp>
#include <vector>

extern "C" {
void enter_array(double* x, int n);
void scale_array(double* x, int n, double by, int queue);
void leave_array(double* x, int n, int queue);
}

using namespace stretto;

namespace {

int rank = 0;
constexpr int n = 1000;

void check(const char* what, const std::vector<double>& got, int first, int last, double expected) {
  for (int i = first; i < last; ++i) {
    if (got[i] == expected) continue;
    std::printf("rank %d, %s: element %d is %g, not %g\n", rank, what, i, got[i], expected);
    return;
  }
}

/// The queue scales by 2, Stretto fills the first half, the queue scales by 3; Stretto reads all.
void use_alternately(std::vector<double>& x) {
  const auto on_device = instance<double>::external(at(accelerator_memory()), native_memory_of(acc_deviceptr(x.data())),
                                                    box(0, std::int64_t{n}));
  std::vector<double> read(n, -1);
  const auto on_host = instance<double>::external(read.data(), box(0, std::int64_t{n}));
  scale_array(x.data(), n, 2, 1);
  const event filled = fill(on_device, box(0, std::int64_t{n / 2}), 7.0, after(event_of_queue(1)));
  make_queue_wait(1, filled);
  scale_array(x.data(), n, 3, 1);
  const event copied = copy(on_device, on_host, after(event_of_queue(1)));
  wait(on_device.destroy(after(copied)));
  wait(on_host.destroy(after(copied)));
  check("read by an instance", read, 0, n / 2, 21);
  check("read by an instance", read, n / 2, n, 6.0 * (rank + 1));
}

void refuse_memory_that_is_not_on_the_device(std::vector<double>& x) {
  if (acc_get_property(0, acc_get_device_type(), acc_property_shared_memory_support)) return;
  if (acc_get_device_type() == acc_device_host) return;  // its memory is the host's, too
  try {
    instance<double>::external(at(accelerator_memory()), native_memory_of(nullptr), box(0, std::int64_t{n}));
    std::printf("rank %d: memory of the host was taken for that of the device, %p\n", rank, static_cast<void*>(&x));
  } catch (const error& e) {
    if (e.code() != "N19") std::printf("rank %d: %s\n", rank, e.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<double> x(n, rank + 1);
  enter_array(x.data(), n);
  use_alternately(x);
  refuse_memory_that_is_not_on_the_device(x);
  leave_array(x.data(), n, 1);
  acc_wait(1);
  check("read by the host", x, 0, n / 2, 21);
  check("read by the host", x, n / 2, n, 6.0 * (rank + 1));
  MPI_Finalize();
  return 0;
}
