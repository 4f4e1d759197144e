// Stands in for anaphora-host in tests of the recorder: writes records into the rings as threads of a program would.
//
//   fake_host record <session> -1 -- program THREADS RECORDS END
//   fake_host replay <session> <schedule>
//
// END: exit:N, kill:N, report:KIND, partial (dies while writing a record), hang. Each thread's values count up from 0,
// so a reader can tell whether any is missing. A replay ends as the recording did.
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "trace/schedule.h"
#include "trace/session.h"
#include "trace/stream_format.h"

namespace {

using namespace ana;

char* base;
SessionHeader* header() { return reinterpret_cast<SessionHeader*>(base); }
SlotShared* slot_at(uint32_t i) { return reinterpret_cast<SlotShared*>(base + kSlotsOffset + i * kSlotBytes); }

void ring_doorbell() {
  __atomic_add_fetch(&header()->doorbell, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &header()->doorbell, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

class Writer {
 public:
  explicit Writer(uint32_t i) : slot_(slot_at(i)) {}

  void value(uint32_t op, int64_t result, const std::string& bytes, size_t cut = 0) {
    uint8_t head[4 * kMaxVarint];
    uint64_t delta = slot_->count - last_count_;
    last_count_ = slot_->count;
    uint32_t n = put_varint(head, delta << 2 | static_cast<uint32_t>(RecordKind::kValue));
    n += put_varint(head + n, op);
    n += put_varint(head + n, zigzag(result));
    n += put_varint(head + n, bytes.size());
    append(head, n);
    append(bytes.data(), bytes.size() - cut);
    commit();
  }

 private:
  void append(const void* data, uint64_t size) {
    const char* from = static_cast<const char*>(data);
    constexpr uint64_t kPiece = kRingBytes / 4;
    while (size > 0) {
      uint64_t step = size < kPiece ? size : kPiece;
      wait_for_room(step);
      char* ring = reinterpret_cast<char*>(slot_) + kRingOffset;
      for (uint64_t k = 0; k < step; k++) ring[(head_ + k) % kRingBytes] = from[k];
      head_ += step;
      from += step;
      size -= step;
      if (size > 0) commit();
    }
  }
  // No timeout: a wake-up that the recorder forgets shall be seen as a hang.
  void wait_for_room(uint64_t size) {
    for (;;) {
      uint64_t tail = __atomic_load_n(&slot_->tail, __ATOMIC_ACQUIRE);
      if (head_ + size - tail <= kRingBytes) return;
      ring_doorbell();
      syscall(SYS_futex, &slot_->tail, FUTEX_WAIT, static_cast<uint32_t>(tail), nullptr, nullptr, 0);
    }
  }
  void commit() { __atomic_store_n(&slot_->head, head_, __ATOMIC_RELEASE); }

  SlotShared* slot_;
  uint64_t head_ = 0, last_count_ = 0;
};

void run_thread(uint32_t i, long records, bool partial) {
  SlotShared* slot = slot_at(i);
  slot->status.state = static_cast<uint32_t>(SlotState::kRunning);
  slot->status.ordinal = i;
  slot->status.tid = static_cast<uint32_t>(gettid());
  Writer writer(i);
  uint64_t ordinal = i;
  writer.value(kOpThreadStart, gettid(), {reinterpret_cast<char*>(&ordinal), sizeof ordinal});
  for (long k = 0; k < records; k++) {
    slot->count += 2;
    // Now and then one that is larger than the ring.
    writer.value(0, k, std::string(k % 1000 == 500 ? 2 * kRingBytes + 3 : static_cast<size_t>(k % 50), 'v'));
  }
  if (i % 2 == 1) {
    writer.value(kOpThreadEnd, 0, "");
    slot->status.state = static_cast<uint32_t>(SlotState::kEnded);
  } else if (partial) {
    writer.value(1, 2, std::string(100, 'p'), 50);
  }
  slot->count += 5;
}

[[noreturn]] void die(int signal_number) {
  signal(signal_number, SIG_DFL);  // a sanitizer may have its own
  kill(getpid(), signal_number);
  for (;;) pause();
}

int replay(int schedule_fd) {
  void* at = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, schedule_fd, 0);
  if (at == MAP_FAILED || static_cast<ScheduleHeader*>(at)->magic != kScheduleMagic) return 78;
  if (header()->end_signal != 0) die(static_cast<int>(header()->end_signal));
  return static_cast<int>(header()->end_status);
}

}  // namespace

int main(int argc, char** argv) {
  int session = atoi(argv[2]);
  // Out of the way of the program's own descriptors.
  if (session < 64) return 76;
  base = static_cast<char*>(mmap(nullptr, kSessionBytes, PROT_READ | PROT_WRITE, MAP_SHARED, session, 0));
  if (base == MAP_FAILED || header()->magic != kSessionMagic) return 77;
  if (strcmp(argv[1], "replay") == 0) return replay(atoi(argv[3]));
  if (argc < 9) return 75;
  uint32_t threads = static_cast<uint32_t>(atoi(argv[6]));
  long records = atol(argv[7]);
  std::string end = argv[8];
  header()->threads_created = threads;
  __atomic_store_n(&header()->slots_used, threads, __ATOMIC_RELEASE);
  std::vector<std::thread> all;
  for (uint32_t i = 0; i < threads; i++) all.emplace_back(run_thread, i, records, end == "partial");
  for (std::thread& thread : all) thread.join();
  int number = end.find(':') == std::string::npos ? SIGKILL : atoi(end.c_str() + end.find(':') + 1);
  if (end == "hang")
    for (;;) pause();
  if (end.starts_with("exit")) _exit(number);
  if (end.starts_with("report")) {
    header()->report.a = 57;
    header()->report.kind = static_cast<uint32_t>(number);
    _exit(1);
  }
  die(number);
}
