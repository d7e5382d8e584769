#include "ranks/heap/readonly_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.hpp"
#include "data/data_state.hpp"
#include "ranks/call_error.hpp"
#include "ranks/heap/heap_blocks.hpp"
#include "ranks/thread_identity.hpp"

namespace stretto::ranks {
namespace {

struct declared_buffer {
  const program_copy* by;
  readonly_buffer what;
};

struct declaration_table {
  std::mutex mutex;
  std::vector<declared_buffer> all;
};

declaration_table& declarations() {
  static auto* const table = new declaration_table;
  return *table;
}

const program_copy* calling_program() {
  const thread_identity* const identity = identity_of_thread();
  return identity ? identity->copy : nullptr;
}

/// The calling rank's declarations of a buffer; empty without one. A call may send from an address that it receives to,
/// once the receiver shares the beginning of the sender's block.
readonly_buffer declared_of(const void* buffer) {
  declaration_table& table = declarations();
  const program_copy* const by = calling_program();
  const std::scoped_lock lock(table.mutex);
  readonly_buffer found;
  for (const auto& [program, one] : table.all) {
    if (program != by || one.at != buffer) continue;
    found.is_sent |= one.is_sent;
    if (one.variable) found.variable = one.variable, found.where = one.where;
  }
  return found;
}

void inform(const std::string& text) {
  base::thread_context* const here = base::current();
  if (!here) return;
  if (const auto& log = data::state_of(*here).settings.inform) log(text);
}

/// Null if the data can be shared as far as one side knows.
const char* reason_against(const data_part& data) {
  if (data.bytes() < static_cast<std::int64_t>(heap_blocks::least_bytes)) return "it has fewer than 64 KiB";
  if (!data.is_dense()) return "its elements do not lie one after another in the host's memory";
  return nullptr;
}

const char* text_of(sharing result) {
  switch (result) {
    case sharing::sent_from_elsewhere: return "the sender's data is not within one block of the heap";
    case sharing::received_elsewhere: return "the receiver's pointer is not the start of a block of the heap";
    default: return "the receiver's block is larger than the message";
  }
}

std::byte* bytes_of(const void* address) { return static_cast<std::byte*>(const_cast<void*>(address)); }

/// The block of the variable, without other holds. The caller receives `bytes` bytes into it.
std::byte* own_block(void** variable, std::size_t bytes) {
  const auto held = blocks_of_process().find(bytes_of(*variable));
  if (!held || held->block_holds == 1) return bytes_of(*variable);
  std::byte* const made = bytes_of(std::malloc(held->bytes));
  if (!made) throw call_error(error_class::no_memory, "no memory for a block that no other rank shares");
  if (held->bytes > bytes) std::memcpy(made + bytes, bytes_of(*variable) + bytes, held->bytes - bytes);
  blocks_of_process().add(made, held->bytes);
  std::free(blocks_of_process().release(bytes_of(*variable)).unused);
  *variable = made;
  return made;
}

}  // namespace

std::atomic<int> readonly_buffer_count{0};

bool may_share_blocks() noexcept {
  static const bool may = [] {
    const char* const text = std::getenv("STRETTO_ACC_SHARE_HEAP");
    return !text || std::string_view(text) != "0";
  }();
  return may;
}

void declare_readonly(const readonly_buffer& one) {
  if (!may_share_blocks()) return;
  declaration_table& table = declarations();
  const std::scoped_lock lock(table.mutex);
  table.all.push_back({calling_program(), one});
  readonly_buffer_count.store(static_cast<int>(table.all.size()), std::memory_order_relaxed);
}

void end_readonly(const char* where) {
  declaration_table& table = declarations();
  const program_copy* const by = calling_program();
  const std::scoped_lock lock(table.mutex);
  std::erase_if(table.all,
                [&](const declared_buffer& one) { return one.by == by && std::strcmp(one.what.where, where) == 0; });
  readonly_buffer_count.store(static_cast<int>(table.all.size()), std::memory_order_relaxed);
}

void report_copy(const char* where, const char* because) {
  if (may_share_blocks()) inform(fmt::format("the message at {} is copied, not shared: {}", where, because));
}

void report_copy_of(const data_part& into, const char* because) {
  if (into.variable()) inform(fmt::format("a message of {} bytes is copied, not shared: {}", into.bytes(), because));
}

bool is_sent_readonly(const void* buffer) { return declared_of(buffer).is_sent; }

data_part readonly_sent(const data_part& data, const void* buffer) {
  data_part marked = data;
  if (is_sent_readonly(buffer)) marked.mark_readonly();
  return marked;
}

data_part readonly_received(const data_part& data, const void* buffer) {
  const readonly_buffer declared = declared_of(buffer);
  if (!declared.variable) return data;
  if (!data.is_dense()) {
    report_copy(declared.where, reason_against(data));
    return data;
  }
  data_part marked(own_block(declared.variable, static_cast<std::size_t>(data.bytes())), data.bytes());
  if (const char* const reason = reason_against(data)) report_copy(declared.where, reason);
  else marked.mark_received(declared.variable);
  return marked;
}

bool try_share_block(const data_part& into, const data_part& from) {
  void** const variable = into.variable();
  if (!variable) return false;
  const char* reason = nullptr;
  heap_blocks::ended_hold left{};
  if (!from.is_readonly()) reason = "the sender does not declare it readonly";
  else if (from.bytes() > into.bytes()) reason = "it has more bytes than the receive buffer";
  else if (const sharing result =
               blocks_of_process().share(from.address(), static_cast<std::size_t>(from.bytes()), into.address(), left);
           result != sharing::shared)
    reason = text_of(result);
  if (reason) {
    report_copy_of(into, reason);
    return false;
  }
  *variable = from.address();
  std::free(left.unused);
  return true;
}

}  // namespace stretto::ranks
