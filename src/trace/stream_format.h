// The bytes of a thread's action stream, as the recorded program writes them and the tools read them.
//
// A stream is a sequence of records in the order in which its thread acted. Integers are LEB128 varints; signed ones are
// zigzag coded. Each record starts with varint(count_delta << 2 | kind), where count_delta is the thread's poll count
// minus the count of its previous record:
//
//   kEdge   zigzag(site - previous site) varint(source slot)
//           zigzag(source count - that of the previous edge from this slot)
//           zigzag(source edges - that of the previous edge from this slot)
//           The thread waited, at exactly this count and site, for what `source` had published: the publication at
//           source's count `source count`, after source's first `source edges` edges. Only these sinks are logged;
//           the publications follow from them.
//   kValue  varint(op) zigzag(result) varint(length) bytes
//           An input, or an outcome that may vary from run to run.
//   kVersions  varint(length) bytes
//           What the algorithm trace-all logs of an event; as a value of kOpVersions, but shorter.
//
// Freestanding: used inside the recorded program. Bump kStreamVersion in session.h when anything here changes.
#pragma once
#include <stdint.h>

namespace ana {

enum class RecordKind : uint32_t { kEdge = 0, kValue = 1, kVersions = 2 };

// Sites below this are no addresses: edges that were logged inside the runtime, not at an instrumented access.
constexpr uint64_t kSiteOperation = 1;

// What a value belongs to. Below kFirstRuntimeOp: the number of a system call.
enum Op : uint32_t {
  kFirstRuntimeOp = 1024,
  kOpProgram = 1024,     // bytes: absolute path of the executable; first record of slot 0
  kOpInitialStack,       // result: its address, bytes: the image
  kOpStackHeader,        // bytes: InitialStack (host)
  kOpCreate,             // result: slot of the new thread, or -errno
  kOpThreadStart,        // result: kernel thread id; bytes: u64 ordinal
  kOpThreadEnd,
  kOpOutcome,            // result of a synchronisation operation
  kOpElfMapping,         // result: file size; bytes: path, a zero, ElfMapping
  kOpFileMapping,        // bytes: contents
  kOpInstruction,        // result of rdtsc and the like
  kOpLibrary,            // result of a library call that varies
  kOpAccesses,           // now and then; result: hash of accesses so far (order/operation.cc)
  kOpEnd,                // written by the recorder: the thread was alive at the end, at this count; bytes: StreamEnd
  kOpVersions,           // trace-all: bytes: versions of the granules of an event (order/version_codec.h)
  kOpSignal,             // a handler of the program was entered; result: signal, bytes: SignalRecord
  kOpInitialise,         // result: address of the guard of a static local that this thread initialises
  kOpKeptFile,           // result: number of a file that streams refer to from now on; bytes: KeptRecord and its path
  kOpKeptRead,           // result of read or pread64; bytes: KeptRead, then what was read if it refers to no file
  kOpPrinted,            // result: channel of other processes (relay_control.h); bytes: u64 how much came through it
};

// Where a thread was when it entered a handler. The present count says at which poll, operation or system call.
enum class SignalPoint : uint32_t {
  kPoll = 0,
  kWait = 1,     // inside a library function that waits
  kBefore = 2,   // a system call that is begun again when the handler returns
  kAfter = 3,    // a system call
};

struct SignalRecord {
  uint8_t info[48];     // the beginning of siginfo_t: the kernel has no more
  uint64_t handler, flags, restorer, mask;  // its action, as the kernel takes it
  uint64_t stack;       // the handler's first stack pointer
  uint32_t point;       // SignalPoint
  uint32_t restarts;    // the system call that it interrupted is begun again
};
static_assert(sizeof(SignalRecord) == 96);

// Where a part of a program or library was mapped. Older traces have the path alone.
struct ElfMapping {
  uint64_t at, bytes;
  uint64_t offset;      // in the file
  uint64_t protection;  // PROT_
};
static_assert(sizeof(ElfMapping) == 32);

// A file at the time when streams began to refer to it.
struct KeptRecord {
  uint64_t bytes;
  int64_t modified_seconds, modified_nanoseconds;
};
static_assert(sizeof(KeptRecord) == 24);

constexpr uint32_t kNoKeptFile = 0xffffffffu;

struct KeptRead {
  uint32_t file;        // or kNoKeptFile
  uint32_t checksum;    // CRC-32C of samples of what was read (host/syscalls/kept_files.cc)
  uint64_t offset;
  uint64_t room;        // bytes of the buffer that were taken for it
};
static_assert(sizeof(KeptRead) == 24);

// Where a thread that did not end by itself stood when the program died.
struct StreamEnd {
  uint64_t site;        // waiting: where; running: of the last slow check that it had done at this count; or 0
  uint32_t state;       // SlotState
  uint32_t reserved;
};
static_assert(sizeof(StreamEnd) == 16);

constexpr uint32_t kMaxVarint = 10;

inline uint32_t put_varint(uint8_t* to, uint64_t value) {
  uint32_t n = 0;
  while (value >= 0x80) {
    to[n++] = static_cast<uint8_t>(value) | 0x80;
    value >>= 7;
  }
  to[n++] = static_cast<uint8_t>(value);
  return n;
}

inline uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}

inline int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

}  // namespace ana
