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
    in.copied_bytes = in.from->copy_out(in.channel, target, 0, in.bytes);
    if (in.copied_bytes == in.bytes) return end(landed);
    const std::scoped_lock lock(all_.lock_);
    all_.activity_.note_transfer(in.bytes - in.copied_bytes);
    all_.incoming_.push_back(in);
  }

 private:
  channel_traffic& all_;
  peer_channels* from_;
  const channel_note note_;
};

channel_traffic::channel_traffic(std::uint32_t nodes, std::uint64_t bytes, std::mutex& transport_lock,
                                 transfer_activity& activity)
    : bytes_(bytes), lock_(transport_lock), activity_(activity), peers_(nodes) {}

std::optional<channels_address> channel_traffic::address_to_send(node_number to) {
  if (peers_[to].mapping != mapping_state::not_sent) return {};
  if (!std::exchange(has_tried_to_make_, true)) own_ = own_channels::make(bytes_);
  peers_[to].mapping = own_ ? mapping_state::sent : mapping_state::not_mapped;
  return own_ ? std::optional(own_->address()) : std::nullopt;
}

bool channel_traffic::map_channels_of(node_number from, const channels_address& there) {
  peers_[from].channels = peer_channels::find(there);
  return peers_[from].channels != nullptr;
}

std::optional<std::uint32_t> channel_traffic::take(node_number to) {
  return peers_[to].mapping == mapping_state::mapped ? own_->take() : std::nullopt;
}

void channel_traffic::continue_copy(std::uint32_t channel, std::span<const std::byte> payload, std::size_t done,
                                    places::completion* sent, std::vector<places::completion*>& ended) {
  outgoing o{channel, payload.subspan(done), {}, sent};
  if (o.left.empty()) return finish_outgoing(o, ended);
  if (!sent) {
    o.copied.assign(o.left.begin(), o.left.end());
    o.left = o.copied;
    outstanding_bytes_.fetch_add(o.copied.size(), std::memory_order_relaxed);
  }
  activity_.note_transfer(o.left.size());
  outgoing_.push_back(std::move(o));
}

std::optional<channel_traffic::outgoing> channel_traffic::take_deferred() {
  if (deferred_.empty()) return {};
  std::optional<outgoing> first(std::move(deferred_.front()));
  deferred_.pop_front();
  return first;
}

std::unique_ptr<payload::source> channel_traffic::source_of(node_number from, const channel_note& note) {
  return std::make_unique<channel_source>(*this, *peers_[from].channels, note);
}

void channel_traffic::finish_outgoing(const outgoing& o, std::vector<places::completion*>& ended) {
  own_->release(o.channel);
  outstanding_bytes_.fetch_sub(o.copied.size(), std::memory_order_relaxed);
  if (o.sent) ended.push_back(o.sent);
}

void channel_traffic::advance_incoming(std::vector<places::completion*>& ended) {
  std::erase_if(incoming_, [&](incoming& in) {
    const std::uint64_t copied_bytes = in.from->copy_out(in.channel, in.target, in.copied_bytes, in.bytes);
    if (copied_bytes != in.copied_bytes) activity_.note_transfer(0);
    in.copied_bytes = copied_bytes;
    if (copied_bytes != in.bytes) return false;
    ended.push_back(in.landed);
    return true;
  });
}

void channel_traffic::advance_outgoing(std::vector<places::completion*>& ended) {
  std::erase_if(outgoing_, [&](outgoing& o) {
    const std::size_t now = own_->copy_in(o.channel, o.left);
    if (now) activity_.note_transfer(0);
    o.left = o.left.subspan(now);
    if (!o.left.empty()) return false;
    finish_outgoing(o, ended);
    return true;
  });
}

bool channel_traffic::is_empty() const noexcept {
  if (!incoming_.empty() || !deferred_.empty()) return false;
  for (const outgoing& o : outgoing_)
    if (own_->has_begun(o.channel)) return false;
  return true;
}

void channel_traffic::end_all(std::vector<places::completion*>& all) {
  outgoing_.splice(outgoing_.end(), deferred_);
  for (const outgoing& o : outgoing_)
    if (o.sent) all.push_back(o.sent);
  for (const incoming& in : incoming_) all.push_back(in.landed);
  outgoing_.clear();
  incoming_.clear();
}

}  // namespace stretto::net::mpi
