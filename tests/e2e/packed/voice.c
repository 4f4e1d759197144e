// A library of the program's own, mapped like any other.
#include <stdio.h>

void say(long thread, unsigned long value) { printf("thread %ld ends with %lx\n", thread, value); }
