#include "mpi/library.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "mpi/alone.h"
#include "mpi/completion.h"
#include "mpi/contents.h"
#include "mpi/lock.h"
#include "mpi/outside_entry.h"
#include "mpi/permits.h"
#include "mpi/racing.h"
#include "mpi/sites.h"
#include "mpi/threads.h"
#include "mpi/turns.h"
#include "mpi/unseen.h"

namespace ana::mpi {

Library g;

// Debuggers find them by their names (kCallBegins, kRankStarts).
extern "C" [[gnu::noinline, gnu::visibility("default")]] void ana_rank_starts() { asm volatile(""); }
extern "C" [[gnu::noinline, gnu::visibility("default")]] void ana_call_begins() { asm volatile(""); }

pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

namespace {

constexpr int64_t kGrace = 2'000'000'000;  // ns for the other ranks' ends, until they seem to wait for this one

uint8_t byte_of(uint64_t hash) { return static_cast<uint8_t>(hash >> 11); }

// For threads of a rank that is about to be ended by another of its threads.
[[noreturn]] void wait_for_the_end() {
  for (;;) pause();
}

// Until the other threads have come as far as they can.
void wait_for_standstill() {
  uint64_t progress = 0;
  for (int unmoved = 0; unmoved < 20; unmoved++) {
    uint64_t now = __atomic_load_n(&g.page->progress, __ATOMIC_RELAXED);
    if (now != progress) unmoved = 0;
    progress = now;
    timespec nap{0, 100'000'000};
    nanosleep(&nap, nullptr);
  }
}

void send_report(Thread* t, RankReportKind kind, const char* call, const char* text) {
  RankReport report{};
  report.kind = static_cast<uint32_t>(kind);
  report.rank = static_cast<uint32_t>(g.rank);
  report.call_number = t->calls;
  snprintf(report.call, sizeof report.call, "%s", call);
  const char* module;
  if (t->site != nullptr && find_place(t->site, module, report.offset))
    snprintf(report.module, sizeof report.module, "%s", module);
  snprintf(report.text, sizeof report.text, "%s", text);
  // The tool prints it before it answers, so that it is seen before MPI ends everything.
  char answer;
  if (!ask_tool(&report, sizeof report, &answer, sizeof answer))
    fprintf(stderr, "anaphora: rank %d: %s: %s\n", g.rank, report.call, text);
}

MPI_Request everybody = MPI_REQUEST_NULL;  // replay: is complete when all ranks are at their ends

constexpr const char* kEndText = "the recording ends here";

void begin_end(Thread* t) {
  g.parked = true;
  send_report(t, RankReportKind::kEndOfTrace, name_of(t->call), kEndText);
  PMPI_Ibarrier(g.world, &everybody);
}

// False: it has not happened after so many nanoseconds.
bool wait_for(MPI_Request* request, int64_t patience = INT64_MAX) {
  for (int64_t start = now_ns(); now_ns() - start < patience;) {
    if (g.timestamps) drain_ways();
    int done = 0;
    PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
    timespec nap{0, 200000};
    nanosleep(&nap, nullptr);
  }
  return false;
}

// The others may still need what this rank has sent. Whoever comes last lets all go.
[[noreturn]] void finish_end() {
  wait_for(&everybody);
  if (g.abort_code >= 0) end_job(g.abort_code);
  if (alone()) end_job(kExitTool);  // the tool knows how the rank ended
  // Somebody else may have to call MPI_Abort with the recorded code; if nobody does, this ends the job.
  sleep(2);
  end_job(kExitTool);
}

// The rank died in this call.
void go_into_end(Thread* t) {
  t->dying = true;
  if (alone() || !matters_to_others(t->call)) park(t);
  if (is_concerted(t->call)) {
    if (g.threads || has_recorded_program()) park(t);  // they would wait for this one
    // It may wait for ranks that do not come, so the end begins before; and it is made only if others seem to need it.
    begin_end(t);
    if (wait_for(&everybody, kGrace)) finish_end();
  }
}

}  // namespace

void tell_debugger(uint64_t threads_made) {
  g.page->debugged = 1;
  g.page->threads_made = threads_made;
}

// Out of the way of calls that have nothing to check.
[[gnu::noinline]] void record_check(Thread* t) {
  Guard guard;
  t->writer.put({.kind = EventKind::kCheck, .check = byte_of(t->hash), .value = t->calls - t->last_check});
  t->writer.checked();
  t->last_check = t->calls;
  t->check_at = g.full_check ? 0 : t->calls + kCheckCalls;
}

[[gnu::noinline]] void replay_check(Thread* t) {
  __atomic_store_n(&g.page->calls[t->stream], t->calls, __ATOMIC_RELAXED);
  __atomic_add_fetch(&g.page->progress, 1, __ATOMIC_RELAXED);
  if (g.page->debugged != 0 && t->stream == 0) ana_call_begins();
  Schedule& s = *t->schedule;
  while (s.next_check < s.checks.size && s.checks[s.next_check].calls <= t->calls) {
    const Check& check = s.checks[s.next_check++];
    if (check.calls == t->calls && check.byte != byte_of(t->hash))
      diverged(t, "this call, or one since the last check, is not the one of the recording or has other arguments");
  }
  if (!s.ended && t->calls > s.calls) park(t);
  if (!s.ended && t->calls == s.calls && s.inside) go_into_end(t);
  if (s.ended && t->calls > s.end_calls) diverged(t, "the recording has no more calls of this thread");
}

int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

Thread* begin_call(Call call, const void* site, uint64_t a, uint64_t b, uint64_t c) {
  return begin_often(call, site, a, b, c);
}

bool ask_tool(const void* question, size_t bytes, void* answer, size_t answer_bytes) {
  static pthread_mutex_t socket_mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&socket_mutex);
  bool fine = ::send(g.socket, question, bytes, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes) &&
              ::recv(g.socket, answer, answer_bytes, 0) == static_cast<ssize_t>(answer_bytes);
  pthread_mutex_unlock(&socket_mutex);
  return fine;
}

