// compiler.hpp - refuses, in one line, a compiler or an option that Stretto cannot be used with. Every other header
// begins with it.
//
// Without it an old compiler prints a hundred errors about std::source_location. Behind an #error compilers go on, and
// print them all the same; a file that is not there ends the compilation, so that its name is the message.
#pragma once

#include <version>

#if !defined(__cpp_exceptions)
#define STRETTO_REFUSES "Stretto reports failures by exceptions, compile without -fno-exceptions"
#elif __cplusplus < 202002L
#define STRETTO_REFUSES "Stretto needs C++20, compile with -std=c++20"
#elif !defined(__cpp_lib_source_location) || !defined(__cpp_concepts)
#define STRETTO_REFUSES "Stretto needs std::source_location, compile with GCC 12 or later, or with clang 16 or later"
#endif
#if defined(STRETTO_REFUSES)
#include STRETTO_REFUSES
#endif

// Types and functions of the headers belong to the program or library that links libstretto.a: the dynamic linker binds
// none of them to another copy in the same process. "hidden" would do that, too, but then GCC warns of each class that
// has a member of ours. Where several share one copy, a shared libstretto or that of their host, they define
// STRETTO_VISIBILITY=default.
#if !defined(STRETTO_VISIBILITY)
#define STRETTO_VISIBILITY protected
#endif
#define STRETTO_DETAIL_PRAGMA(text) _Pragma(#text)
#define STRETTO_DETAIL_VISIBILITY(which) STRETTO_DETAIL_PRAGMA(GCC visibility push(which))
#define STRETTO_API_BEGIN STRETTO_DETAIL_VISIBILITY(STRETTO_VISIBILITY)
#define STRETTO_API_END _Pragma("GCC visibility pop")
// Of what a macro of ours defines in a program.
#define STRETTO_DETAIL_UNSHARED [[gnu::visibility("protected")]]
