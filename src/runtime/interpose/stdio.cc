// Streams: opening, closing, characters, lines, blocks, positions. See stdio_wrappers.h.
#include "runtime/interpose/stdio_wrappers.h"

#include <errno.h>
#include <sys/stat.h>

#include "runtime/interpose/stdio_list.h"

#undef getc
#undef putc
#undef getchar
#undef putchar
#undef getc_unlocked
#undef putc_unlocked
#undef feof_unlocked
#undef ferror_unlocked

extern "C" {
int _IO_getc(FILE*);
int _IO_putc(int, FILE*);
int __uflow(FILE*);
int __overflow(FILE*, int);
size_t __fread_chk(void*, size_t, size_t, size_t, FILE*);
size_t __fread_unlocked_chk(void*, size_t, size_t, size_t, FILE*);
char* __fgets_chk(char*, size_t, int, FILE*);
char* __fgets_unlocked_chk(char*, size_t, int, FILE*);
ssize_t __getdelim(char**, size_t*, int, FILE*);
}

namespace ana {
namespace {

// 0: there is no such memory.
size_t product(size_t a, size_t b) {
  size_t bytes;
  return __builtin_mul_overflow(a, b, &bytes) || bytes > ANA_ADDRESS_MASK ? 0 : bytes;
}

// getline and its kin: the pointer, the size, and the buffer as it is now.
void before_getline(char** line, size_t* capacity) {
  if (passive() || !line || !capacity) return;
  access::write(line, sizeof *line);
  char* buffer = *line;
  access::write(capacity, sizeof *capacity);
  size_t bytes = *capacity;
  if (buffer) access::write(buffer, likely(bytes));
}

// libc's list of all open files is ordered by kLibc: exit() goes through it, and writes in its order. But to open a
// FIFO or a device can mean to wait for another thread, which must not find the rest of libc locked meanwhile.
bool opens_at_once(const char* path) {
  struct stat about;
  int before = errno;
  bool at_once = !path || stat(path, &about) != 0 || !(S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode));
  errno = before;
  return at_once;
}

template <class Open>
FILE* open_in_order(const char* path, Open open) {
  if (passive()) return open();
  if (opens_at_once(path)) {
    KnownSection section(WellKnown::kLibc);
    return add_open_file(open());
  }
  FILE* f = open();
  KnownSection section(WellKnown::kLibc);
  return add_open_file(f);
}

}  // namespace
}  // namespace ana

using ana::access::read_all;
using ana::access::write_all;

// --- opening and closing

#define ANA_OPEN(name, parameters, arguments, path)                                    \
  ANA_EXPORT FILE* name parameters {                                                   \
    return ana::open_in_order(path, [&]() -> FILE* { return ANA_REAL(name) arguments; }); \
  }

ANA_OPEN(fopen, (const char* path, const char* mode), (path, mode), path)
ANA_OPEN(fopen64, (const char* path, const char* mode), (path, mode), path)
ANA_OPEN(fdopen, (int fd, const char* mode) noexcept, (fd, mode), nullptr)
ANA_OPEN(tmpfile, (), (), nullptr)
ANA_OPEN(tmpfile64, (), (), nullptr)
ANA_OPEN(fmemopen, (void* at, size_t bytes, const char* mode) noexcept, (at, bytes, mode), nullptr)
ANA_OPEN(open_memstream, (char** to, size_t* bytes) noexcept, (to, bytes), nullptr)
ANA_OPEN(open_wmemstream, (wchar_t** to, size_t* bytes) noexcept, (to, bytes), nullptr)
ANA_OPEN(fopencookie, (void* cookie, const char* mode, cookie_io_functions_t io) noexcept, (cookie, mode, io), nullptr)

ANA_FILE(FILE*, freopen, (const char* path, const char* mode, FILE* f), (path, mode, f), f)
ANA_FILE(FILE*, freopen64, (const char* path, const char* mode, FILE* f), (path, mode, f), f)

