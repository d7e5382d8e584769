#include "base/driver_threads.hpp"

#include <pthread.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <thread>

using namespace stretto::base;

namespace {

/// A thread that does nothing until its end.
class idle_thread {
 public:
  explicit idle_thread(const char* name = nullptr) {
    std::promise<int> started;
    auto number = started.get_future();
    thread_ = std::thread([this, name, &started] {
      if (name) pthread_setname_np(pthread_self(), name);
      started.set_value(::gettid());
      end_.get_future().wait();
    });
    number_ = number.get();
  }
  ~idle_thread() {
    end_.set_value();
    thread_.join();
  }
  int number() const { return number_; }
  std::thread& is() { return thread_; }

 private:
  std::promise<void> end_;
  std::thread thread_;
  int number_ = 0;
};

bool is_drivers(int number) { return driver_threads::among(std::vector{number}).size() == 1; }

}  // namespace

TEST_CASE("a thread that was started while a driver was called is a driver's, and no other") {
  const std::string own_name = name_of_thread(::gettid());
  idle_thread before;
  std::unique_ptr<idle_thread> during;
  {
    const driver_threads here;
    during = std::make_unique<idle_thread>();
    CHECK_FALSE(is_drivers(::gettid()));  // who calls a driver is none of its threads
  }
  idle_thread after;
  CHECK(name_of_thread(::gettid()) == own_name);
  CHECK(is_drivers(during->number()));
  CHECK_FALSE(is_drivers(before.number()));
  CHECK_FALSE(is_drivers(after.number()));
  CHECK_FALSE(is_drivers(::gettid()));
  const auto all = threads_of_process();
  CHECK(std::ranges::count(driver_threads::among(all), during->number()) == 1);
}

TEST_CASE("a thread that the program starts beside a call of a driver is the program's") {
  std::promise<void> go, done;
  std::unique_ptr<idle_thread> beside;
  std::thread other([&] {
    go.get_future().wait();
    beside = std::make_unique<idle_thread>();
    done.set_value();
  });
  {
    const driver_threads here("cuda");
    go.set_value();
    done.get_future().wait();
  }
  other.join();
  CHECK_FALSE(is_drivers(beside->number()));
}

TEST_CASE("a driver's thread stays one under another name, and so do those that it starts") {
  std::unique_ptr<idle_thread> renamed_later, renamed_at_once, unknown;
  std::promise<std::unique_ptr<idle_thread>> of_its_own;
  std::promise<void> go;
  std::thread parent;
  {
    const driver_threads here("some_driver");
    renamed_later = std::make_unique<idle_thread>();
    renamed_at_once = std::make_unique<idle_thread>("some_driver 1");
    unknown = std::make_unique<idle_thread>("anybody");
    parent = std::thread([&] {
      go.get_future().wait();
      of_its_own.set_value(std::make_unique<idle_thread>());
    });
  }
  pthread_setname_np(renamed_later->is().native_handle(), "later");
  CHECK(is_drivers(renamed_later->number()));
  CHECK(is_drivers(renamed_at_once->number()));
  CHECK_FALSE(is_drivers(unknown->number()));  // it may be anybody's: rather no proof than a false one
  go.set_value();
  const auto child = of_its_own.get_future().get();
  CHECK(is_drivers(child->number()));
  parent.join();
}

TEST_CASE("a thread that has ended has no name and is nobody's") {
  int number = 0;
  {
    const driver_threads here;
    const idle_thread one;
    number = one.number();
  }
  CHECK_FALSE(is_drivers(number));
  CHECK(name_of_thread(-1).empty());
}
