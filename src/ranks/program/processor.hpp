// processor.hpp - what differs between processors: relocations, and where a signal stopped the program.
#pragma once

#include <elf.h>
#include <ucontext.h>

#include <cstdint>

namespace stretto::ranks {

#ifdef __aarch64__
constexpr Elf64_Half elf_machine = EM_AARCH64;
constexpr std::uint32_t indirect_relocation = R_AARCH64_IRELATIVE;
constexpr std::uint32_t reference_relocations[] = {R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_ABS64};

inline std::uintptr_t instruction_of(const ucontext_t& context) { return context.uc_mcontext.pc; }
#else
constexpr Elf64_Half elf_machine = EM_X86_64;
constexpr std::uint32_t indirect_relocation = R_X86_64_IRELATIVE;
constexpr std::uint32_t reference_relocations[] = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_64};

inline std::uintptr_t instruction_of(const ucontext_t& context) {
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
}
#endif

}  // namespace stretto::ranks
