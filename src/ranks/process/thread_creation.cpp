#include "ranks/process/thread_creation.hpp"

#include <locale.h>

#include <cerrno>
#include <memory>
#include <new>

#include "ranks/messages/request.hpp"
#include "ranks/process/rank.hpp"

namespace stretto::ranks {
namespace {

/// A thread that a program is about to start.
struct started_thread {
  rank& of;
  thread_function start;
  void* argument;
  locale_t locale;  // the creator's, copied; or the process's
};

locale_t copied_locale() {
  const locale_t used = ::uselocale(nullptr);
  return used == LC_GLOBAL_LOCALE ? used : ::duplocale(used);
}

void free_locale(locale_t one) noexcept {
  if (one && one != LC_GLOBAL_LOCALE) ::freelocale(one);
}

/// When the thread began, for its track in a trace.
thread_local trace::ticks began_at = 0;

/// The calling thread acts as one of a rank while this lives; pthread_exit destroys it, too.
class thread_of_rank {
 public:
  explicit thread_of_rank(const started_thread& one) : of_(one.of), locale_(one.locale) {
    if (of_.tracks()) began_at = trace::clock::now();
    set_identity(&of_.copy().thread_identity());
    if (locale_) ::uselocale(locale_);
  }
  thread_of_rank(const thread_of_rank&) = delete;
  ~thread_of_rank() {
    rank_threads& all = of_.node().threads();
    all.leave(of_.tracks());
    ::uselocale(LC_GLOBAL_LOCALE);
    free_locale(locale_);
    set_identity(nullptr);
    all.count_end();
  }

 private:
  rank& of_;
  const locale_t locale_;
};

void* run_thread(void* raw) {
  const started_thread one = *std::unique_ptr<started_thread>(static_cast<started_thread*>(raw));
  const thread_of_rank as(one);
  return one.start(one.argument);
}

base::thread_context* join_runtime() {
  const thread_identity* const identity = identity_of_thread();
  rank* const of = identity ? identity->whole : nullptr;
  if (!of || !of->scheduler()) return nullptr;
  set_identity(nullptr);  // what the runtime starts for this thread belongs to no rank
  auto* const context = of->node().threads().join(*of->scheduler());
  if (context && of->tracks() && began_at) of->tracks()->begin(*sched::this_thread(), began_at);
  set_identity(identity);
  return context;
}

}  // namespace

void use_rank_threads() {
  set_thread_joining(join_runtime);
  set_identity_search(rank::identity_of_task);
}

int create_thread(thread_creator create, pthread_t* made, const pthread_attr_t* attributes, thread_function start,
                  void* argument) {
  const thread_identity* const creator = identity_of_thread();
  if (!creator || !creator->whole) return create(made, attributes, start, argument);
  auto* const one = new (std::nothrow) started_thread{*creator->whole, start, argument, copied_locale()};
  if (!one) return EAGAIN;
  rank_threads& all = creator->whole->node().threads();
  all.count_begin();
  const int error = create(made, attributes, run_thread, one);
  if (error == 0) return 0;
  all.count_end();
  free_locale(one->locale);
  delete one;
  return error;
}

}  // namespace stretto::ranks
