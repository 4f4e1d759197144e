/* Calls a function of the program that may throw, and undoes what the caller has begun if it does. In C, because C's
 * cleanups need no libstdc++. */
struct Undo {
  void (*on_unwind)(void*);
  void* argument;
};

static void undo(struct Undo* what) {
  if (what->on_unwind) what->on_unwind(what->argument);
}

void ana_call_guarded(void (*function)(void), void (*on_unwind)(void*), void* argument) {
  struct Undo guard __attribute__((cleanup(undo))) = {on_unwind, argument};
  function();
  guard.on_unwind = 0;
}
