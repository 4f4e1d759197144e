// An instrumented library, whose own memory does not race (race_library_user.c).
static int calls;
void count_call(void) { calls++; }
