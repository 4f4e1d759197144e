// The beginning and the end of a rank, and its clock.
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpi/adaptive.h"
#include "mpi/communicators.h"
#include "mpi/completion.h"
#include "mpi/contents.h"
#include "mpi/facts.h"
#include "mpi/library.h"
#include "mpi/lock.h"
#include "mpi/outside_entry.h"
#include "mpi/permits.h"
#include "mpi/racing.h"
#include "mpi/threads.h"

namespace ana::mpi {

namespace {

struct Link {
  int socket = -1, page = -1, schedule = -1, window = -1;
  uint64_t made = 0;  // threads, by this one, before MPI_Init
};

bool find_link(Link& link) {
  const char* text = getenv(kRankLinkVariable);
  return text != nullptr &&
         sscanf(text, "%d %d %d %d", &link.socket, &link.page, &link.schedule, &link.window) == 4;
}

// A rank that a debugger has.
bool read_reply(int schedule, RankReply& reply) {
  RankScheduleHeader header;
  return ::pread(schedule, &header, sizeof header, 0) == sizeof header &&
         ::pread(schedule, &reply, sizeof reply, static_cast<off_t>(header.reply_offset)) == sizeof reply;
}

RankReply ask(const RankHello& hello, int schedule = -1) {
  RankReply reply{};
  if (g.socket < 0 && read_reply(schedule, reply)) return reply;
  if (::send(g.socket, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello &&
      ::recv(g.socket, &reply, sizeof reply, 0) == sizeof reply) {
    return reply;
  }
  reply = RankReply{};
  snprintf(reply.text, sizeof reply.text, "the tool that started this rank does not answer: %s", strerror(errno));
  return reply;
}

// One rank says what is wrong, and all end.
void agree(const RankReply& reply) {
  int mine = reply.ok != 0 ? g.ranks : g.rank, first = 0;
  PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, g.world);
  if (first == g.ranks) return;
  if (first == g.rank) give_up(reply.text);
  // The one that speaks also ends us; this is for the case that it cannot.
  sleep(20);
  _exit(kExitTool);
}

void start_record(RankHello& hello, uint64_t made) {
  RankReply reply{};
  if (g.rank == 0) reply = ask(hello);
  PMPI_Bcast(&reply, sizeof reply, MPI_BYTE, 0, g.world);
  if (g.rank != 0 && reply.ok != 0) {
    hello.id = reply.id;
    memcpy(hello.directory, reply.directory, sizeof hello.directory);
    reply = ask(hello);
  } else if (g.rank != 0) {
    reply.ok = 1;  // rank 0 has said it
  }
  if (reply.ok != 0 && reply.directory[0] != 0) {
    char path[kMaxRankPath + 32];
    snprintf(path, sizeof path, "%s/rank-%d", reply.directory, g.rank);
    if (!open_rank_file(path, g.header, g.sites)) {
      reply.ok = 0;
      snprintf(reply.text, sizeof reply.text, "cannot map %.900s: %s", path, strerror(errno));
    }
    snprintf(path, sizeof path, "%s/contents-%d.live", reply.directory, g.rank);
    if (reply.contents != 0 && reply.ok != 0 && !open_contents(path)) {
      reply.ok = 0;
      snprintf(reply.text, sizeof reply.text, "cannot map %.900s: %s", path, strerror(errno));
    }
  }
  MPI_Comm parent = MPI_COMM_NULL;
  if (reply.contents != 0) PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    reply.ok = 0;
    snprintf(reply.text, sizeof reply.text, "processes that others have started with MPI_Comm_spawn cannot be replayed "
             "alone; record without --contents");
  }
  agree(reply);
  g.mode = static_cast<RankMode>(reply.mode);
  g.full_check = reply.full_check != 0;
  g.chaos = reply.chaos;
  g.race_graph = reply.race_graph != 0;
  // Timestamps tell what one thread knows; with several, every receive of any source is recorded.
  g.timestamps = !g.threads && (g.mode == RankMode::kRacing || g.mode == RankMode::kAuto);
  if (g.timestamps) {
    if (g.mode == RankMode::kAuto) start_adaptive(reply.racing_after);
    find_communicator(MPI_COMM_WORLD)->shared_id = 1;
    start_racing();
  }
  g.contents = ana_refusing = reply.contents != 0;
  if (g.contents) set_threads_made(made);
  g.plain = !g.threads && !g.contents && g.chaos == 0;
  g.phase = Phase::kRecord;
}

void start_alone(const RankReply& reply, int window) {
  if (!map_contents(window, reply.whole != 0)) give_up("cannot map the memory that it shares with the tool");
  g.contents = true;
  g.finalized = reply.finalized != 0;
  g.rank = static_cast<int>(reply.rank);
  g.ranks = static_cast<int>(reply.ranks);
  start_facts();
}

void start_replay(const RankHello& hello, const Link& link) {
  RankReply reply = ask(hello, link.schedule);
  if (reply.ok != 0 && !map_schedule(link.schedule)) {
    reply.ok = 0;
    snprintf(reply.text, sizeof reply.text, "cannot map the schedule of the replay: %s", strerror(errno));
  }
  agree(reply);
  // The traces of all ranks must be of one recording.
  uint64_t first = reply.id;
  PMPI_Bcast(&first, sizeof first, MPI_BYTE, 0, g.world);
  if (first != reply.id) {
    reply.ok = 0;
    snprintf(reply.text, sizeof reply.text, "%.900s: the trace of this rank is from another recording than rank 0's",
             reply.directory);
  }
  agree(reply);
  int finished = reply.finished != 0 ? 1 : 0, all = 0;
  PMPI_Allreduce(&finished, &all, 1, MPI_INT, MPI_MIN, g.world);
  g.all_finished = all != 0;
  g.mode = static_cast<RankMode>(reply.mode);
  g.full_check = reply.full_check != 0;
  g.patience_ns = int64_t{reply.timeout_seconds} * 750'000'000;  // shorter than the tool's, which only kills
  if (reply.contents != 0) set_threads_made(link.made);
  if (reply.alone != 0) start_alone(reply, link.window);
  g.timestamps = !g.threads && g.mode == RankMode::kRacing && !g.alone;
  if (g.timestamps) start_ways();
  g.permits = g.timestamps && reply.permits != 0;
  if (g.permits) start_permits();
  g.phase = Phase::kReplay;
}

void start(int thread_level, uint64_t made) {
  Link link;
  link.made = made;
  if (g.phase != Phase::kOff || !find_link(link)) return;
  // Programs that this one starts have no part in it.
  unsetenv(kRankLinkVariable);
  g.socket = link.socket;
  g.alone = link.window >= 0;
  g.threads = thread_level >= MPI_THREAD_SERIALIZED;
  PMPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &g.ranks);
  PMPI_Comm_dup(MPI_COMM_WORLD, &g.world);
  bool debugged = link.socket < 0;
  void* page = ::mmap(nullptr, sizeof(RankPage), PROT_READ | PROT_WRITE, debugged ? MAP_PRIVATE : MAP_SHARED, link.page, 0);
  if (page == MAP_FAILED) give_up("cannot map the page that it shares with the tool");
  g.page = static_cast<RankPage*>(page);
  if (debugged) tell_debugger(link.made);
  find_communicator(MPI_COMM_WORLD);
  find_communicator(MPI_COMM_SELF);
  RankHello hello{};
  hello.version = kRankVersion;
  hello.rank = static_cast<uint32_t>(g.rank);
  hello.ranks = static_cast<uint32_t>(g.ranks);
  hello.thread_level = static_cast<uint32_t>(thread_level);
  if (link.schedule < 0) {
    start_record(hello, link.made);
  } else {
    start_replay(hello, link);
  }
  Thread* first = this_thread();  // has stream 0
  if (g.permits) give_permits(first);
  if (debugged) ana_rank_starts();
}

}  // namespace

}  // namespace ana::mpi

