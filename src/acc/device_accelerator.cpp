#include "acc/device_accelerator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <stretto/error.hpp>
#include <stretto/event.hpp>
#include <stretto/task.hpp>
#include <utility>
#include <vector>

#include "acc/accelerator_choice.hpp"
#include "acc/gang_arguments.hpp"
#include "acc/host_accelerator.hpp"
#include "acc/region_kernel.hpp"
#include "acc/stream_operations.hpp"
#include "base/context.hpp"
#include "data/data_state.hpp"

namespace stretto::acc {
namespace {

device::launch_argument value_argument(const std::byte* value) {
  device::launch_argument one;
  one.is.origin = const_cast<std::byte*>(value);
  return one;
}

device::launch_argument memory_argument(const byte_range& block) {
  device::launch_argument one;
  one.is.origin = one.first = block.first;
  one.is.stride[0] = 1;
  one.is.max[0] = static_cast<std::int64_t>(block.bytes);
  one.bytes = block.bytes;
  return one;
}

accelerator_facts facts_for_programs(const device::properties& about, bool is_discrete) {
  return {type_of(facts_of(about)),
          about.name,
          about.vendor,
          about.backend,
          about.memory_bytes,
          about.is_host_accessible && !is_discrete};
}

}  // namespace

device_accelerator::device_accelerator(device::attached_device& on, data::memory_space& memory, bool is_discrete)
    : on_(on),
      memory_(memory),
      facts_(facts_for_programs(on.is().about(), is_discrete)),
      for_messages_(on.is().about().is_host_accessible ? nullptr : message_streams::of(on)) {}

device_accelerator::~device_accelerator() {
  while (!blocks_.empty()) release(const_cast<std::byte*>(blocks_.begin()->first));
}

bool device_accelerator::follows_pointers() const noexcept {
  const device::properties& about = on_.is().about();
  return about.is_host_accessible || about.backend == "cuda";
}

std::byte* device_accelerator::allocate(std::size_t bytes) noexcept {
  data::block* const made = memory_.try_create(std::max<std::size_t>(bytes, 1));
  if (!made) return nullptr;
  std::byte* const in_streams = memory_.address_of(*made);
  std::byte* const seen = for_messages_ ? nullptr : on_.is().transport_address(in_streams);
  std::byte* const first = seen ? seen : in_streams;
  const std::scoped_lock lock(mutex_);
  blocks_[first] = {made, bytes, in_streams};
  allocated_ += bytes;
  return first;
}

bool device_accelerator::share(std::byte* host, std::size_t bytes) noexcept {
  if (!facts_.shares_memory) return false;
  const std::scoped_lock lock(mutex_);
  const auto known = blocks_.find(host);
  if (known != blocks_.end() && known->second.bytes >= bytes) return ++known->second.uses > 0;
  std::byte* const in_streams = on_.is().borrow_host(host, bytes);
  if (!in_streams) return false;
  memory_block made{nullptr, bytes, in_streams};
  if (known != blocks_.end()) {
    made.uses += known->second.uses;
    made.earlier = std::move(known->second.earlier);
    made.earlier.push_back(known->second.in_streams);
  }
  blocks_.insert_or_assign(host, std::move(made));
  return true;
}

void device_accelerator::release(std::byte* memory) noexcept {
  data::block* block = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = blocks_.find(memory);
    if (found == blocks_.end()) return;
    if (--found->second.uses > 0) return;
    block = found->second.block;
    if (block) allocated_ -= found->second.bytes;
    else on_.is().give_back(found->second.in_streams);
    for (std::byte* const one : found->second.earlier) on_.is().give_back(one);
    blocks_.erase(found);
  }
  if (!block) return;
  data::notify_resolved(memory_.destroy(block, nullptr), base::require_current("acc"));
}

std::size_t device_accelerator::allocated_bytes() const noexcept {
  const std::scoped_lock lock(mutex_);
  return allocated_;
}

std::byte* device_accelerator::in_streams(const std::byte* address) const noexcept {
  const std::scoped_lock lock(mutex_);
  const auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return nullptr;
  const auto& [first, block] = *std::prev(next);
  return block.in_streams + (address - first);
}

native_memory device_accelerator::named_by_driver(std::byte* device) const {
  std::byte* const address = in_streams(device);
  return address ? on_.is().named_by_driver(address) : native_memory{};
}

void device_accelerator::copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) {
  wait(start_copy(on_, in_streams(device), host, bytes, {}));
}
void device_accelerator::copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) {
  wait(start_copy(on_, host, in_streams(device), bytes, {}));
}
void device_accelerator::copy_within(std::byte* to, const std::byte* from, std::size_t bytes) {
  wait(start_copy(on_, in_streams(to), in_streams(from), bytes, {}));
}
void device_accelerator::clear(std::byte* device, std::size_t bytes) {
  perform({{transfer::kind::clear, device, nullptr, bytes}});
}

void device_accelerator::perform(const std::vector<transfer>& all) { wait(start(all, {})); }

event device_accelerator::start(std::vector<transfer> all, std::span<const event> behind) {
  for (transfer& one : all) {
    if (one.is != transfer::kind::release) one.device = in_streams(one.device);
    if (one.is == transfer::kind::within_device) one.host = in_streams(one.host);
  }
  return start_transfers(on_, std::move(all), [this](std::byte* memory) { release(memory); }, behind);
}