Thread* begin_fact(Call call, const void* site) {
  Thread* t = this_thread();
  t->call = call;
  t->site = site_in_program(site);
  if (!recording()) __atomic_add_fetch(&g.page->progress, 1, __ATOMIC_RELAXED);
  return t;
}

void refuse(Thread* t, const char* function) {
  send_report(t, RankReportKind::kUnsupported, function,
              "cannot be replayed without the other ranks, so --contents is refused; record without it");
  end_job(kExitTool);
}

void finish_recorded_call(Thread* t) {
  tell_unseen();
  if (g.contents) look_after_freed(t);
}

void end_other_call(Thread* t) {
  if (g.contents && g.phase != Phase::kOff) look_after_freed(t);
  if (g.permits) give_permits(t);
  if (t->dying) is_concerted(t->call) ? finish_end() : park(t);
}

namespace {

uint32_t end_hash(const Thread* t) { return static_cast<uint32_t>(t->hash); }

void end_stream(Thread* t) {
  if (recording()) return t->writer.put({.kind = EventKind::kEnd, .value = t->calls, .hash = end_hash(t)});
  const Schedule& s = *t->schedule;
  if (s.ended && (s.end_calls != t->calls || s.end_hash != end_hash(t))) {
    diverged(t, "the program ends after %llu calls, the recording after %llu%s",
             static_cast<unsigned long long>(t->calls), static_cast<unsigned long long>(s.end_calls),
             s.end_calls == t->calls ? ", and some of them were others" : "");
  }
  if (alone() && s.ended && has_more(t)) diverged(t, "the recording has contents that were not asked for");
  if (s.ended && s.next_answer < s.answers.size) diverged(t, "the recording has outcomes that were not asked for");
}

}  // namespace

void end_streams() {
  for (uint32_t i = 0; i < kMaxStreams; i++) {
    if (Thread* t = all_threads()[i]; t != nullptr) {
      end_stream(t);
    } else if (!recording() && has_stream(i)) {
      diverged(this_thread(), "a thread that called MPI in the recording has not done so");
    }
  }
}

void diverged(Thread* t, const char* format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  // The first one speaks for all.
  static bool told = false;
  if (__atomic_exchange_n(&told, true, __ATOMIC_ACQ_REL)) wait_for_the_end();
  send_report(t, RankReportKind::kDiverged, name_of(t->call), text);
  end_job(kExitTool);
}

void wait_for_all() {
  MPI_Request request;
  PMPI_Ibarrier(g.world, &request);
  wait_for(&request);
}

void park(Thread* t) {
  if (t->dying) pass_turn(t);  // others may have come after it
  if (__atomic_exchange_n(&g.parked, true, __ATOMIC_ACQ_REL)) has_recorded_program() ? park_inside() : wait_for_the_end();
  if (g.threads && !has_recorded_program()) wait_for_standstill();
  if (has_recorded_program()) {
    send_report(t, RankReportKind::kEndOfTrace, name_of(t->call), kEndText);
    park_inside();
  }
  begin_end(t);
  finish_end();
}

void give_up(const char* text) {
  fprintf(stderr, "anaphora: rank %d: %s\n", g.rank, text);
  end_job(kExitTool);
}

void wait_for_launcher() {
  wait_until_read(STDOUT_FILENO);
  wait_until_read(STDERR_FILENO);
}

void end_job(int status) {
  wait_for_launcher();
  if (alone()) _exit(status);
  alarm(10);  // in case MPI cannot end itself any more: then this rank's end is noticed by the launcher
  PMPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

void put_outcome(Thread* t, uint64_t value) {
  count_one(g.header->outcomes);
  Guard guard;
  t->writer.put({.kind = EventKind::kOutcome, .value = value});
}

void put_no(Thread* t) {
  count_one(g.header->no_outcomes);
  if (!g.full_check) t->check_at++;
  Guard guard;
  t->writer.put_no();
}

namespace {

Answer* next_answer(Thread* t) {
  Schedule& s = *t->schedule;
  if (s.next_answer < s.answers.size) return &s.answers[s.next_answer];
  if (!s.ended) park(t);
  diverged(t, "the recording has no outcome left for this call");
}

}  // namespace

bool take_yes(Thread* t) {
  Answer* answer = next_answer(t);
  if (answer->kind != Answer::kNo) return true;
  if (--answer->value == 0) t->schedule->next_answer++;
  return false;
}

uint64_t take_outcome(Thread* t) {
  Answer* answer = next_answer(t);
  if (answer->kind != Answer::kOutcome) diverged(t, "the recording has another kind of outcome here");
  t->schedule->next_answer++;
  return answer->value;
}

int64_t take_time(Thread* t) {
  Answer* answer = next_answer(t);
  if (answer->kind != Answer::kTime) diverged(t, "the recording does not ask for the time here");
  t->schedule->next_answer++;
  return unzigzag(answer->value);
}

void sleep_randomly() {
  static thread_local uint64_t state = 0;
  if (state == 0) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    state = static_cast<uint64_t>(now.tv_nsec) * 2654435761u + static_cast<uint64_t>(g.rank) + 1;
  }
  state = mix(state, 0x2545f4914f6cdd1dull) | 1;
  if ((state >> 20) % 4 != 0) return;  // most calls are left alone, so that ranks drift apart
  timespec nap{0, static_cast<long>((state >> 24) % (g.chaos + 1)) * 1000};
  nanosleep(&nap, nullptr);
}

}  // namespace ana::mpi
