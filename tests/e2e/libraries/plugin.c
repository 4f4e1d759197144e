// A library of own_libraries.py that is loaded late, and again. NAME is its variable, RACE its function. If it is LARGE it goes
// where the last one was that is.
int NAME;
#ifdef LARGE
char room[1 << 20];
#endif

static __attribute__((noinline)) void RACE(void) {
  NAME++;  // races
}

void plugin_race(void) { RACE(); }
