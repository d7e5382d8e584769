#include "mobile/gathering.hpp"

namespace stretto::mobiles {

void gathering::add(const dist::writer& answer) {
  dist::writer full;
  {
    const std::scoped_lock lock(lock_);
    answers_.put_bytes(answer.all());
    if (answers_.size() < enough) return;
    full = std::exchange(answers_, dist::writer());
  }
  send_(owner_, to_, std::move(full));
}

void gathering::end() {
  dist::writer last;
  {
    const std::scoped_lock lock(lock_);
    if (--letters_) return;
    last = std::exchange(answers_, dist::writer());
  }
  if (last.size()) send_(owner_, to_, std::move(last));
}

}  // namespace stretto::mobiles
