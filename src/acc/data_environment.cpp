#include "acc/data_environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stretto/error.hpp>
#include <utility>

namespace stretto::acc {
namespace {

constexpr int flags = stretto_acc_zero | stretto_acc_finalize | stretto_acc_if_present | stretto_acc_implied;

int action_of(const stretto_acc_data& data) { return data.action & ~flags; }

bool begins_with_values(int action) { return action == stretto_acc_copy || action == stretto_acc_copyin; }
bool ends_with_copy(int action) { return action == stretto_acc_copy || action == stretto_acc_copyout; }

std::byte* location_of(const stretto_acc_data& data) { return reinterpret_cast<std::byte*>(data.pointer); }
const std::byte* target_of(const stretto_acc_data& data) { return static_cast<const std::byte*>(*data.pointer); }

/// A pointer without a part stands for what is on the device where it points to.
bool has_part(const stretto_acc_data& data) { return data.extent_count > 0; }

/// An address of the part's array. An implied part may exceed the array, and begin in another one: a loop need not run
/// to its bounds.
const std::byte* anchor_of(const stretto_acc_data& data, const byte_range& range) {
  const auto* const base = static_cast<const std::byte*>(data.base);
  return range.first <= base && base < range.first + range.bytes ? base : range.first;
}

byte_range whole_of(const mapping& one) { return {one.host, one.bytes}; }

error without_memory(const byte_range& range, const char* name, const char* where, const present_table& table) {
  std::size_t present = 0;
  for (const mapping* one : table.all()) present += one->bytes;
  return error("O14", fmt::format("the device has no memory for \"{}\"", name))
      .fact("at", where)
      .fact("wanted", fmt::format("{} bytes", range.bytes))
      .fact("present", fmt::format("{} variables, {} bytes", table.all().size(), present))
      .because("the memory of a device is limited, and what is present stays until its region or exit data ends")
      .remedy("let data leave the device earlier, or let more ranks share the work");
}

error unusable_pointer(const mapping& in, const mapping& to, const char* where) {
  return error("O18", fmt::format("the device cannot follow the pointer in \"{}\"", in.name))
      .fact("at", where)
      .fact("points to", fmt::format("\"{}\", on the device since {}", to.name, to.where))
      .because("kernels of this device do not find its memory at the addresses that pointers have")
      .remedy(
          "copy the pointer into a variable ahead of the region, or choose another device (STRETTO_ACC_DEVICE_TYPE)");
}

}  // namespace

data_environment::~data_environment() {
  for (const mapping* one : table_.all())
    if (!one->is_borrowed) on_.release(one->device);
  for (const auto& [memory, bytes] : allocated_) on_.release(const_cast<std::byte*>(memory));
}

void data_environment::use(mapping& one, queue_number queue, data_work& into) {
  if (queue) {
    one.queues.insert(*queue);
    return;
  }
  into.queues.merge(one.queues);
  one.queues.clear();
}

void data_environment::enter(const stretto_acc_data& data, scope in, queue_number queue, const char* where,
                             data_work& into) {
  const std::scoped_lock lock(mutex_);
  const request r{data, in, queue, where, into};
  if (!data.base) return;  // a null pointer counts as present
  if (action_of(data) == stretto_acc_attach) return attach(location_of(data), target_of(data), r);
  const byte_range range = whole_range(data);
  enter_range(range, r);
  for (const pointed_row& row : rows(data)) {
    const byte_range of_row = whole_range(row.points);
    if (enter_range(of_row, {row.points, in, queue, where, into})) attach(row.pointer, of_row.first, r);
  }
  if (data.pointer) attach(location_of(data), anchor_of(data, range), r);
}

mapping* data_environment::find(const byte_range& range, const request& r) {
  mapping* const there = (r.data.action & stretto_acc_implied) ? table_.at_host(anchor_of(r.data, range)) : nullptr;
  return there ? there : table_.find(range.first, range.bytes, r.data.name, r.where);
}

mapping* data_environment::enter_range(const byte_range& range, const request& r) {
  mapping* found = find(range, r);
  const int action = action_of(r.data);
  const bool is_empty = range.bytes == 0 && has_part(r.data);
  if (!found && action == stretto_acc_present && !is_empty) refuse_absent(range, r.data.name, r.where);
  if (!found && (action == stretto_acc_no_create || range.bytes == 0)) return nullptr;
  if (!found && (r.data.action & stretto_acc_implied) && block_of(range.first).bytes > 0) return nullptr;
  if (!found) found = &add(range, r);
  ++(r.in == scope::structured ? found->structured : found->dynamic);
  return found;
}

mapping& data_environment::add(const byte_range& range, const request& r) {
  std::byte* const device = on_.share(range.first, range.bytes) ? range.first : on_.allocate(range.bytes);
  if (!device) throw without_memory(range, r.data.name, r.where, table_);
  mapping& made =
      table_.add({.host = range.first, .bytes = range.bytes, .device = device, .name = r.data.name, .where = r.where});
  std::vector<transfer>& moved = r.into.transfers;
  if (begins_with_values(action_of(r.data)) && !made.is_shared())
    moved.push_back({transfer::kind::to_device, device, range.first, range.bytes});
  if ((r.data.action & stretto_acc_zero) && !made.is_shared())
    moved.push_back({transfer::kind::clear, device, nullptr, range.bytes});
  use(made, r.queue, r.into);
  return made;
}

void data_environment::leave(const stretto_acc_data& data, scope in, queue_number queue, const char* where,
                             data_work& into) {
  const std::scoped_lock lock(mutex_);
  const request r{data, in, queue, where, into};
  const bool is_final = (data.action & stretto_acc_finalize) != 0;
  const int action = action_of(data);
  if (action == stretto_acc_attach || action == stretto_acc_detach) return detach(location_of(data), is_final, r);
  if (data.pointer) detach(location_of(data), false, r);
  if (!data.base) return;
  for (const pointed_row& row : rows(data)) {
    detach(row.pointer, false, r);
    leave_range(whole_range(row.points), {row.points, in, queue, where, into});
  }
  leave_range(whole_range(data), r);
}

void data_environment::leave_range(const byte_range& range, const request& r) {
  mapping* const found = find(range, r);
  if (!found || found->is_borrowed) return;
  unsigned& count = r.in == scope::structured ? found->structured : found->dynamic;
  if (r.data.action & stretto_acc_finalize) count = 0;
  else if (count > 0) --count;
  const bool asks_for_copy = ends_with_copy(action_of(r.data));
  if (found->is_counted()) {
    if (asks_for_copy && (r.data.action & stretto_acc_finalize)) found->is_copied_last = true;
    return;
  }
  // Pointers to rows are the host's; their copies on the device are not.
  if ((asks_for_copy || found->is_copied_last) && r.data.pointer_level == 0)
    copy_range(*found, has_part(r.data) ? range : whole_of(*found), transfer::kind::to_host, r);
  remove(*found, r);
}

void data_environment::remove(const mapping& one, const request& r) {
  for (const int queue : one.queues)
    if (queue != r.queue) r.into.queues.insert(queue);
  if (!one.is_borrowed) r.into.transfers.push_back({transfer::kind::release, one.device});
  table_.remove(one);
}

/// at: an address of the array on the device, which may begin behind the one to which the pointer points
void data_environment::attach(std::byte* pointer, const std::byte* at, const request& r) {
  mapping* const in = table_.at_host(pointer);
  if (!in) return;
  auto* const target = *reinterpret_cast<std::byte**>(pointer);
  const mapping* const to = target ? table_.at_host(at) : nullptr;
  if (!to) return;
  if (!on_.follows_pointers() || (in->is_shared() && !to->is_shared())) throw unusable_pointer(*in, *to, r.where);
  if (in->attached[pointer]++ > 0) return;
  if (in->is_shared()) return;  // the pointer is the host's own
  use(*in, r.queue, r.into);
  r.into.transfers.push_back(
      {transfer::kind::write_pointer, device_address(*in, pointer), device_address(*to, target)});
}

void data_environment::detach(std::byte* pointer, bool is_final, const request& r) {
  mapping* const in = table_.at_host(pointer);
  if (!in) return;
  const auto found = in->attached.find(pointer);
  if (found == in->attached.end()) return;
  if (is_final) found->second = 1;
  if (--found->second > 0) return;
  in->attached.erase(found);
  if (in->is_shared()) return;
  use(*in, r.queue, r.into);
  r.into.transfers.push_back(
      {transfer::kind::write_pointer, device_address(*in, pointer), *reinterpret_cast<std::byte**>(pointer)});
}

/// Without the pointers that are attached: their values differ between host and device.
void data_environment::copy_range(const mapping& in, const byte_range& range, transfer::kind way,
                                  const request& r) const {
  if (in.is_shared()) return;
  std::byte* at = range.first;
  std::byte* const end = range.first + range.bytes;
  const auto copy_until = [&](std::byte* last) {
    if (at < last) r.into.transfers.push_back({way, device_address(in, at), at, static_cast<std::size_t>(last - at)});
  };
  for (const auto& [pointer, count] : in.attached) {
    if (pointer < at || pointer >= end) continue;
    copy_until(pointer);
    at = pointer + sizeof(void*);
  }
  copy_until(end);
}

void data_environment::update(const stretto_acc_data& data, queue_number queue, const char* where, data_work& into) {
  const std::scoped_lock lock(mutex_);
  const request r{data, scope::dynamic, queue, where, into};
  if (!has_part(data)) return update_range({static_cast<std::byte*>(data.base), 0}, r);
  if (data.pointer_level == 0) {
    for (const byte_range& one : contiguous_ranges(data)) update_range(one, r);
    return;
  }
  for (const pointed_row& row : rows(data))
    for (const byte_range& one : contiguous_ranges(row.points)) update_range(one, r);
}

void data_environment::update_range(const byte_range& range, const request& r) {
  mapping* const found = table_.find(range.first, range.bytes, r.data.name, r.where);
  if (!found && !(r.data.action & stretto_acc_if_present)) refuse_absent(range, r.data.name, r.where);
  if (!found) return;
  use(*found, r.queue, r.into);
  const bool is_to_host = action_of(r.data) == stretto_acc_update_host;
  copy_range(*found, has_part(r.data) ? range : whole_of(*found),
             is_to_host ? transfer::kind::to_host : transfer::kind::to_device, r);
}

void data_environment::refuse_absent(const byte_range& range, const char* name, const char* where) const {
  std::string present;
  for (const mapping* one : table_.all())
    if (present.size() < 200)
      present += fmt::format("{}\"{}\" since {}", present.empty() ? "" : ", ", one->name, one->where);
  throw error("O13", fmt::format("\"{}\" is not on the device", name))
      .fact("at", where)
      .fact("wanted", range_text(range.first, range.bytes))
      .fact("present", present.empty() ? "nothing" : present)
      .because("no data region around this point and no enter data before it has brought it there")
      .remedy(fmt::format("bring it there first: #pragma acc enter data copyin({})", name));
}

std::byte* data_environment::device_of(const std::byte* host) {
  const std::scoped_lock lock(mutex_);
  const mapping* const found = table_.at_host(host);
  return found ? device_address(*found, host) : nullptr;
}

kernel_memory data_environment::used_by_kernel(const std::byte* pointer, const stretto_acc_data* part,
                                               queue_number queue, data_work& into) {
  const std::scoped_lock lock(mutex_);
  mapping* found = table_.at_host(pointer);
  // A pointer that has changed since its region began points to another array.
  if (part && (!found || part->base == pointer))
    if (mapping* const named = table_.at_host(anchor_of(*part, whole_range(*part)))) found = named;
  if (!found) return {};
  use(*found, queue, into);
  return {device_address(*found, pointer), block_of(found->device)};
}

std::byte* data_environment::present_address(const std::byte* host, const char* name, const char* where) {
  if (std::byte* const found = device_of(host)) return found;
  refuse_absent({const_cast<std::byte*>(host), 0}, name, where);
}

byte_range data_environment::block_at(const std::byte* device) {
  const std::scoped_lock lock(mutex_);
  return block_of(device);
}

byte_range data_environment::block_of(const std::byte* device) {
  const auto next = allocated_.upper_bound(device);
  if (next != allocated_.begin()) {
    const auto& [first, bytes] = *std::prev(next);
    if (device < first + bytes) return {const_cast<std::byte*>(first), bytes};
  }
  const mapping* const found = table_.at_device(device);
  return found ? byte_range{found->device, found->bytes} : byte_range{};
}

std::byte* data_environment::host_of(const std::byte* device) {
  const std::scoped_lock lock(mutex_);
  const mapping* const found = table_.at_device(device);
  return found ? found->host + (device - found->device) : nullptr;
}

bool data_environment::is_present(const std::byte* host, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const mapping* const found = table_.at_host(host);
  return (!host && bytes == 0) || (found && host + bytes <= found->end());
}

std::byte* data_environment::allocate(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  std::byte* const memory = on_.allocate(bytes);
  if (memory) allocated_[memory] = bytes;
  return memory;
}

void data_environment::release(std::byte* memory) {
  const std::scoped_lock lock(mutex_);
  if (allocated_.erase(memory) > 0) on_.release(memory);
}

void data_environment::map(std::byte* host, std::byte* device, std::size_t bytes, const char* where) {
  const std::scoped_lock lock(mutex_);
  if (bytes == 0 || table_.find(host, bytes, "acc_map_data", where)) return;
  table_.add({.host = host,
              .bytes = bytes,
              .device = device,
              .name = "acc_map_data",
              .where = where,
              .dynamic = 1,
              .is_borrowed = true});
}

void data_environment::unmap(const std::byte* host) {
  const std::scoped_lock lock(mutex_);
  const mapping* const found = table_.at_host(host);
  if (found && found->is_borrowed) table_.remove(*found);
}

}  // namespace stretto::acc
