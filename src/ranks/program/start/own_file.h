/* own_file.h - which file /proc/self/exe is for a thread. */
#pragma once

/* The program's file on a thread of a rank, null on others. Null until the library of ranks is loaded. */
extern const char* (*program_of_thread)(void);
