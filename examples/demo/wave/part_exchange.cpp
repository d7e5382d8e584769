#include "demo/wave/part_exchange.hpp"

#include <stdexcept>
#include <stretto/remote.hpp>
#include <stretto/task.hpp>

namespace stretto::wave {
namespace {

template <class T>
T& at(std::uint64_t address) {
  return *reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

}  // namespace

std::vector<introduction> introductions::introduce(std::uint32_t node, std::uint64_t address, introduction&& self) {
  const auto there = call(
      [](std::uint64_t address, introduction self) {
        introductions& here = at<introductions>(address);
        bool is_last = false;
        {
          const std::scoped_lock lock(here.mutex_);
          const std::uint32_t who = self.node;
          here.present_[who] = std::move(self);
          is_last = --here.missing_ == 0 && !here.is_cancelled_;
        }
        if (is_last) here.all_here_.trigger();
        wait(here.all_here_);
        return here.present_;
      },
      address, std::move(self));
  return async(at_node(node), there).get();
}

void introductions::stay_away(std::uint32_t node, std::uint64_t address) {
  const auto there = call(
      [](std::uint64_t address) {
        introductions& here = at<introductions>(address);
        {
          const std::scoped_lock lock(here.mutex_);
          if (std::exchange(here.is_cancelled_, true)) return;
        }
        here.all_here_.poison(std::make_exception_ptr(std::runtime_error("another node could not begin")));
      },
      address);
  async(at_node(node), there).get();
}

future<void> mailbox::send(std::uint32_t node, std::uint64_t address, std::uint32_t from, int step,
                           std::vector<event>&& ends) {
  const auto there = call([](std::uint64_t address, std::uint32_t from, int step,
                             std::vector<event> ends) { at<mailbox>(address).put(from, step, std::move(ends)); },
                          address, from, step, std::move(ends));
  return async(at_node(node), name("tell a neighbour"), there);
}

void mailbox::put(std::uint32_t from, int step, std::vector<event>&& ends) {
  user_event has_come;
  {
    const std::scoped_lock lock(mutex_);
    letter& one = letters_[{from, step}];
    one.ends = std::move(ends);
    has_come = one.has_come;
  }
  has_come.trigger();
}

std::vector<event> mailbox::take(std::uint32_t from, int step) {
  user_event has_come;
  {
    const std::scoped_lock lock(mutex_);
    has_come = letters_[{from, step}].has_come;
  }
  wait(has_come);
  const std::scoped_lock lock(mutex_);
  return std::move(letters_.extract({from, step}).mapped().ends);
}

}  // namespace stretto::wave
