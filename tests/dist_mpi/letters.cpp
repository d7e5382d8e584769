#include "letters.hpp"

#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/launch.hpp>
#include <stretto/mobile.hpp>
#include <stretto/platform_of.hpp>
#include <stretto/received_buffer.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "dist/stuck_sends.hpp"
#include "drawing.hpp"
#include "global/payloads.hpp"
#include "process_memory.hpp"
#include "thrown_by.hpp"

namespace stretto::test {
namespace {

using letter = std::vector<std::byte>;

/// The most memory that this process has had.
std::uint64_t peak_bytes() { return process_memory("VmHWM:"); }

constexpr std::size_t letter_bytes = 64 << 10;
constexpr int letters = 4000;  // 250 MiB to functions, and as much to an object
constexpr std::uint64_t most_growth = 64 << 20;

long bytes_taken = 0;  // of the node's one worker
void take_slowly(const letter& l) {
  std::this_thread::sleep_for(std::chrono::microseconds(100));
  bytes_taken += static_cast<long>(l.size());
}
long taken_here() { return bytes_taken; }

struct slow_reader {
  long taken = 0;
  void take(const letter& l) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    taken += static_cast<long>(l.size());
  }
  long all() const { return taken; }
  template <class Archive>
  friend void fields(Archive& a, archived<slow_reader, Archive>& r) {
    a(r.taken);
  }
};

}  // namespace

void flood_the_last() {
  if (this_node() != 0) return;
  const std::uint32_t last = job_nodes() - 1;
  const auto reader = make_mobile<slow_reader>(at_node(last));
  expect(send(reader, call<&slow_reader::all>()).get() == 0, "a reader that has read nothing");
  const std::uint64_t here = peak_bytes(), there = async(at_node(last), call<&peak_bytes>()).get();
  const stuck_sends stuck;
  finish([&] {
    for (int i = 0; i < letters; ++i) async(at_node(last), call<&take_slowly>(letter(letter_bytes)));
    for (int i = 0; i < letters; ++i) send(reader, call<&slow_reader::take>(letter(letter_bytes)));
  });
  constexpr long all = letters * static_cast<long>(letter_bytes);
  expect(async(at_node(last), call<&taken_here>()).get() == all && send(reader, call<&slow_reader::all>()).get() == all,
         "every letter of a flood");
  if (base::address_sanitizer || base::thread_sanitizer) return;  // which keep what is freed
  const std::uint64_t grown_here = peak_bytes() - here,
                      grown_there = async(at_node(last), call<&peak_bytes>()).get() - there;
  const std::uint64_t allowed = most_growth + static_cast<std::uint64_t>(stuck.most()) * letter_bytes;
  expect(grown_here < allowed && grown_there < allowed,
         "floods within a bounded memory: " + std::to_string(grown_here >> 20) + " and " +
             std::to_string(grown_there >> 20) + " MiB");
}

namespace {

std::size_t size_of(const letter& l) { return l.size(); }
letter so_large(std::size_t bytes) { return letter(bytes, std::byte{7}); }

}  // namespace

void refuse_what_is_large() {
  if (this_node() != 0) return;
  constexpr std::size_t large = 24 << 20, just = 18 << 20;
  const std::uint32_t last = job_nodes() - 1;
  const auto reader = make_mobile<slow_reader>(at_node(last));
  const auto before = send(reader, call<&slow_reader::take>(letter(3)));
  const auto refused = async(at_node(last), call<&size_of>(letter(large)));
  const auto letter_refused = send(reader, call<&slow_reader::take>(letter(large)));
  const auto behind = send(reader, call<&slow_reader::take>(letter(4)));
  expect(async(at_node(last), call<&size_of>(letter(just))).get() == just, "a message that there is room for");
  expect(words_of(refused).find("error N18: node N" + std::to_string(last) + " has no memory for a message") !=
             std::string::npos,
         "a message that is too large: " + words_of(refused));
  expect(words_of(letter_refused).find("error N18") != std::string::npos,
         "a letter that is too large: " + words_of(letter_refused));
  expect(words_of(async(at_node(last), call<&so_large>(large))).find("error N18") != std::string::npos,
         "an answer that is too large");
  expect(async(at_node(last), call<&so_large>(just)).get().back() == std::byte{7}, "an answer that there is room for");
  expect(words_of(before).empty() && words_of(behind).empty() && send(reader, call<&slow_reader::all>()).get() == 7,
         "letters before and behind one that is refused");
}

namespace {

STRETTO_KERNEL(buffer_twice, (inout<int> x), { x(global_id(0)) *= 2; })

/// Leaves a launch behind, and a copy of what that makes.
event double_later(const received_buffer<int>& b, event gate, const instance<int>& into) {
  const event doubled = launch(after(gate), buffer_twice, b.elements().elements(), b.elements());
  b.keep_until(doubled);
  return copy(b.elements(), into, after(doubled));
}

}  // namespace

void send_buffers() {
  if (this_node() != 0) return;
  for (std::uint32_t n = 0; n < job_nodes(); ++n) {
    const auto devices = platform_of(at_node(n)).get().places(place_kind::gpu_memory);
    std::vector<at_place> memories{at_place{}};
    if (!devices.empty()) memories.push_back(at(devices.front()));
    for (const at_place& memory : memories)
      for (const coordinate size : {1, 5000, 900'000}) {
        const auto numbers = counted_from(3, size);
        expect(send_buffer(at_node(n), std::span(numbers), memory, call<&content_here>()).get() == numbers,
               "a buffer that was sent");
        const auto gate = user_event::create();
        const instance<int> into = instance<int>::create(at_node(0), box(0, size)).made;
        wait(into.ready());
        const auto left = send_buffer(at_node(n), std::span(numbers), memory, call<&double_later>(event(gate), into))
                              .get();  // the handler has returned
        gate.trigger();
        wait(left);
        const auto seen = content_of(into);
        for (std::size_t i = 0; i < seen.size(); ++i)
          expect(seen[i] == 2 * numbers[i], "a buffer that outlives its handler");
        wait(into.destroy());
      }
  }
}

namespace {

constexpr std::uint32_t victim = 2;
long dies_at = 0, handled = 0;

struct wanderer {
  std::vector<double> weight;
  void take(const std::vector<double>& more) {
    weight.resize(more.size());
    if (this_node() == victim && handled++ >= dies_at) std::raise(SIGKILL);
  }
  std::size_t size() const { return weight.size(); }
  template <class Archive>
  friend void fields(Archive& a, archived<wanderer, Archive>& w) {
    a(w.weight);
  }
};

event never_here() {
  static const user_event never = user_event::create();
  return never;
}

}  // namespace

void die_among_letters(long at) {
  dies_at = at;
  const std::uint32_t me = this_node(), all = job_nodes();
  if (me == victim) return;
  if (me + 1 == all) return wait(async(at_node(victim), call<&never_here>()).get());
  const auto one = make_mobile<wanderer>(at_node(victim)), other = make_mobile<wanderer>(at_node((victim + 1) % all));
  for (std::uint32_t i = 0;; ++i) {  // until the job is ended
    send(one, call<&wanderer::take>(std::vector<double>(10)));
    send(other, call<&wanderer::take>(std::vector<double>(i % 8 ? 100 : 100'000)));
    migrate(other, at_node((me + i) % all));
    if (i % 16 == 0) send(other, call<&wanderer::size>()).get();
  }
}

}  // namespace stretto::test