void device_accelerator::launch(const gang_launch& l) {
  if (const compiled kernel = kernel_of(l)) wait(start_on_device(kernel, l, nullptr, {}));
  else run_on_host(l);
}

event device_accelerator::start(const gang_launch& l, std::shared_ptr<gang_arguments> arguments,
                                std::span<const event> behind) {
  if (const compiled kernel = kernel_of(l)) return start_on_device(kernel, l, std::move(arguments), behind);
  return accelerator::start(l, std::move(arguments), behind);
}

device_accelerator::compiled device_accelerator::kernel_of(const gang_launch& l) {
  if (!l.device) return nullptr;
  const std::scoped_lock lock(mutex_);
  const auto found = kernels_.find(l.device);
  if (found != kernels_.end()) return found->second;
  compiled& made = kernels_[l.device];
  const std::string& backend = on_.is().about().backend;
  std::string reason(reason_against(*l.device, backend));
  if (reason.empty()) {
    try {
      made = on_.is().compile(region_kernel(l, backend));
    } catch (const error& e) {
      reason = e.what();
    }
  }
  if (!made)
    data::state_of(base::require_current("acc"))
        .settings.warn(fmt::format("the region at {} runs on the host, not on {}: {}", l.where, on_.name(), reason));
  return made;
}

/// Gangs of a divided loop: enough to keep all units of the device busy.
static long gangs_for(const device::properties& about, const gang_launch& l) {
  return l.gangs > 0 ? l.gangs : static_cast<long>(about.compute_units) * 256;
}

std::shared_ptr<std::byte> device_accelerator::temporary(std::size_t bytes) {
  std::byte* const memory = allocate(bytes);
  if (!memory)
    throw error("O14", "the device has no memory for the arguments of a region")
        .fact("wanted", fmt::format("{} bytes", bytes))
        .fact("in use", fmt::format("{} bytes", allocated_bytes()))
        .because("the memory of a device is limited, and what is present stays until its region or exit data ends")
        .remedy("let data leave the device earlier, or let more ranks share the work");
  return {memory, [this](std::byte* first) { release(first); }};
}

/// Puts the arguments of a launch into those of a kernel.
event device_accelerator::start_on_device(const compiled& kernel, const gang_launch& l,
                                          std::shared_ptr<const void> arguments, std::span<const event> behind) {
  const std::span parameters(l.device->parameters, static_cast<std::size_t>(l.device->parameter_count));
  stream_launch made{.kernel = kernel,
                     .range = range_of_gangs(kernel->code, gangs_for(on_.is().about(), l)),
                     .offsets = std::vector<std::uint64_t>(parameters.size()),
                     .values = std::move(arguments),
                     .where = l.where};
  std::vector<event> ahead(behind.begin(), behind.end());
  const auto temporary_block = [&](std::size_t bytes) {
    made.copies.push_back(temporary(bytes));
    return byte_range{static_cast<std::byte*>(made.copies.back().get()), bytes};
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto index = static_cast<std::size_t>(parameters[i].argument);
    if (parameters[i].form == stretto_acc_form_value) {
      made.arguments.push_back(value_argument(l.arguments.value(index)));
    } else if (parameters[i].form == stretto_acc_form_bytes) {
      const byte_range copy = temporary_block(parameters[i].bytes);
      ahead.push_back(start_copy(on_, in_streams(copy.first), l.arguments.value(index), copy.bytes, {}));
      made.arguments.push_back(memory_argument({in_streams(copy.first), copy.bytes}));
    } else {
      // A kernel gets memory, too, for an address that the device does not have.
      const device_argument& at = l.arguments.on_device(index);
      const byte_range block = at.block.bytes > 0 ? at.block : temporary_block(1);
      made.offsets[i] = static_cast<std::uint64_t>(at.address - block.first);
      made.arguments.push_back(memory_argument({in_streams(block.first), block.bytes}));
      made.arguments.push_back(value_argument(reinterpret_cast<const std::byte*>(&made.offsets[i])));
    }
  }
  return start_launch(on_, std::move(made), ahead);
}

/// All memory that the arguments are in is copied to the host and back. Pointers in that memory lead nowhere there.
void device_accelerator::run_on_host(const gang_launch& l) {
  std::map<std::byte*, std::vector<std::byte>> copies;  // by the memory on the device
  std::vector<void*> arguments(l.arguments.size());
  std::vector<std::byte*> pointers(l.arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = l.arguments.pointers()[i];
    const device_argument& at = l.arguments.on_device(i);
    if (at.block.bytes == 0) continue;
    std::vector<std::byte>& copy = copies[at.block.first];
    if (copy.empty()) {
      copy.resize(at.block.bytes);
      copy_to_host(copy.data(), at.block.first, at.block.bytes);
    }
    pointers[i] = copy.data() + (at.address - at.block.first);
    arguments[i] = at.is_pointer ? static_cast<void*>(&pointers[i]) : pointers[i];
  }
  host_accelerator::run(l.kernel, arguments.data(), l.gangs, l.work);
  for (const auto& [first, copy] : copies) copy_to_device(first, copy.data(), copy.size());
}

}  // namespace stretto::acc
