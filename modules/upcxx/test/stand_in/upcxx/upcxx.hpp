// upcxx.hpp - a small stand-in of UPC++ for the tests of the module where UPC++ is not installed: processes that share
// memory, on one host. It has the part of the interface that the module and its tests use, and ends the process where
// UPC++'s rules for personas are broken.
#pragma once

#define UPCXX_THREADMODE 1

#include <upcxx/memory.hpp>
