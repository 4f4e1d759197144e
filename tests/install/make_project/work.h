/* Counts without a lock; see main.c. */
void *work(void *argument);
extern long counter;
