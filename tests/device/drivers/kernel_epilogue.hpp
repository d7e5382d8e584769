// kernel_epilogue.hpp - runs a kernel's blocks. Stands behind a kernel's text; FAKE_ENTRY is its name, FAKE_SHARED the
// pointer to the memory of a group that a launch sizes, FAKE_BARRIERS whether it has any.
namespace {

using kernel_type = decltype(FAKE_ENTRY);
constexpr size_t stack_bytes = 64 << 10;
constexpr unsigned most_threads = 1024, guard_bytes = 256;

template <class F>
struct caller;
template <class... P>
struct caller<void(P...)> {
  static constexpr unsigned count = sizeof...(P);
  static constexpr size_t sizes[] = {sizeof(P)...};
  template <size_t... I>
  static void call(void** p, std::index_sequence<I...>) {
    FAKE_ENTRY(*static_cast<P*>(p[I])...);
  }
  static void call(void** p) { call(p, std::index_sequence_for<P...>()); }
};

struct fiber {
  ucontext_t at;
  bool ended;
};
struct block_of_threads {
  ucontext_t scheduler;
  fiber* threads;
  unsigned now;
  void** parameters;
};
__thread block_of_threads* running;

void thread_main() {
  caller<kernel_type>::call(running->parameters);
  running->threads[running->now].ended = true;
}

fake_index index_of(unsigned n) { return {n % blockDim.x, n / blockDim.x % blockDim.y, n / blockDim.x / blockDim.y}; }

/// From barrier to barrier, to and fro through the threads. False: some ended while others wait at a barrier.
bool run_with_barriers(block_of_threads& b, char* stacks, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    getcontext(&b.threads[i].at);
    b.threads[i].at.uc_stack.ss_sp = stacks + i * stack_bytes;
    b.threads[i].at.uc_stack.ss_size = stack_bytes;
    b.threads[i].at.uc_link = &b.scheduler;
    b.threads[i].ended = false;
    makecontext(&b.threads[i].at, thread_main, 0);
  }
  for (bool forward = true;; forward = !forward) {
    unsigned ended = 0;
    for (unsigned i = 0; i < count; ++i) {
      b.now = forward ? i : count - 1 - i;
      threadIdx = index_of(b.now);
      swapcontext(&b.scheduler, &b.threads[b.now].at);
      ended += b.threads[b.now].ended;
    }
    if (ended) return ended == count;
  }
}

}  // namespace

void __syncthreads() {
  block_of_threads* const b = running;
  const fake_index mine = threadIdx;
  swapcontext(&b->threads[b->now].at, &b->scheduler);
  threadIdx = mine;
}

extern "C" {
extern const unsigned fake_parameter_count = caller<kernel_type>::count;
extern const size_t* const fake_parameter_sizes = caller<kernel_type>::sizes;

/// 0, or what went wrong: 1 memory of a group written beyond its end, 2 threads that miss a barrier.
int fake_run(void** parameters, const unsigned* grid, const unsigned* block, unsigned shared_bytes) {
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {block[0], block[1], block[2]};
  const unsigned count = block[0] * block[1] * block[2];
  char* const shared = static_cast<char*>(aligned_alloc(16, (shared_bytes + 15) / 16 * 16 + guard_bytes));
  const size_t guard = (shared_bytes + 15) / 16 * 16;
  memset(shared, 0x5a, guard + guard_bytes);
  FAKE_SHARED = shared;
  int wrong = 0;
  block_of_threads b{};
  b.parameters = parameters;
  running = &b;
  char* stacks = nullptr;
  if (FAKE_BARRIERS) {
    b.threads = new fiber[count];
    stacks = static_cast<char*>(
        mmap(nullptr, count * stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  for (unsigned z = 0; z < grid[2]; ++z)
    for (unsigned y = 0; y < grid[1]; ++y)
      for (unsigned x = 0; x < grid[0] && !wrong; ++x) {
        blockIdx = {x, y, z};
        if (!FAKE_BARRIERS) {
          for (unsigned i = 0; i < count; ++i) threadIdx = index_of(i), caller<kernel_type>::call(parameters);
        } else if (!run_with_barriers(b, stacks, count)) {
          wrong = 2;
        }
        for (size_t i = guard; i < guard + guard_bytes; ++i)
          if (shared[i] != 0x5a) wrong = 1;
      }
  if (FAKE_BARRIERS) {
    munmap(stacks, count * stack_bytes);
    delete[] b.threads;
  }
  free(shared);
  return wrong;
}
}