// The flush may block, so it comes before the list of files is taken.
ANA_EXPORT int fclose(FILE* f) {
  if (ana::passive()) return ANA_REAL(fclose)(f);
  ana::Section section(f);
  int flushed = ANA_REAL(fflush)(f);
  ana::KnownSection list(ana::WellKnown::kLibc);
  ana::remove_open_file(f);
  int closed = ANA_REAL(fclose)(f);
  return flushed ? flushed : closed;
}

ANA_EXPORT int fcloseall() {
  if (ana::passive()) return ANA_REAL(fcloseall)();
  int flushed = ana::flush_all_files();
  ana::KnownSection section(ana::WellKnown::kLibc);
  return ANA_REAL(fcloseall)() | flushed;
}

ANA_EXPORT int fflush(FILE* f) {
  if (!f) return ana::passive() ? ANA_REAL(fflush)(f) : ana::flush_all_files();
  ana::Section section(f);
  return ANA_REAL(fflush)(f);
}

ANA_EXPORT int fflush_unlocked(FILE* f) { return fflush(f); }

// --- blocks and lines

ANA_FILE(size_t, fread, (void* to, size_t size, size_t n, FILE* f), (to, size, n, f), f,
         write_all(to, ana::product(size, n)))
ANA_FILE(size_t, fread_unlocked, (void* to, size_t size, size_t n, FILE* f), (to, size, n, f), f,
         write_all(to, ana::product(size, n)))
ANA_FILE(size_t, __fread_chk, (void* to, size_t room, size_t size, size_t n, FILE* f), (to, room, size, n, f), f,
         write_all(to, ana::product(size, n)))
ANA_FILE(size_t, __fread_unlocked_chk, (void* to, size_t room, size_t size, size_t n, FILE* f),
         (to, room, size, n, f), f, write_all(to, ana::product(size, n)))
ANA_FILE(size_t, fwrite, (const void* from, size_t size, size_t n, FILE* f), (from, size, n, f), f,
         read_all(from, ana::product(size, n)))
ANA_FILE(size_t, fwrite_unlocked, (const void* from, size_t size, size_t n, FILE* f), (from, size, n, f), f,
         read_all(from, ana::product(size, n)))

ANA_FILE(char*, fgets, (char* to, int n, FILE* f), (to, n, f), f, if (n > 0) write_all(to, ana::likely(n)))
ANA_FILE(char*, fgets_unlocked, (char* to, int n, FILE* f), (to, n, f), f, if (n > 0) write_all(to, ana::likely(n)))
ANA_FILE(char*, __fgets_chk, (char* to, size_t room, int n, FILE* f), (to, room, n, f), f,
         if (n > 0) write_all(to, ana::likely(n)))
ANA_FILE(char*, __fgets_unlocked_chk, (char* to, size_t room, int n, FILE* f), (to, room, n, f), f,
         if (n > 0) write_all(to, ana::likely(n)))
ANA_FILE(int, fputs, (const char* s, FILE* f), (s, f), f, ana::access::read_string(s))
ANA_FILE(int, fputs_unlocked, (const char* s, FILE* f), (s, f), f, ana::access::read_string(s))
ANA_FILE(int, puts, (const char* s), (s), stdout, ana::access::read_string(s))
ANA_FILE(ssize_t, getline, (char** line, size_t* room, FILE* f), (line, room, f), f, ana::before_getline(line, room))
ANA_FILE(ssize_t, getdelim, (char** line, size_t* room, int end, FILE* f), (line, room, end, f), f,
         ana::before_getline(line, room))
ANA_FILE(ssize_t, __getdelim, (char** line, size_t* room, int end, FILE* f), (line, room, end, f), f,
         ana::before_getline(line, room))

// --- characters

