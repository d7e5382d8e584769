// compiler.hpp - checks the compiler and its options, and sets the visibility of symbols. All other headers include it.
//
//     STRETTO_API_BEGIN  // every header of Stretto encloses its declarations like this
//     namespace stretto {
//     int declared_by_a_header();  // has protected visibility, or STRETTO_VISIBILITY
//     }
//     STRETTO_API_END
//
// An unsuitable compiler or option gives a single error message. For this the header includes a file that does not
// exist, whose name is the message: after an #error, compilers go on and print a hundred more errors.
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

// Types and functions of the headers belong to the program or library that links libstretto.a: with protected
// visibility the dynamic linker binds none of them to another copy in the same process. With "hidden", GCC would warn
// of each class that has a member of Stretto's. Programs and libraries that share one copy define
// STRETTO_VISIBILITY=default.
#if !defined(STRETTO_VISIBILITY)
#define STRETTO_VISIBILITY protected
#endif
#define STRETTO_DETAIL_PRAGMA(text) _Pragma(#text)
#define STRETTO_DETAIL_VISIBILITY(which) STRETTO_DETAIL_PRAGMA(GCC visibility push(which))
#define STRETTO_API_BEGIN STRETTO_DETAIL_VISIBILITY(STRETTO_VISIBILITY)
#define STRETTO_API_END _Pragma("GCC visibility pop")
// The attribute of definitions that macros of Stretto make in a program.
#define STRETTO_DETAIL_UNSHARED [[gnu::visibility("protected")]]
