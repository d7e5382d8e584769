#include "net/mpi/channel_traffic.hpp"

#include <utility>

namespace stretto::net::mpi {

class channel_traffic::channel_source final : public payload::source {
 public:
  channel_source(channel_traffic& all, peer_channels& from, const channel_note& note)
      : all_(all), from_(&from), note_(note) {}
  ~channel_source() override {
    if (from_) from_->drop(static_cast<std::uint32_t>(note_.channel));
  }
  void receive(std::byte* target, places::completion& landed) override {
    incoming in{
        std::exchange(from_, nullptr), static_cast<std::uint32_t>(note_.channel), target, 0, note_.bytes, &landed};
    in.got = in.from->copy_out(in.channel, target, 0, in.bytes);
    if (in.got == in.bytes) return end(landed);
    const std::scoped_lock lock(all_.lock_);
    all_.activity_.note_transfer(in.bytes - in.got);
    all_.coming_.push_back(in);
  }

 private:
  channel_traffic& all_;
  peer_channels* from_;
  const channel_note note_;
};

channel_traffic::channel_traffic(std::uint32_t nodes, std::uint64_t bytes, std::mutex& of_transport,
                                 transfer_activity& activity)
    : bytes_(bytes), lock_(of_transport), activity_(activity), peers_(nodes) {}

std::optional<channels_address> channel_traffic::introduce(node_number to) {
  if (peers_[to].finds != finding::not_asked) return {};
  if (!std::exchange(has_tried_, true)) own_ = own_channels::make(bytes_);
  peers_[to].finds = own_ ? finding::asked : finding::not_found;
  return own_ ? std::optional(own_->address()) : std::nullopt;
}

bool channel_traffic::meet(node_number from, const channels_address& there) {
  peers_[from].channels = peer_channels::find(there);
  return peers_[from].channels != nullptr;
}

std::optional<std::uint32_t> channel_traffic::take(node_number to) {
  return peers_[to].finds == finding::found ? own_->take() : std::nullopt;
}

void channel_traffic::go_on(std::uint32_t channel, std::span<const std::byte> payload, std::size_t done,
                            places::completion* sent, std::vector<places::completion*>& ended) {
  outgoing o{channel, payload.subspan(done), {}, sent};
  if (o.left.empty()) return has_gone(o, ended);
  if (!sent) {
    o.copied.assign(o.left.begin(), o.left.end());
    o.left = o.copied;
    outstanding_bytes_.fetch_add(o.copied.size(), std::memory_order_relaxed);
  }
  activity_.note_transfer(o.left.size());
  going_.push_back(std::move(o));
}

std::optional<channel_traffic::outgoing> channel_traffic::take_put_off() {
  if (put_off_.empty()) return {};
  std::optional<outgoing> first(std::move(put_off_.front()));
  put_off_.pop_front();
  return first;
}

std::unique_ptr<payload::source> channel_traffic::offered(node_number from, const channel_note& note) {
  return std::make_unique<channel_source>(*this, *peers_[from].channels, note);
}

void channel_traffic::has_gone(const outgoing& o, std::vector<places::completion*>& ended) {
  own_->release(o.channel);
  outstanding_bytes_.fetch_sub(o.copied.size(), std::memory_order_relaxed);
  if (o.sent) ended.push_back(o.sent);
}

void channel_traffic::advance_coming(std::vector<places::completion*>& ended) {
  std::erase_if(coming_, [&](incoming& in) {
    const std::uint64_t got = in.from->copy_out(in.channel, in.target, in.got, in.bytes);
    if (got != in.got) activity_.note_transfer(0);
    in.got = got;
    if (got != in.bytes) return false;
    ended.push_back(in.landed);
    return true;
  });
}

void channel_traffic::advance_going(std::vector<places::completion*>& ended) {
  std::erase_if(going_, [&](outgoing& o) {
    const std::size_t now = own_->copy_in(o.channel, o.left);
    if (now) activity_.note_transfer(0);
    o.left = o.left.subspan(now);
    if (!o.left.empty()) return false;
    has_gone(o, ended);
    return true;
  });
}

bool channel_traffic::is_empty() const noexcept {
  if (!coming_.empty() || !put_off_.empty()) return false;
  for (const outgoing& o : going_)
    if (own_->has_begun(o.channel)) return false;
  return true;
}

void channel_traffic::end_all(std::vector<places::completion*>& all) {
  going_.splice(going_.end(), put_off_);
  for (const outgoing& o : going_)
    if (o.sent) all.push_back(o.sent);
  for (const incoming& in : coming_) all.push_back(in.landed);
  going_.clear();
  coming_.clear();
}

}  // namespace stretto::net::mpi
