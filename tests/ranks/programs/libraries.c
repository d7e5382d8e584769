// libraries.c - a program with two libraries of its own, one of which needs the other: both are as private as it is.
#include <stdio.h>
#include <stdlib.h>

int next_call(void);
int next_random(void);
int twice_counted(void);
int callback_calls;
void callback(void) { ++callback_calls; }

int main(int argc, char** argv) {
  srand(42);
  const int are_right =
      next_call() == 1 && next_random() == 71876166 && twice_counted() == 3 && next_call() == 4 && callback_calls == 1;
  if (!are_right) fprintf(stderr, "%s: a library is shared by ranks\n", argv[0]);
  return argc == 1 && are_right ? 0 : 1;
}
