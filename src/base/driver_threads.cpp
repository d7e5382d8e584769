#include "base/driver_threads.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>

#include "base/process_wide.hpp"

namespace stretto::base {
namespace {

constexpr std::string_view their_name = "stretto driver";

/// Start time of a thread in kernel ticks: a thread number may be reused. 0 if the thread has ended.
std::uint64_t begin_of_thread(int number) {
  std::ifstream in("/proc/self/task/" + std::to_string(number) + "/stat");
  std::string text;
  if (!std::getline(in, text)) return 0;
  const auto name_end = text.rfind(')');  // the name before it may hold anything
  if (name_end == text.npos) return 0;
  constexpr int fields_between = 20;  // from the name to the begin: proc(5), field 22
  std::size_t at = name_end + 1;
  for (int i = 0; i < fields_between && at < text.size(); ++i) at = text.find_first_not_of(' ', text.find(' ', at));
  return at < text.size() ? std::strtoull(text.c_str() + at, nullptr, 10) : 0;
}

/// Driver threads that were found after calls of drivers, by start time. Their later names do not matter.
struct registry {
  std::mutex mutex;
  std::vector<int> callers;  // threads that call a driver now: they have the name, but are no driver threads
  std::map<int, std::uint64_t> seen;
};
registry& all() {
  static registry& one = make_process_wide<registry>();
  return one;
}

}  // namespace

std::vector<int> threads_of_process() {
  std::error_code failed;
  std::vector<int> found;
  for (std::filesystem::directory_iterator i("/proc/self/task", failed), end; !failed && i != end; i.increment(failed))
    found.push_back(std::atoi(i->path().filename().c_str()));
  return failed ? std::vector<int>() : found;
}

std::string name_of_thread(int number) {
  std::ifstream in("/proc/self/task/" + std::to_string(number) + "/comm");
  std::string name;
  std::getline(in, name);
  return name;
}

driver_threads::driver_threads(std::string_view prefix) : prefix_(prefix), before_(threads_of_process()) {
  char name[16] = {};
  if (pthread_getname_np(pthread_self(), name, sizeof name) == 0) own_name_ = name;
  {
    const std::scoped_lock lock(all().mutex);
    all().callers.push_back(::gettid());
  }
  pthread_setname_np(pthread_self(), their_name.data());
}

driver_threads::~driver_threads() {
  pthread_setname_np(pthread_self(), own_name_.c_str());
  std::vector<int> fresh;
  for (const int number : threads_of_process())
    if (std::ranges::find(before_, number) == before_.end()) fresh.push_back(number);
  registry& known = all();
  const std::scoped_lock lock(known.mutex);
  std::erase(known.callers, ::gettid());  // no caller in a child that was forked meanwhile
  for (const int number : fresh) {
    const std::string name = name_of_thread(number);
    if (name == their_name || (!prefix_.empty() && name.starts_with(prefix_)))
      if (const auto begin = begin_of_thread(number)) known.seen[number] = begin;
  }
}

std::vector<int> driver_threads::among(std::span<const int> threads) {
  registry& known = all();
  const std::scoped_lock lock(known.mutex);
  std::vector<int> found;
  for (const int number : threads) {
    if (std::ranges::find(known.callers, number) != known.callers.end()) continue;
    const auto seen = known.seen.find(number);
    const bool is_known = seen != known.seen.end() && begin_of_thread(number) == seen->second;
    if (seen != known.seen.end() && !is_known) known.seen.erase(seen);
    if (is_known || name_of_thread(number) == their_name) found.push_back(number);
  }
  return found;
}

}  // namespace stretto::base
