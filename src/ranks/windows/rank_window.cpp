#include "ranks/windows/rank_window.hpp"

#include <algorithm>
#include <array>

namespace stretto::ranks {
namespace {

struct known_hint {
  std::string_view key;
  std::string_view value;  // by default
};

constexpr auto known_hints = std::to_array<known_hint>({{"no_locks", "false"},
                                                        {"accumulate_ordering", "rar,raw,war,waw"},
                                                        {"accumulate_ops", "same_op_no_op"},
                                                        {"same_size", "false"},
                                                        {"same_disp_unit", "false"},
                                                        {"alloc_shared_noncontig", "false"}});

constexpr int unified_model = 321;  // MPI_WIN_UNIFIED

}  // namespace

rank_window::rank_window(std::unique_ptr<communicator> own, window_flavor flavor, base::spin_lock& combining)
    : epochs(own->size()),
      comm_(std::move(own)),
      flavor_(flavor),
      own_(combining),
      handler_(predefined_handler(error_reaction::fatal)) {
  predefined_.flavor = static_cast<int>(flavor);
  predefined_.model = unified_model;
  for (const known_hint& hint : known_hints) hints_.set(hint.key, hint.value);
  own_.window = comm_->shared_members().get();
  own_.rank = comm_->rank();
}

rank_window::~rank_window() {
  if (server_) server_->stop();
}

void rank_window::serve(std::unique_ptr<const window_channel> channel) {
  channel_ = std::move(channel);
  server_ = std::make_unique<access_server>(*channel_, own_);
  server_->start();
}

window_target& rank_window::add_remote(int rank, const fixed_memory* memory) {
  return *remote_.emplace_back(std::make_unique<message_target>(*channel_, rank, memory));
}

void rank_window::add_hints(const info& given) {
  for (const known_hint& hint : known_hints)
    if (const auto value = given.find(hint.key)) hints_.set(hint.key, *value);
}

void rank_window::use_memory(const fixed_memory& memory) {
  own_.memory.set_fixed(memory);
  predefined_.base = memory.base;
  predefined_.size = memory.size;
  predefined_.displacement_unit = static_cast<int>(memory.unit);
}

}  // namespace stretto::ranks
