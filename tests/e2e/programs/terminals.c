/* A pseudo terminal and its settings: windows, modes, process groups, queues, names. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static uint64_t of_bytes(uint64_t hash, const char *bytes, ssize_t n) {
  for (ssize_t i = 0; i < n; i++) hash = mix(hash, (unsigned char)bytes[i]);
  return mix(hash, (uint64_t)n);
}

static uint64_t body(int index) {
  uint64_t hash = (uint64_t)index;
  char name[100] = "", text[100];
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) || unlockpt(master) || ptsname_r(master, name, sizeof name)) return 0;
  hash = of_bytes(hash, name, (ssize_t)strlen(name));
  int terminal = open(name, O_RDWR | O_NOCTTY);
  struct winsize size = {(unsigned short)(time(NULL) % 50 + 1), 80, 0, 0}, seen = {0, 0, 0, 0};
  ioctl(terminal, TIOCSWINSZ, &size);
  hash = mix(hash, (uint64_t)ioctl(master, TIOCGWINSZ, &seen));
  hash = mix(hash, seen.ws_row);
  struct termios modes;
  if (tcgetattr(terminal, &modes)) return 1;
  hash = mix(mix(hash, modes.c_lflag), modes.c_cc[VEOF]);
  cfmakeraw(&modes);
  hash = mix(hash, (uint64_t)tcsetattr(terminal, TCSAFLUSH, &modes));
  int n = snprintf(text, sizeof text, "typed at %ld", (long)clock());
  if (write(master, text, (size_t)n) != n) return 2;
  int waiting = 0;
  hash = mix(hash, (uint64_t)ioctl(terminal, FIONREAD, &waiting));
  hash = mix(hash, (uint64_t)waiting);
  hash = of_bytes(hash, text, read(terminal, text, sizeof text));
  hash = mix(hash, (uint64_t)tcflush(terminal, TCIOFLUSH));
  hash = mix(mix(hash, (uint64_t)isatty(terminal)), (uint64_t)tcgetpgrp(terminal));
  hash = mix(hash, (uint64_t)tcgetsid(terminal));
  hash = mix(hash, (uint64_t)tcdrain(terminal));
  int number = -1;
  ioctl(master, TIOCGPTN, &number);
  close(terminal), close(master);
  return mix(hash, (uint64_t)number);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  return 0;
}
