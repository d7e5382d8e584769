// device_accelerator.hpp - a device of the runtime as a rank's accelerator: its kernels and its memory.
//
// Threads     as accelerator.
// Cost        operations of a queue are put into streams behind one another, without the host. A region that the device
//             cannot run runs on the host, after all its data was copied there, and before that is copied back.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "acc/accelerator.hpp"
#include "acc/array_part.hpp"
#include "acc/message_streams.hpp"
#include "data/memory_space.hpp"
#include "device/device_set.hpp"

namespace stretto::acc {

class device_accelerator final : public accelerator {
 public:
  /// is_discrete: kernels use memory of the device alone, although they could use the host's in place.
  device_accelerator(device::attached_device& on, data::memory_space& memory, bool is_discrete);
  ~device_accelerator() override;

  const accelerator_facts& facts() const noexcept override { return facts_; }
  bool shares_host_memory() const noexcept override { return false; }
  bool follows_pointers() const noexcept override;
  std::byte* allocate(std::size_t bytes) noexcept override;
  bool share(std::byte* host, std::size_t bytes) noexcept override;
  void release(std::byte* memory) noexcept override;
  std::size_t allocated_bytes() const noexcept override;
  place memory() const override { return on_.memory(); }
  native_memory named_by_driver(std::byte* device) const override;
  void copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) override;
  void copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) override;
  void copy_within(std::byte* to, const std::byte* from, std::size_t bytes) override;
  void clear(std::byte* device, std::size_t bytes) override;
  void launch(const gang_launch& launch) override;
  void perform(const std::vector<transfer>& all) override;
  event start(const gang_launch& launch, std::shared_ptr<gang_arguments> arguments,
              std::span<const event> behind) override;
  event start(std::vector<transfer> all, std::span<const event> behind) override;

 private:
  using compiled = std::shared_ptr<const device::compiled_kernel>;
  struct memory_block {
    data::block* block;  // null: memory of the host
    std::size_t bytes;
    std::byte* in_streams;  // the first address as streams know it
    // Of memory of the host: a queue may still have to release it when the program enters it again, or more of it.
    std::size_t uses = 1;
    std::vector<std::byte*> earlier = {};  // addresses in streams of fewer bytes
  };
  std::byte* in_streams(const std::byte* address) const noexcept;

  /// Memory for one launch.
  std::shared_ptr<std::byte> temporary(std::size_t bytes);
  /// Null if the device cannot run it; the reason was then told once.
  compiled kernel_of(const gang_launch& launch);
  event start_on_device(const compiled& kernel, const gang_launch& launch, std::shared_ptr<const void> arguments,
                        std::span<const event> behind);
  void run_on_host(const gang_launch& launch);

  device::attached_device& on_;
  data::memory_space& memory_;
  const accelerator_facts facts_;
  const std::shared_ptr<message_streams> for_messages_;  // null: the host accesses the memory
  mutable std::mutex mutex_;                             // guards what follows
  std::map<const std::byte*, memory_block> blocks_;
  std::size_t allocated_ = 0;
  std::map<const stretto_acc_device_kernel*, compiled> kernels_;
};

}  // namespace stretto::acc
