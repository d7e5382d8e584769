// plugin.hpp - what the plugins and the host have, each with a copy of the library of its own.
#pragma once

extern "C" {
int run_to_the_end();  // a runtime from beginning to end; 1: all results are right
void begin();          // a runtime that is there until end()
int go_on();           // the same in that one
void end();
int knows(int (*is_known)());      // what a function says inside this copy's runtime
int is_known_here();               // 0: this copy knows of no runtime on the calling thread
int inside_a_task(int (*work)());  // what it returns in a task of this copy
void fail();                       // throws a stretto::error
int caught(void (*thrower)());     // 1: a stretto::error of another copy is one here
void keep_until_unloading();       // a runtime that nobody ends
}
