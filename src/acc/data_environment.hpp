// data_environment.hpp - the data of a rank on its accelerator: what regions and functions enter, use and leave.
//
// Changes of the table take effect at once. The copies that belong to them are returned as transfers, which the caller
// performs in its queue. Each variable knows the queues that use it: what happens outside of queues waits for them, and
// so does the end of its memory. So data regions may end while kernels of queues still run.
//
// Threads     any thread of the rank; calls exclude each other.
// Cost        logarithmic in what is present, for each variable.
// Source      OpenACC 3.3, section 2.7: data clauses, with their actions; 2.6.7 and 2.6.8: reference counts,
// attachment.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "acc/accelerator.hpp"
#include "acc/array_part.hpp"
#include "acc/present_table.hpp"
#include "acc/program_structures.hpp"

namespace stretto::acc {

/// The work of a change: it waits for queues that still use the data, then does the transfers.
struct data_work {
  std::vector<transfer> transfers;
  std::set<int> queues;
};

/// An address on the device, and the memory that was allocated there at once. The address may be ahead of that memory:
/// a pointer need not point to the first element that is present.
struct kernel_memory {
  std::byte* address = nullptr;  // null: nothing is present
  byte_range block = {};
};

/// The queue that uses data; without a number, operations that end before their call returns.
using queue_number = std::optional<int>;

class data_environment {
 public:
  explicit data_environment(accelerator& on) noexcept : on_(on) {}
  data_environment(const data_environment&) = delete;
  ~data_environment();

  enum class scope { structured, dynamic };
  /// A clause where its region begins, or of enter data.
  ///   throws   O12 if a part of the variable is present, O13 for `present` without it, O14 without memory for it
  void enter(const stretto_acc_data& data, scope in, queue_number queue, const char* where, data_work& into);
  /// The same where its region ends, or of exit data. Nothing happens for what is not present.
  void leave(const stretto_acc_data& data, scope in, queue_number queue, const char* where, data_work& into);
  /// Throws O13 for what is not present, without stretto_acc_if_present.
  void update(const stretto_acc_data& data, queue_number queue, const char* where, data_work& into);

  /// The address on the device; null if it is not present.
  std::byte* device_of(const std::byte* host);
  /// The same for a kernel, which uses it in a queue.
  ///   part   of the array, as a clause names it, for a pointer that points ahead of it; null if none does
  kernel_memory used_by_kernel(const std::byte* pointer, const stretto_acc_data* part, queue_number queue,
                               data_work& into);
  /// The memory of the device that was allocated at once with an address; no bytes if none was.
  byte_range block_at(const std::byte* device);
  /// The address on the device. Throws O13 if it is not present.
  std::byte* present_address(const std::byte* host, const char* name, const char* where);
  /// The address on the host; null if it is no address of present data.
  std::byte* host_of(const std::byte* device);
  bool is_present(const std::byte* host, std::size_t bytes);
  /// Whether it is memory that the program has allocated on the device, or that is present.
  bool is_on_device(const std::byte* address) { return block_at(address).bytes > 0; }

  /// acc_malloc and acc_free.
  std::byte* allocate(std::size_t bytes);
  void release(std::byte* memory);
  /// acc_map_data, acc_unmap_data.
  void map(std::byte* host, std::byte* device, std::size_t bytes, const char* where);
  void unmap(const std::byte* host);

 private:
  /// One call, with its arguments.
  struct request {
    const stretto_acc_data& data;
    scope in;
    queue_number queue;
    const char* where;
    data_work& into;
  };
  mapping* find(const byte_range& range, const request& r);
  byte_range block_of(const std::byte* device);  // block_at, with the lock held
  mapping* enter_range(const byte_range& range, const request& r);
  void leave_range(const byte_range& range, const request& r);
  mapping& add(const byte_range& range, const request& r);
  void remove(const mapping& one, const request& r);
  void attach(std::byte* pointer, const std::byte* at, const request& r);
  void detach(std::byte* pointer, bool is_final, const request& r);
  void copy_range(const mapping& in, const byte_range& range, transfer::kind way, const request& r) const;
  void update_range(const byte_range& range, const request& r);
  static void use(mapping& one, queue_number queue, data_work& into);
  [[noreturn]] void refuse_absent(const byte_range& range, const char* name, const char* where) const;

  accelerator& on_;
  std::mutex mutex_;
  present_table table_;
  std::map<const std::byte*, std::size_t> allocated_;  // by acc_malloc
};

}  // namespace stretto::acc
