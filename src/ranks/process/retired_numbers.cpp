// retired_numbers.cpp - asks the mailbox whether receives wait for messages of a communicator.
#include "ranks/process/retired_numbers.hpp"

namespace stretto::ranks {

void retired_numbers::keep(const communicator& freed) {
  const context_number context = point_to_point_context(freed.members().number);
  if (!freed.numbers() || !mailbox_.has_receives(context)) return;
  const std::scoped_lock lock(mutex_);
  all_.push_back({context, freed.numbers()});
}

void retired_numbers::release() {
  const std::scoped_lock lock(mutex_);
  std::erase_if(all_, [&](const kept_numbers& one) { return !mailbox_.has_receives(one.context); });
}

}  // namespace stretto::ranks
