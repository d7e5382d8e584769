#include "device/sim/exported_memories.hpp"

#include <cstring>
#include <map>
#include <mutex>

#include "base/process_wide.hpp"

namespace stretto::device::sim {

namespace {

struct table {
  std::mutex mutex;
  std::uint64_t numbers = 0;
  std::map<std::uint64_t, std::weak_ptr<const sim_memory>> all;
};
table& exported() {
  // a device in a global variable is closed after function-local statics
  static table& one = base::make_process_wide<table>();
  return one;
}

}  // namespace

exported_memory::exported_memory(const std::shared_ptr<const sim_memory>& is) {
  table& t = exported();
  const std::scoped_lock lock(t.mutex);
  number_ = ++t.numbers;
  t.all.emplace(number_, is);
}

exported_memory::~exported_memory() {
  table& t = exported();
  const std::scoped_lock lock(t.mutex);
  t.all.erase(number_);
}

std::shared_ptr<const sim_memory> exported_memory::find(std::span<const std::byte> token) {
  std::uint64_t number = 0;
  if (token.size() != sizeof number) return nullptr;
  std::memcpy(&number, token.data(), sizeof number);
  table& t = exported();
  const std::scoped_lock lock(t.mutex);
  const auto found = t.all.find(number);
  return found == t.all.end() ? nullptr : found->second.lock();
}

}  // namespace stretto::device::sim
