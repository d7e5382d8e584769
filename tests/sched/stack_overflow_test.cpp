// stack_overflow_test.cpp - the messages of processes that die of a stack overflow or another fault; each is a child
// process.
#include <doctest/doctest.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <source_location>
#include <string>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

#include "base/config.hpp"

using namespace stretto;

namespace {

[[gnu::noinline]] int recurse(int n) {
  volatile char frame[1000];
  frame[n & 511] = 1;
  return n < 0 ? 0 : recurse(n + 1) + frame[0];
}

[[gnu::noinline]] int large_array() {
  volatile char array[280 << 10];  // more than a whole stack
  array[0] = 1;
  return array[0];
}

void read_null() {
  int* volatile nowhere = nullptr;
  [[maybe_unused]] const volatile int value = *nowhere;
}

/// How a child that ran `body` ended, and what it wrote to standard error.
struct death {
  int signal = 0;
  int status = 0;
  std::string text;
};

template <class Body>
death death_of(Body&& body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit no_core{0, 0}, small{1 << 20, 1 << 20};
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_STACK, &small);
    for (const int s : {SIGSEGV, SIGBUS, SIGABRT}) signal(s, SIG_DFL);  // doctest's
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    dup2(ends[1], STDERR_FILENO);
    alarm(60);
    body();
    _exit(0);
  }
  close(ends[1]);
  death d;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) d.text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) d.signal = WTERMSIG(status);
  if (WIFEXITED(status)) d.status = WEXITSTATUS(status);
  return d;
}

std::string told(const std::string& what, const std::source_location& spawned) {
  const std::string where = "stack_overflow_test.cpp:" + std::to_string(spawned.line());
  return "error S12: " + (what.empty() ? "task at " + where : what) +
         " ran out of stack\n"
         "  spawned     " +
         where +
         "\n"
         "  stack       64 KiB\n"
         "  because     it recursed too deeply, or has local arrays that are too large\n"
         "  try         put large arrays on the heap, or raise STRETTO_STACK_SIZE or runtime_options::stack_bytes\n";
}

/// Runs `body` as a task on worker 1, whose tasks are always on stacks of the pool.
template <class Body>
void run_on_pooled_stack(Body body, std::string_view task_name, const std::source_location& where) {
  runtime rt({.workers = 2, .stack_bytes = 64 << 10});
  rt.run([&] {
    if (task_name.empty()) async(on(worker(1)), [body] { body(); }, where);
    else async(on(worker(1)), name(task_name), [body] { body(); }, where);
  });
}

bool is_sanitized() {
  return base::address_sanitizer || base::thread_sanitizer;  // these print their own report instead
}

void say_and_leave(int) {
  if (write(STDERR_FILENO, "handled\n", 8) == 8) _exit(7);
}

}  // namespace

TEST_CASE("a task that recurses without end is named before the process dies") {
  if (is_sanitized()) return;
  const auto here = std::source_location::current();
  const death d = death_of([&] { run_on_pooled_stack([] { recurse(0); }, "deep \"halo\"", here); });
  CHECK(d.signal == SIGSEGV);
  CHECK(d.text == told("task \"deep \"halo\"\"", here));
}

TEST_CASE("with STRETTO_ERRORS=json an overflow is reported as one line of JSON, whatever the task's name is") {
  if (is_sanitized()) return;
  const auto here = std::source_location::current();
  const death d = death_of([&] {
    setenv("STRETTO_ERRORS", "json", 1);
    run_on_pooled_stack([] { recurse(0); }, "deep \"h\x01lo\"", here);
  });
  CHECK(d.signal == SIGSEGV);
  CHECK(d.text ==
        "{\"code\":\"S12\",\"sentence\":\"task \\\"deep \\\"h?lo\\\"\\\" ran out of stack\",\"facts\":["
        "{\"name\":\"spawned\",\"value\":\"stack_overflow_test.cpp:" +
            std::to_string(here.line()) +
            "\"},"
            "{\"name\":\"stack\",\"value\":\"64 KiB\"}],\"because\":\"it recursed too deeply, or has local arrays that "
            "are too "
            "large\",\"try\":\"put large arrays on the heap, or raise STRETTO_STACK_SIZE or "
            "runtime_options::stack_bytes\"}\n");
}

TEST_CASE("an overflow of a task without a name is reported with the line that spawned it") {
  if (is_sanitized()) return;
  const auto here = std::source_location::current();
  const death d = death_of([&] { run_on_pooled_stack([] { recurse(0); }, "", here); });
  CHECK(d.signal == SIGSEGV);
  CHECK(d.text == told("", here));
}

TEST_CASE("the report names the task that overflows among several, even after a suspension") {
  if (is_sanitized()) return;
  const auto here = std::source_location::current();
  const death d = death_of([&] {
    runtime rt({.workers = 2, .stack_bytes = 64 << 10});
    rt.run([&] {
      const auto go = user_event::create();
      async(
          on(worker(1)), name("inner"),
          [go] {
            wait(go);
            recurse(0);
          },
          here);
      async(on(worker(1)), name("outer"), [go] {
        go.trigger();
        yield();
      });
    });
  });
  CHECK(d.signal == SIGSEGV);
  CHECK(d.text == told("task \"inner\"", here));
}

