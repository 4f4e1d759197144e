// The table through which the linked part of the runtime reaches the host.
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/host/api.h"
#include "runtime/host/order/callers.h"
#include "runtime/host/order/enforcer.h"
#include "runtime/host/order/objects.h"
#include "runtime/host/order/operation.h"
#include "runtime/host/order/ownership.h"
#include "runtime/host/order/references.h"
#include "runtime/host/order/retracing.h"
#include "runtime/host/order/serial.h"
#include "runtime/host/processes.h"
#include "runtime/host/relay.h"
#include "runtime/host/start.h"
#include "runtime/host/stream.h"
#include "runtime/host/syscalls/dispatch.h"
#include "runtime/host/threads.h"
#include "runtime/host_api.h"

namespace ana {
namespace {

// That there was no room is logged; under the limits of another user, or none, there would be.
bool heap_map(uint64_t at, uint64_t bytes) {
  Slot& slot = self();
  if (replaying() && next_is(slot, SYS_mmap, static_cast<int64_t>(at))) {
    get_value(slot, SYS_mmap);
    return false;
  }
  long r = raw(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (recording() && is_error(r)) put_value(slot, SYS_mmap, static_cast<int64_t>(at));
  return !is_error(r);
}

void heap_unmap(uint64_t at, uint64_t bytes) { raw(SYS_madvise, at, bytes, MADV_DONTNEED); }

void op_end() {
  Slot& slot = self();
  operation_end(slot);
  take_pins(slot);
}

void op_due(bool at_end) {
  Slot& slot = self();
  operation_due(slot, at_end);
  if (at_end && !retracing()) take_pins(slot);  // there it is called at every end, and not because of a loss
}

constexpr HostApi kApi = {
    .magic = kHostApiMagic,
    .mode = Mode::kNone,
    .version = kHostApiVersion,
    .telling = Telling::kNothing,
    .is_plain_replay = false,
    .check = on_check,
    .poll = on_poll,
    .begin = on_begin,
    .end = on_end,
    .library_poll = on_library_poll,
    .acquire = on_acquire,
    .op_begin = [] { operation_begin(self()); },
    .op_end = op_end,
    .op_due = op_due,
    .object_acquire = object_acquire,
    .object_release = object_release,
    .block_enter = [] {
      self().in_wait = true;
      block_enter(self());
    },
    .block_exit = [] {
      self().in_wait = false;
      block_exit(self());
    },
    .doze = [](uint64_t nanoseconds) {
      timespec time{0, static_cast<long>(nanoseconds)};
      raw(SYS_nanosleep, &time, nullptr);
    },
    .section_enter = section_enter,
    .section_leave = section_leave,
    .known_enter = known_enter,
    .known_leave = known_leave,
    .pin = pin,
    .unpin = unpin,
    .tell = tell_from_program,
    .put = [](uint32_t op, int64_t result, const void* data, uint32_t size) { put_value(self(), op, result, data, size); },
    .get = [](uint32_t op, void* data, uint32_t capacity) { return get_value(self(), op, data, capacity); },
    .next_is = [](uint32_t op) { return next_is(self(), op); },
    .crashed_here = [] { return crashed_here(self()); },
    .will_get = [](uint32_t op, int64_t result, uint32_t counts_before) {
      return will_get(self(), op, result, counts_before);
    },
    .wait_unrecorded = [] { enforce_wait(self()); },
    .thread_prepare = thread_prepare,
    .thread_start = thread_start,
    .thread_leaving = thread_leaving,
    .thread_joined = thread_joined,
    .thread_detached = thread_detached,
    .thread_find = thread_find,
    .heap_map = heap_map,
    .heap_unmap = heap_unmap,
    .system_call = direct_system_call,
    .raw_call = ana_raw_syscall,
    .outside_begin = outside_begin,
    .outside_end = outside_end,
    .outside_copies = relay_copies,
    .child_ended = [] { relay_catch_up(self()); },
    .fatal = [](ReportKind kind, const char* text, uint64_t a, uint64_t b) { fatal(kind, text, a, b); },
    .is_loader = [](const void* pc) { return is_loader_code(reinterpret_cast<uint64_t>(pc)); },
};

}  // namespace

void api_init() {
  static_assert(sizeof(HostApi) <= 4096);
  long r = raw(SYS_mmap, layout::kHostApi, 4096, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (is_error(r)) fatal(ReportKind::kCannotStart, "the runtime's own address is taken", -r);
  auto* api = reinterpret_cast<HostApi*>(layout::kHostApi);
  *api = kApi;
  api->mode = g_mode;
  if (tells_synchronisation()) api->telling = telling();
  if (tells_references()) note_callers(*api);
  api->is_plain_replay = replaying() && !tells_references() && !debugged();
}

}  // namespace ana
