#include "ranks/messages/usage_observer.hpp"

namespace stretto::ranks {
namespace {

/// Two observers see the same.
class observer_pair final : public usage_observer {
 public:
  observer_pair(usage_observer& first, usage_observer& second) : first_(first), second_(second) {}

  void waits(const queue_entry& entry) override {
    first_.waits(entry);
    second_.waits(entry);
  }
  void matched(const queue_entry& waited, std::int64_t bytes) override {
    first_.matched(waited, bytes);
    second_.matched(waited, bytes);
  }
  void forgotten(const queue_entry& entry) override {
    first_.forgotten(entry);
    second_.forgotten(entry);
  }
  void ends_meeting() override {
    first_.ends_meeting();
    second_.ends_meeting();
  }
  void sends(rank_message& message) override {
    first_.sends(message);
    second_.sends(message);
  }
  void delivers(const rank_message* sent) noexcept override {
    first_.delivers(sent);
    second_.delivers(sent);
  }
  void begun_elsewhere(const collective_notice& notice) override {
    first_.begun_elsewhere(notice);
    second_.begun_elsewhere(notice);
  }
  void accessed_elsewhere(const void* window, std::span<const std::byte> described) override {
    first_.accessed_elsewhere(window, described);
    second_.accessed_elsewhere(window, described);
  }
  void ended_elsewhere(const void* window, int origin, int target) override {
    first_.ended_elsewhere(window, origin, target);
    second_.ended_elsewhere(window, origin, target);
  }

 private:
  usage_observer &first_, &second_;
};

}  // namespace

void usage_observer::install(usage_observer& one) {
  installed = installed ? new observer_pair(*installed, one) : &one;  // ranks may outlive static objects
}

}  // namespace stretto::ranks