TEST_CASE("an array that is larger than what is left of the stack, by less than its guard, is an overflow") {
  if (is_sanitized()) return;
  const auto here = std::source_location::current();
  const death d = death_of([&] {
    runtime rt({.workers = 2, .stack_bytes = 256 << 10});
    rt.run([&] { async(on(worker(1)), [] { large_array(); }, here); });
  });
  CHECK(d.signal == SIGSEGV);
  CHECK(d.text.starts_with("error S12: task at stack_overflow_test.cpp:"));
  CHECK(d.text.find("  stack       256 KiB\n") != d.text.npos);
}

TEST_CASE("the report for the body of run says that it has its thread's stack") {
  if (is_sanitized()) return;
  const std::string head = "error S12: the body of run ran out of stack\n  stack       ";
  const std::string tail =
      " KiB, that of the thread that called run\n"
      "  because     it recursed too deeply, or has local arrays that are too large\n"
      "  try         put large arrays on the heap, or raise that thread's limit (ulimit -s for the main thread)\n";
  const auto overflow = [] {
    runtime rt({.workers = 1});
    rt.run([] { recurse(0); });
  };
  const death on_main = death_of(overflow);
  CHECK(on_main.signal == SIGSEGV);
  CHECK(on_main.text.starts_with(head));
  CHECK(on_main.text.ends_with(tail));
  const death on_thread = death_of([&] { std::thread(overflow).join(); });
  CHECK(on_thread.signal == SIGSEGV);
  CHECK(on_thread.text.starts_with(head));
  CHECK(on_thread.text.ends_with(tail));
}

TEST_CASE("another fault in a task is not reported as an overflow, and ends the process by its signal") {
  if (is_sanitized()) return;
  const auto here = std::source_location::current();
  const death task = death_of([&] { run_on_pooled_stack(read_null, "reads null", here); });
  CHECK(task.signal == SIGSEGV);
  CHECK(task.text.empty());
  const death body = death_of([] { runtime({.workers = 1}).run(read_null); });
  CHECK(body.signal == SIGSEGV);
  CHECK(body.text.empty());
}

TEST_CASE("a signal that another process sends ends the process as it would without a runtime") {
  if (is_sanitized()) return;
  const death d = death_of([] {
    runtime rt({.workers = 2});
    rt.run([] { kill(getpid(), SIGSEGV); });
    std::this_thread::sleep_for(std::chrono::seconds(30));  // it may be delivered to any thread
  });
  CHECK(d.signal == SIGSEGV);
  CHECK(d.text.empty());
}

TEST_CASE("the previous handler gets every fault, an overflow after its message") {
  if (is_sanitized()) return;
  const auto here = std::source_location::current();
  const auto with_handler = [&](void (*body)()) {
    return death_of([&] {
      struct sigaction mine {};
      mine.sa_handler = say_and_leave;
      mine.sa_flags = SA_ONSTACK;
      sigaction(SIGSEGV, &mine, nullptr);
      run_on_pooled_stack(body, "", here);
    });
  };
  const death overflow = with_handler([] { recurse(0); });
  CHECK(overflow.status == 7);
  CHECK(overflow.text == told("", here) + "handled\n");
  const death null = with_handler(read_null);
  CHECK(null.status == 7);
  CHECK(null.text == "handled\n");
}

TEST_CASE("with the last runtime the process has its own handlers and signal stack again") {
  if (is_sanitized()) return;
  const auto handler = [] {
    struct sigaction now;
    sigaction(SIGSEGV, nullptr, &now);
    return reinterpret_cast<void*>(now.sa_sigaction);
  };
  const auto signal_stack = [] {
    stack_t now;
    sigaltstack(nullptr, &now);
    return now.ss_flags & SS_DISABLE ? nullptr : now.ss_sp;
  };
  void* const handler_before = handler();
  void* const stack_before = signal_stack();
  {
    std::vector<std::unique_ptr<runtime>> many;
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i) many.push_back(std::make_unique<runtime>(runtime_options{.workers = 2}));
    CHECK(handler() != handler_before);
    for (auto& rt : many)
      threads.emplace_back([&rt, signal_stack] {
        rt->run([&] {
          for (int i = 0; i < 100; ++i) async([] { yield(); });
          CHECK(signal_stack() != nullptr);
        });
        CHECK(signal_stack() == nullptr);
        rt.reset();
      });
    for (auto& t : threads) t.join();
  }
  CHECK(handler() == handler_before);
  CHECK(signal_stack() == stack_before);
}

TEST_CASE("a handler put on top of ours stays, and passes on to ours in later runtimes too") {
  if (is_sanitized()) return;
  const auto here = std::source_location::current();
  const death d = death_of([&] {
    {
      runtime first({.workers = 1});
      static struct sigaction below;
      struct sigaction on_top {};
      on_top.sa_flags = SA_SIGINFO | SA_ONSTACK;
      on_top.sa_sigaction = [](int n, siginfo_t* about, void* context) {
        if (write(STDERR_FILENO, "on top\n", 7) == 7) below.sa_sigaction(n, about, context);
      };
      sigaction(SIGSEGV, &on_top, &below);
    }
    run_on_pooled_stack([] { recurse(0); }, "", here);
  });
  CHECK(d.signal == SIGSEGV);
  CHECK(d.text == "on top\n" + told("", here));
}
