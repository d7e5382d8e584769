// Stack switching for the System V x86-64 ABI.
#include <algorithm>
#include <cstdint>

#include "sched/context/switch.hpp"

namespace stretto::sched {

// A profiler or debugger may interrupt a thread at any of these instructions, so each of them has unwind information:
// both stacks hold the same words in the same order. The jump always goes to one address, which costs less than a
// mispredicted return. The return at the end matches the call that left this stack.
__attribute__((naked, no_sanitize("thread", "address"))) void switch_stack(saved_stack*, saved_stack) noexcept {
  asm("pushq %rbp\n\t"
      ".cfi_adjust_cfa_offset 8\n\t"
      ".cfi_rel_offset %rbp, 0\n\t"
      "pushq %rbx\n\t"
      ".cfi_adjust_cfa_offset 8\n\t"
      ".cfi_rel_offset %rbx, 0\n\t"
      "pushq %r12\n\t"
      ".cfi_adjust_cfa_offset 8\n\t"
      ".cfi_rel_offset %r12, 0\n\t"
      "pushq %r13\n\t"
      ".cfi_adjust_cfa_offset 8\n\t"
      ".cfi_rel_offset %r13, 0\n\t"
      "pushq %r14\n\t"
      ".cfi_adjust_cfa_offset 8\n\t"
      ".cfi_rel_offset %r14, 0\n\t"
      "pushq %r15\n\t"
      ".cfi_adjust_cfa_offset 8\n\t"
      ".cfi_rel_offset %r15, 0\n\t"
      "leaq 1f(%rip), %rax\n\t"
      "pushq %rax\n\t"
      ".cfi_adjust_cfa_offset 8\n\t"
      "movq %rsp, (%rdi)\n\t"
      "movq %rsi, %rsp\n\t"
      "popq %rax\n\t"
      ".cfi_adjust_cfa_offset -8\n\t"
      "jmpq *%rax\n\t"
      "1:\n\t"
      "popq %r15\n\t"
      ".cfi_adjust_cfa_offset -8\n\t"
      ".cfi_restore %r15\n\t"
      "popq %r14\n\t"
      ".cfi_adjust_cfa_offset -8\n\t"
      ".cfi_restore %r14\n\t"
      "popq %r13\n\t"
      ".cfi_adjust_cfa_offset -8\n\t"
      ".cfi_restore %r13\n\t"
      "popq %r12\n\t"
      ".cfi_adjust_cfa_offset -8\n\t"
      ".cfi_restore %r12\n\t"
      "popq %rbx\n\t"
      ".cfi_adjust_cfa_offset -8\n\t"
      ".cfi_restore %rbx\n\t"
      "popq %rbp\n\t"
      ".cfi_adjust_cfa_offset -8\n\t"
      ".cfi_restore %rbp\n\t"
      "retq");
}

saved_stack prepare_stack(void* base, std::size_t bytes, void (*entry)()) noexcept {
  const auto top = (reinterpret_cast<std::uintptr_t>(base) + bytes) & ~std::uintptr_t{63};
  auto* words = reinterpret_cast<std::uintptr_t*>(top) - 7;
  // six registers and where a caller's return address would stand: ends backtraces, and aligns the stack
  std::fill_n(words, 7, 0);
  *--words = reinterpret_cast<std::uintptr_t>(entry);
  return words;
}

}  // namespace stretto::sched
