// A program that stands still while tasks of it are suspended, for gdb_test.py to look at.
#include <stretto/stretto.hpp>

using namespace stretto;

// gdb breaks here.
[[gnu::noinline]] void all_are_suspended(event gate, const future<int>& number) {
  asm volatile("" : : "r"(gate.raw()), "r"(&number) : "memory");
}

[[gnu::noinline]] void wait_in_a_function(event gate) {
  wait(gate);
  asm volatile("");  // so that it is not a tail call
}

int main() {
  runtime rt({.workers = 1});
  rt.run([] {
    const auto gate = user_event::create();
    bool waits = false, reads = false;
    auto number = async(name("number"), [gate, &waits] {
      waits = true;
      wait_in_a_function(gate);
      return 7;
    });
    while (!waits) yield();  // there is one worker: it goes on once the other is suspended
    auto reader = async(name("reader"), [&number, &reads] {
      reads = true;
      number.get();
    });
    while (!reads) yield();
    const auto shown = user_event::create();
    async([gate, shown, &number] { all_are_suspended(gate, number), gate.trigger(), shown.trigger(); });
    wait(shown);
    reader.get();
  });
}
