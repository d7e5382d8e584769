#include "net/mpi/channel_traffic.hpp"

#include <utility>

namespace stretto::net::mpi {

class lane_traffic::in_lane final : public payload::source {
 public:
  in_lane(lane_traffic& all, lanes_of_other& from, const lane_note& note) : all_(all), from_(&from), note_(note) {}
  ~in_lane() override {
    if (from_) from_->drop(static_cast<std::uint32_t>(note_.lane));
  }
  void receive(std::byte* target, places::completion& landed) override {
    incoming in{std::exchange(from_, nullptr), static_cast<std::uint32_t>(note_.lane), target, 0, note_.bytes, &landed};
    in.got = in.from->copy_out(in.lane, target, 0, in.bytes);
    if (in.got == in.bytes) return end(landed);
    const std::scoped_lock lock(all_.lock_);
    all_.moves_.moved(in.bytes - in.got);
    all_.coming_.push_back(in);
  }

 private:
  lane_traffic& all_;
  lanes_of_other* from_;
  const lane_note note_;
};

lane_traffic::lane_traffic(std::uint32_t nodes, std::uint64_t bytes, std::mutex& of_transport, movement& moves)
    : bytes_(bytes), lock_(of_transport), moves_(moves), peers_(nodes) {}

std::optional<lanes_address> lane_traffic::introduce(node_number to) {
  if (peers_[to].finds != finding::not_asked) return {};
  if (!std::exchange(has_tried_, true)) own_ = own_lanes::make(bytes_);
  peers_[to].finds = own_ ? finding::asked : finding::not_found;
  return own_ ? std::optional(own_->address()) : std::nullopt;
}

bool lane_traffic::meet(node_number from, const lanes_address& there) {
  peers_[from].lanes = lanes_of_other::find(there);
  return peers_[from].lanes != nullptr;
}

std::optional<std::uint32_t> lane_traffic::take(node_number to) {
  return peers_[to].finds == finding::found ? own_->take() : std::nullopt;
}

void lane_traffic::go_on(std::uint32_t lane, std::span<const std::byte> payload, std::size_t done, places::completion* sent,
                         std::vector<places::completion*>& ended) {
  outgoing o{lane, payload.subspan(done), {}, sent};
  if (o.left.empty()) return has_gone(o, ended);
  if (!sent) {
    o.copied.assign(o.left.begin(), o.left.end());
    o.left = o.copied;
    held_.fetch_add(o.copied.size(), std::memory_order_relaxed);
  }
  moves_.moved(o.left.size());
  going_.push_back(std::move(o));
}

std::optional<lane_traffic::outgoing> lane_traffic::take_put_off() {
  if (put_off_.empty()) return {};
  std::optional<outgoing> first(std::move(put_off_.front()));
  put_off_.pop_front();
  return first;
}

std::unique_ptr<payload::source> lane_traffic::offered(node_number from, const lane_note& note) {
  return std::make_unique<in_lane>(*this, *peers_[from].lanes, note);
}

void lane_traffic::has_gone(const outgoing& o, std::vector<places::completion*>& ended) {
  own_->release(o.lane);
  held_.fetch_sub(o.copied.size(), std::memory_order_relaxed);
  if (o.sent) ended.push_back(o.sent);
}

void lane_traffic::advance_coming(std::vector<places::completion*>& ended) {
  std::erase_if(coming_, [&](incoming& in) {
    const std::uint64_t got = in.from->copy_out(in.lane, in.target, in.got, in.bytes);
    if (got != in.got) moves_.moved(0);
    in.got = got;
    if (got != in.bytes) return false;
    ended.push_back(in.landed);
    return true;
  });
}

void lane_traffic::advance_going(std::vector<places::completion*>& ended) {
  std::erase_if(going_, [&](outgoing& o) {
    const std::size_t now = own_->copy_in(o.lane, o.left);
    if (now) moves_.moved(0);
    o.left = o.left.subspan(now);
    if (!o.left.empty()) return false;
    has_gone(o, ended);
    return true;
  });
}

bool lane_traffic::is_empty() const noexcept {
  if (!coming_.empty() || !put_off_.empty()) return false;
  for (const outgoing& o : going_)
    if (own_->has_begun(o.lane)) return false;
  return true;
}

void lane_traffic::end_all(std::vector<places::completion*>& all) {
  going_.splice(going_.end(), put_off_);
  for (const outgoing& o : going_)
    if (o.sent) all.push_back(o.sent);
  for (const incoming& in : coming_) all.push_back(in.landed);
  going_.clear();
  coming_.clear();
}

}  // namespace stretto::net::mpi