ANA_FILE(int, fgetc, (FILE* f), (f), f)
ANA_FILE(int, getc, (FILE* f), (f), f)
ANA_FILE(int, _IO_getc, (FILE* f), (f), f)
ANA_FILE(int, getchar, (), (), stdin)
ANA_FILE(int, fgetc_unlocked, (FILE* f), (f), f)
ANA_FILE(int, getc_unlocked, (FILE* f), (f), f)
ANA_FILE(int, getchar_unlocked, (), (), stdin)
ANA_FILE(int, getw, (FILE* f), (f), f)
ANA_FILE(int, __uflow, (FILE* f), (f), f)
ANA_FILE(int, fputc, (int c, FILE* f), (c, f), f)
ANA_FILE(int, putc, (int c, FILE* f), (c, f), f)
ANA_FILE(int, _IO_putc, (int c, FILE* f), (c, f), f)
ANA_FILE(int, putchar, (int c), (c), stdout)
ANA_FILE(int, fputc_unlocked, (int c, FILE* f), (c, f), f)
ANA_FILE(int, putc_unlocked, (int c, FILE* f), (c, f), f)
ANA_FILE(int, putchar_unlocked, (int c), (c), stdout)
ANA_FILE(int, putw, (int w, FILE* f), (w, f), f)
ANA_FILE(int, __overflow, (FILE* f, int c), (f, c), f)
ANA_FILE(int, ungetc, (int c, FILE* f), (c, f), f)

// --- position and state

ANA_FILE(int, fseek, (FILE* f, long offset, int whence), (f, offset, whence), f)
ANA_FILE(int, fseeko, (FILE* f, off_t offset, int whence), (f, offset, whence), f)
ANA_FILE(int, fseeko64, (FILE* f, off64_t offset, int whence), (f, offset, whence), f)
ANA_FILE(long, ftell, (FILE* f), (f), f)
ANA_FILE(off_t, ftello, (FILE* f), (f), f)
ANA_FILE(off64_t, ftello64, (FILE* f), (f), f)
ANA_FILE(void, rewind, (FILE* f), (f), f)
ANA_FILE(int, fgetpos, (FILE* f, fpos_t* to), (f, to), f, write_all(to, sizeof *to))
ANA_FILE(int, fgetpos64, (FILE* f, fpos64_t* to), (f, to), f, write_all(to, sizeof *to))
ANA_FILE(int, fsetpos, (FILE* f, const fpos_t* to), (f, to), f, read_all(to, sizeof *to))
ANA_FILE(int, fsetpos64, (FILE* f, const fpos64_t* to), (f, to), f, read_all(to, sizeof *to))
ANA_FILE(void, clearerr, (FILE* f) noexcept, (f), f)
ANA_FILE(void, clearerr_unlocked, (FILE* f) noexcept, (f), f)
ANA_FILE(int, feof, (FILE* f) noexcept, (f), f)
ANA_FILE(int, feof_unlocked, (FILE* f) noexcept, (f), f)
ANA_FILE(int, ferror, (FILE* f) noexcept, (f), f)
ANA_FILE(int, ferror_unlocked, (FILE* f) noexcept, (f), f)
ANA_FILE(int, fileno, (FILE* f) noexcept, (f), f)
ANA_FILE(int, fileno_unlocked, (FILE* f) noexcept, (f), f)
ANA_FILE(int, setvbuf, (FILE* f, char* buffer, int mode, size_t n) noexcept, (f, buffer, mode, n), f)
ANA_FILE(void, setbuf, (FILE* f, char* buffer) noexcept, (f, buffer), f)
ANA_FILE(void, setbuffer, (FILE* f, char* buffer, size_t n) noexcept, (f, buffer, n), f)
ANA_FILE(void, setlinebuf, (FILE* f) noexcept, (f), f)

// --- the FILE's own lock: a section that spans calls. The real lock is inside it and so never contended.

ANA_EXPORT void flockfile(FILE* f) noexcept {
  if (!ana::passive()) ana::g_host->section_enter(f, true);
  ANA_REAL(flockfile)(f);
}

ANA_EXPORT void funlockfile(FILE* f) noexcept {
  ANA_REAL(funlockfile)(f);
  if (!ana::passive()) ana::g_host->section_leave(f, true);
}

// There is no way to try a section. To wait for it is right too: the other thread leaves it sooner or later.
ANA_EXPORT int ftrylockfile(FILE* f) noexcept {
  if (ana::passive()) return ANA_REAL(ftrylockfile)(f);
  flockfile(f);
  return 0;
}
