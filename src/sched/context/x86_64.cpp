// Stack switching for the System V x86-64 ABI.
#include <cstdint>

#include "sched/context/switch.hpp"

namespace stretto::sched {

void switch_stack(saved_stack* save, saved_stack to) noexcept {
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"  // the red zone stays untouched
      "pushq %%rbp\n\t"
      "pushq %%rbx\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, (%[save])\n\t"
      "movq %[to], %%rsp\n\t"
      "popq %%rax\n\t"
      "jmpq *%%rax\n\t"
      "1:\n\t"
      "popq %%rbx\n\t"
      "popq %%rbp\n\t"
      "leaq 128(%%rsp), %%rsp\n\t"
      : [save] "+D"(save), [to] "+S"(to)
      :
      : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
        "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)");
}

saved_stack prepare_stack(void* base, std::size_t bytes, void (*entry)()) noexcept {
  auto top = (reinterpret_cast<std::uintptr_t>(base) + bytes) & ~std::uintptr_t{63};
  auto* words = reinterpret_cast<std::uintptr_t*>(top);
  *--words = 0;  // where a caller's return address would stand; ends backtraces and aligns the stack for entry
  *--words = reinterpret_cast<std::uintptr_t>(entry);
  return words;
}

}  // namespace stretto::sched
