// program_copy_test.cpp - copies of programs: what is private to each, how runs end, one after another and at once.
#include "ranks/program/program_copy.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <langinfo.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "base/config.hpp"
#include "base/whole_file.hpp"
#include "dist/program_constants.hpp"
#include "temporary_folder.hpp"

extern "C" {
[[gnu::weak]] void __lsan_disable();
[[gnu::weak]] void __lsan_enable();
}

namespace {

using namespace stretto;
using namespace stretto::ranks;

// A program leaves memory behind when it ends, which is no leak of ours.
program_end run(program_copy& copy) {
  if (__lsan_disable) __lsan_disable();
  const auto end = copy.run();
  if (__lsan_enable) __lsan_enable();
  return end;
}

const std::string programs = STRETTO_RANK_PROGRAMS;

rank_start start_of(int rank, std::vector<std::string> arguments) {
  return {fmt::format("rank {}", rank), std::move(arguments), {fmt::format("STRETTO_RANK={}", rank), "PATH=/bin"}};
}

const std::vector<std::string> privacy_arguments{"privacy", "-a", "-b2", "rest", "--size", "30"};

program_end load_and_run(const std::shared_ptr<const program_image>& image, int rank,
                         std::vector<std::string> arguments) {
  program_copy copy(image, start_of(rank, std::move(arguments)));
  return run(copy);
}

constexpr program_end success{stretto_returned, 0};

TEST_CASE("copies that run one after another each begin with the program's data") {
  const auto image = std::make_shared<const program_image>(programs + "/privacy");
  for (int rank = 0; rank < 3; ++rank) CHECK(load_and_run(image, rank, privacy_arguments) == success);
}

TEST_CASE("constants of all copies have one name, which stands for those of the first copy") {
  const auto image = std::make_shared<const program_image>(programs + "/privacy");
  auto first = std::make_unique<program_copy>(image, start_of(0, privacy_arguments));
  const program_copy second(image, start_of(1, privacy_arguments));
  const void* const of_second = second.symbol("stretto_program");
  const std::uint64_t name = dist::encode_constant(of_second, sizeof(void*));
  CHECK(name != 0);
  CHECK(dist::encode_constant(first->symbol("stretto_program"), sizeof(void*)) == name);
  CHECK(dist::decode_constant(name, sizeof(void*), alignof(void*)) == first->symbol("stretto_program"));
  first.reset();
  CHECK(dist::decode_constant(name, sizeof(void*), alignof(void*)) == of_second);
}

TEST_CASE("copies that run at once do not see one another's data") {
  const auto image = std::make_shared<const program_image>(programs + "/privacy");
  std::vector<program_end> ends(20);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < 20; ++rank)
    threads.emplace_back([&, rank] { ends[rank] = load_and_run(image, rank, privacy_arguments); });
  threads.clear();
  for (const auto& one : ends) CHECK(one == success);
}

// LeakSanitizer of GCC 12 crashes where so many objects with thread-local variables have been loaded.
constexpr int many = base::address_sanitizer ? 20 : 200;

TEST_CASE("two hundred copies are loaded at the same time") {
  const auto image = std::make_shared<const program_image>(programs + "/privacy");
  std::vector<std::unique_ptr<program_copy>> copies;
  for (int rank = 0; rank < many; ++rank)
    copies.push_back(std::make_unique<program_copy>(image, start_of(rank, {"privacy", "-ab2", "--size=30", "rest"})));
  for (const auto& one : copies) CHECK(run(*one) == success);
}

TEST_CASE("libraries of a program are as private as the program") {
  const auto image = std::make_shared<const program_image>(programs + "/libraries");
  REQUIRE(image->libraries().size() == 2);
  CHECK(image->libraries()[0]->file().path().filename() == "libtwice.so");
  const program_copy idle(image, start_of(0, {"libraries"}));
  for (int rank = 1; rank < 4; ++rank) CHECK(load_and_run(image, rank, {"libraries"}) == success);
}

// Without the tests' own handler, which abort would call as that of the program.
struct default_abort {
  const sighandler_t before = std::signal(SIGABRT, SIG_DFL);
  ~default_abort() { std::signal(SIGABRT, before); }
};

TEST_CASE("each way to end a program is a value") {
  const default_abort no_handler;
  const auto image = std::make_shared<const program_image>(programs + "/stages");
  const test::temporary_folder folder;
  const auto file = folder.path / "lines";
  const std::string begin = "+global +function +thread thread +automatic ",
                    end = "-thread -function atexit2 atexit1 -global \ndestructor\n";
  const struct {
    const char* how;
    program_end end;
    std::string printed;
  } all[] = {{"return", {stretto_returned, 3}, begin + "-automatic " + end},
             {"exit", {stretto_called_exit, 4}, begin + end},
             {"_exit", {stretto_called__exit, 5}, ""},
             {"quick_exit", {stretto_called__exit, 6}, ""},
             {"abort", {stretto_called_abort, 134}, ""},
             {"assert", {stretto_called_abort, 134}, ""},
             {"exit_in_handler", {stretto_returned, 8}, begin + "-automatic " + end}};
  for (const auto& [how, expected, printed] : all) {
    CAPTURE(how);
    CHECK(load_and_run(image, 1, {"stages", how, file.string()}) == expected);
    CHECK(base::read_whole(file, 1000).text == printed);
  }
}

TEST_CASE("errno and the locale go with a copy to another thread") {
  const auto image = std::make_shared<const program_image>(programs + "/stages");
  program_copy copy(image, start_of(0, {"stages"}));
  const auto locale = ::newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
  copy.enter_thread();
  CHECK(program_copy::current() == &copy);
  errno = 77;
  ::uselocale(locale);
  copy.leave_thread();
  errno = 0;
  CHECK(program_copy::current() == nullptr);
  CHECK(std::string(::nl_langinfo(CODESET)) != "UTF-8");
  std::jthread([&] {
    copy.enter_thread();
    CHECK(errno == 77);
    CHECK(std::string(::nl_langinfo(CODESET)) == "UTF-8");
    copy.leave_thread();
  });
  ::freelocale(locale);
}

TEST_CASE("what a program exports is found in its copy") {
  const auto image = std::make_shared<const program_image>(programs + "/libraries");
  const program_copy one(image, start_of(0, {"libraries"})), other(image, start_of(1, {"libraries"}));
  REQUIRE(one.symbol("callback_calls"));
  CHECK(one.symbol("callback_calls") != other.symbol("callback_calls"));
  CHECK(one.symbol("no such symbol") == nullptr);
}

}  // namespace
