// accelerator.hpp - what runs the kernels of a rank: its memory, copies to and from it, and launches.
//
// Threads     tasks. Each call but start() returns when its work has ended, and suspends its task meanwhile.
#pragma once

#include <stretto_acc/openacc.h>
#include <stretto/event.hpp>
#include <stretto/native_memory.hpp>
#include <stretto/place.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "acc/program_structures.hpp"

namespace stretto::acc {

class gang_arguments;

struct gang_launch {
  void (*kernel)(void** arguments, long gang, long gangs);  // one gang, on the host
  const stretto_acc_device_kernel* device;                  // null: there is none
  const char* where;                                        // the line of the region
  gang_arguments& arguments;                                // with addresses of this device
  long gangs;                                               // 0 or less: as many as the device likes
  long work;                                                // operations of all gangs, where they are known; else 0
};

/// A copy between host and device, or another operation on memory of the device, in the order of a queue.
struct transfer {
  enum class kind { to_device, to_host, within_device, clear, write_pointer, release };
  kind is;
  std::byte* device;
  std::byte* host = nullptr;  // of write_pointer: the value; of within_device: where the bytes are on the device
  std::size_t bytes = 0;
};

/// Properties of an accelerator that programs may ask for.
struct accelerator_facts {
  acc_device_t type = acc_device_host;
  std::string name = "host", vendor = "Stretto", driver = "Stretto";
  std::size_t memory_bytes = 0;
  bool shares_memory = false;  // with the host: data clauses copy nothing
};

class accelerator {
 public:
  virtual ~accelerator() = default;

  virtual const accelerator_facts& facts() const noexcept = 0;
  /// Kernels use the memory of the host: nothing is allocated and copied.
  virtual bool shares_host_memory() const noexcept = 0;

  /// Kernels find memory of the device at the addresses that allocate() gives: pointers in that memory work.
  virtual bool follows_pointers() const noexcept = 0;

  /// Aligned for every type, not initialised; null if there is not so much memory. The addresses are distinct from all
  /// of the host.
  virtual std::byte* allocate(std::size_t bytes) noexcept = 0;
  /// Lets kernels use memory of the host in place, at the host's addresses, until release(). False: they cannot, and
  /// need a copy in the memory of the device.
  virtual bool share(std::byte* /*host*/, std::size_t /*bytes*/) noexcept { return false; }
  virtual void release(std::byte* memory) noexcept = 0;
  /// Of all that is not released.
  virtual std::size_t allocated_bytes() const noexcept = 0;

  /// For operations outside of OpenACC: the memory that kernels use, and the driver's name for an address there.
  virtual place memory() const = 0;
  virtual native_memory named_by_driver(std::byte* device) const { return {.data = device}; }

  virtual void copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) = 0;
  virtual void copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) = 0;
  virtual void copy_within(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual void clear(std::byte* device, std::size_t bytes) = 0;

  /// Runs the kernel for each gang from 0 to the number of gangs - 1.
  virtual void launch(const gang_launch& launch) = 0;
  /// Transfers in their order.
  virtual void perform(const std::vector<transfer>& all);

  /// The same behind events; returns the end. A task on the host waits for them, or the device keeps the order. Work
  /// behind a failed event does not start, and has failed, too.
  ///   arguments   those of the launch
  virtual event start(const gang_launch& launch, std::shared_ptr<gang_arguments> arguments,
                      std::span<const event> behind);
  virtual event start(std::vector<transfer> all, std::span<const event> behind);
};

}  // namespace stretto::acc
