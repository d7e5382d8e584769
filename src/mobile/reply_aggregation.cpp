#include "mobile/reply_aggregation.hpp"

namespace stretto::mobiles {

void gathering::add(std::span<const std::byte> words, std::span<const std::byte> rest) {
  std::vector<std::byte> full;
  {
    const std::scoped_lock lock(lock_);
    if (answers_.empty()) answers_.reserve(letters_ * (words.size() + rest.size()) + 64);  // as if the others were like this one
    answers_.insert(answers_.end(), words.begin(), words.end());
    answers_.insert(answers_.end(), rest.begin(), rest.end());
    if (answers_.size() < enough) return;
    full = std::exchange(answers_, {});
  }
  send(full);
}

void gathering::end() {
  std::vector<std::byte> last;
  {
    const std::scoped_lock lock(lock_);
    if (--letters_) return;
    last = std::exchange(answers_, {});
  }
  if (!last.empty()) send(last);
}

void gathering::send(std::span<const std::byte> answers) {
  dist::writer w;
  w.put_bytes(answers);
  send_(owner_, to_, std::move(w));
}

}  // namespace stretto::mobiles