using namespace ana::mpi;

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  uint64_t made = threads_made();
  int result = PMPI_Init(argc, argv);
  if (result == MPI_SUCCESS) start(MPI_THREAD_SINGLE, made);
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  uint64_t made = threads_made();
  int result = PMPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS) start(*provided, made);
  return result;
}

int MPI_Finalize() {
  Entered t = ANA_BEGIN(Finalize, 0, 0, 0);
  if (t != nullptr) {
    if (recording()) {
      poll_freed();
      if (g.contents) look_after_freed(t);
      if (g.timestamps) finish_racing();
    } else if (!g.all_finished && has_recorded_program()) {
      end_streams();
      return MPI_SUCCESS;  // the program goes on to its end, and waits there for the other ranks
    } else if (!g.all_finished) {
      park(t);  // another rank never came here, so MPI's own would wait for it for ever
    }
    if (alone()) look_after_freed(t);
    end_streams();
    if (alone() && !g.finalized) park(t);  // was ended in there
    if (!recording() && g.timestamps) wait_for_all();
    if (recording()) g.header->finished = 1;
    g.phase = Phase::kOff;
    g.plain = g.permits = false;
    g.contents = g.alone = ana_refusing = false;
    close_rank_file();
    PMPI_Comm_free(&g.world);
  }
  int result = PMPI_Finalize();
  contents_finalized();
  return result;
}

int MPI_Abort(MPI_Comm comm, int code) {
  ana::mpi::g.abort_code = code;
  Entered t = ANA_BEGIN(Abort, code, 0, 0);
  if (t != nullptr && recording()) g.header->aborted = 1;
  if (t != nullptr && !recording() && has_recorded_program()) park_inside();  // first its threads come to their ends
  wait_for_launcher();
  int result = PMPI_Abort(comm, code);
  if (!has_recorded_program()) return result;
  // MPICH's comes back, and the launcher ends the rank some time later. Its threads are not to go on meanwhile.
  sleep(10);
  _exit(code);
}

double MPI_Wtime() {
  Entered t = ANA_BEGIN(Wtime, 0, 0, 0);
  if (t == nullptr) return PMPI_Wtime();
  int64_t now;
  if (recording()) {
    now = llround(PMPI_Wtime() / ana::kTimeUnit);
    Guard guard;
    t->writer.put({.kind = ana::EventKind::kTime, .value = ana::zigzag(now - t->last_time)});
  } else {
    now = t->last_time + take_time(t);
  }
  t->last_time = now;
  return static_cast<double>(now) * ana::kTimeUnit;
}

double MPI_Wtick() { return ana::mpi::g.phase == Phase::kOff ? PMPI_Wtick() : ana::kTimeUnit; }

}  // extern "C"
