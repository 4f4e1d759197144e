#include "trace/load_schedule.h"

#include <errno.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <bitset>

#include "algorithms/catalogue.h"
#include "trace/schedule.h"
#include "trace/schedule_file.h"
#include "trace/session.h"
#include "trace/stream_format.h"
#include "trace/trace_directory.h"

namespace ana {

namespace {

constexpr uint64_t kNever = ~0ull;
constexpr size_t kMaxProblems = 10;
constexpr uint64_t kActionsPerProgress = 65536;

struct LoadedEdge {
  Edge edge;
  uint64_t values_before;  // bytes of the slot's values that come before it in the stream
};

struct LoadedSlot {
  std::vector<LoadedEdge> edges;
  std::vector<Publication> publications;
  std::vector<LamportJump> times;  // of Lamport algorithms
  std::vector<uint32_t> consumers;  // of algorithms without write-after-read edges: edges that name each publication
  std::vector<uint8_t> versions;    // of trace-all
  std::vector<uint64_t> signals;    // counts of kOpSignal
  std::vector<ForkCut> cuts;        // of a forked child
  uint64_t values_offset = 0;
  uint64_t values_bytes = 0;  // without the terminator
  uint64_t final_count = 0;   // kNever: ended by itself
  uint64_t final_site = 0;
  bool final_blocked = false;
  bool ran_on = false;  // when it ended
  uint64_t crash_count = kNever;
  // What there is without the records of the newest count.
  struct Before {
    uint64_t count = kNever;
    size_t edges = 0, versions = 0, signals = 0;
    uint64_t values_bytes = 0;
  } before_newest;

  void meet(uint64_t count) {
    if (count != before_newest.count)
      before_newest = {count, edges.size(), versions.size(), signals.size(), values_bytes};
  }
  bool logged_at_newest() const {
    const Before& b = before_newest;
    return edges.size() != b.edges || versions.size() != b.versions || signals.size() != b.signals ||
           values_bytes != b.values_bytes;
  }
  void drop_newest() {
    edges.resize(before_newest.edges);
    versions.resize(before_newest.versions);
    signals.resize(before_newest.signals);
    values_bytes = before_newest.values_bytes;
  }
  bool reaches(const Edge& edge) const {
    return edges.size() >= edge.source_edges && (final_count == kNever || final_count >= edge.source_count);
  }
};

bool before(const Publication& a, const Publication& b) {
  return a.edges != b.edges ? a.edges < b.edges : a.count < b.count;
}
bool same(const Publication& a, const Publication& b) { return a.edges == b.edges && a.count == b.count; }

class Loader {
 public:
  Loader(const TraceReader& reader, const Progress& progress)
      : reader_(reader), progress_(progress), slots_(reader.slots()) {
    struct sysinfo info {};
    if (::sysinfo(&info) == 0) memory_limit_ = uint64_t{info.totalram} * info.mem_unit;
  }
  Result<Schedule> run();

 private:
  Status read_slot(uint32_t slot);
  Status add(LoadedSlot& slot, const Edge& edge);
  Status add(LoadedSlot& slot, const Value& value);
  Status add(LoadedSlot& slot, const LeftBehind& left);
  Status charge(uint64_t bytes);
  Status redirect(std::string& path) const;
  bool is_whole_kept_read(const Value& value);
  Status check_kept() const;
  void resolve_sources();
  void leave_out_last_accesses();
  void reach_positions();
  void make_consistent();
  void cut(uint32_t slot, size_t edge, std::vector<uint32_t>& work);
  void derive_publications();
  uint32_t publication_of(const Edge& edge) const;  // its place among its source's
  void count_consumers();
  const algorithms::Entry& algorithm() const {
    return *algorithms::find_algorithm(reader_.manifest().tuning.algorithm.c_str());
  }
  void note(std::string problem);
  void find_problems();
  void find_cycles();
  Status write();
  Status write_arrays(const LoadedSlot& slot, SlotSchedule& out);

  const TraceReader& reader_;
  const Progress& progress_;
  std::vector<LoadedSlot> slots_;
  std::vector<bool> cut_;
  ScheduleFile file_;
  Schedule schedule_;
  uint64_t memory_limit_ = kNever;
  uint64_t memory_ = 0;
  std::bitset<kMaxKept> kept_used_;  // numbers that reads name
  uint64_t read_before_ = 0;  // raw bytes of the slots that are done
};

Status Loader::charge(uint64_t bytes) {
  memory_ += bytes;
  if (memory_ <= memory_limit_) return {};
  return Error{fmt::format("{}: its schedule needs more than the {} MiB of memory of this machine", reader_.directory(),
                           memory_limit_ >> 20)};
}

Status Loader::add(LoadedSlot& slot, const Edge& edge) {
  slot.edges.push_back({edge, slot.values_bytes});
  schedule_.edges++;
  return charge(sizeof(LoadedEdge) + sizeof(ScheduledEdge));
}

Status Loader::add(LoadedSlot& slot, const Value& value) {
  if (value.op == kOpEnd) {
    StreamEnd end;
    memcpy(&end, value.bytes.data(), sizeof end);
    // A crash comes by itself, and may come many counts later: quiet loops count in registers.
    bool crashed = end.state == static_cast<uint32_t>(SlotState::kCrashed);
    slot.final_count = crashed ? kNever : value.count;
    slot.crash_count = crashed ? value.count : kNever;
    slot.final_site = end.site;
    slot.final_blocked = end.state == static_cast<uint32_t>(SlotState::kBlocked);
    slot.ran_on = end.state == static_cast<uint32_t>(SlotState::kRunning);
    return {};
  }
  if (value.op == kOpThreadEnd) slot.final_count = kNever;
  if (value.op == kOpVersions) {
    slot.versions.insert(slot.versions.end(), value.bytes.begin(), value.bytes.end());
    return charge(value.bytes.size());
  }
  if (value.op == kOpSignal) {
    if (value.bytes.size() != sizeof(SignalRecord) || value.result < 1 || value.result > 64)
      return Error{fmt::format("{}: a signal at event {} is damaged", reader_.directory(), value.count)};
    slot.signals.push_back(value.count);
  }
  if (value.op == kOpKeptFile) {
    auto input = KeptInput::from(value);
    if (!input) return Error{reader_.directory() + ": " + input.error().text};
    bool known = false;  // every slot that reads it tells of it
    for (const KeptInput& other : schedule_.kept) known |= other.number == input->number;
    if (!known) schedule_.kept.push_back(std::move(*input));
  }
  if (value.op == kOpKeptRead && !is_whole_kept_read(value))
    return Error{fmt::format("{}: a read at event {} is damaged", reader_.directory(), value.count)};
  schedule_.libraries.note(value, reader_.packed());
  std::string path;
  const void* bytes_of_value = value.bytes.data();
  size_t size = value.bytes.size();
  if (value.op == kOpElfMapping && !reader_.packed().empty()) {
    path = path_in(value);
    if (Status s = redirect(path); !s) return s;
    bytes_of_value = path.c_str();
    size = path.size() + 1;
  }
  ScheduledValue out{value.count, value.op, static_cast<uint32_t>(size), value.result};
  if (Status s = file_.append(&out, sizeof out); !s) return s;
  if (Status s = file_.append(bytes_of_value, size); !s) return s;
  if (Status s = file_.pad_to(8); !s) return s;
  uint64_t bytes = file_.size() - slot.values_offset - slot.values_bytes;
  slot.values_bytes += bytes;
  schedule_.values++;
  return charge(bytes);
}

// For the thread that was left behind, its values end here; whoever has the slot after it finds others behind that.
Status Loader::add(LoadedSlot& slot, const LeftBehind& left) {
  ScheduledValue terminator{kNever, kNoMoreValues, 0, 0};
  if (Status s = file_.append(&terminator, sizeof terminator); !s) return s;
  slot.values_bytes += sizeof terminator;
  bool blocked = left.point.state == static_cast<uint32_t>(SlotState::kBlocked);
  slot.cuts.push_back({left.point.count, left.point.wait_site, blocked, slot.edges.size(), file_.size()});
  slot.final_count = kNever;  // nobody is there
  slot.final_site = 0;
  slot.final_blocked = false;
  slot.before_newest = {};
  return charge(sizeof terminator + sizeof(ForkCut));
}

bool Loader::is_whole_kept_read(const Value& value) {
  KeptRead read;
  if (value.bytes.size() < sizeof read) return false;
  memcpy(&read, value.bytes.data(), sizeof read);
  uint64_t more = value.bytes.size() - sizeof read;
  if (read.file == kNoKeptFile) return more == static_cast<uint64_t>(std::max<int64_t>(value.result, 0));
  if (read.file >= kMaxKept || more != 0) return false;
  kept_used_.set(read.file);
  return true;
}

// The host maps a library of a packed trace from there.
Status Loader::redirect(std::string& path) const {
  path = reader_.packed().find(path);
  if (path.size() < kMaxPath) return {};
  return Error{path + ": the path is too long for a replay; move the trace to a directory with a shorter one"};
}

Status Loader::read_slot(uint32_t index) {
  StreamCursor cursor = reader_.stream(index);
  slots_[index].values_offset = file_.size();
  uint64_t actions = 0;
  std::vector<LeftBehind> left = reader_.left_behind(index);
  size_t forks = 0;
  auto pass_forks = [&](uint64_t offset) {
    for (; forks < left.size() && left[forks].offset <= offset; forks++) {
      if (Status s = add(slots_[index], left[forks]); !s) return s;
    }
    return Status();
  };
  for (;;) {
    if (Status s = pass_forks(cursor.offset()); !s) return s;
    auto action = cursor.next();
    if (!action) return action.error();
    if (!*action) break;
    if (const Edge* edge = std::get_if<Edge>(&**action); edge != nullptr && edge->source >= slots_.size()) {
      slots_.resize(edge->source + 1);
    }
    LoadedSlot& slot = slots_[index];
    uint64_t count = count_of(**action);
    // A record after the end of a thread belongs to the next thread of the slot.
    slot.final_count = count;
    slot.meet(count);
    if (Status s = std::visit([&](const auto& a) { return add(slot, a); }, **action); !s) return s;
    if (progress_ && ++actions % kActionsPerProgress == 0)
      progress_(read_before_ + cursor.offset(), reader_.raw_bytes());
  }
  if (Status s = pass_forks(kNever); !s) return s;
  read_before_ += reader_.raw_bytes(index);
  // Room for the terminator, which is written when it is known where the values end.
  ScheduledValue terminator{kNever, kNoMoreValues, 0, 0};
  return file_.append(&terminator, sizeof terminator);
}

// Algorithms name the source of an edge by its count, or by its Lamport time; how many edges it had taken by then follows
// from its stream, since every event has a count of its own. Lamport time goes on by one at every count, unless the
// thread takes edges there.
void Loader::resolve_sources() {
  if (algorithm().name == algorithms::Name::ownership) return;
  bool has_times = algorithm().logs == algorithms::Logs::clocks;
  for (LoadedSlot& slot : slots_) {
    if (!has_times) break;
    auto& times = slot.times;
    times.push_back({0, 0});
    for (const LoadedEdge& loaded : slot.edges) {
      LamportJump jump{loaded.edge.count, loaded.edge.source_count + 1};
      if (times.back().count != jump.count) times.push_back(jump);
      else times.back().time = std::max(times.back().time, jump.time);
    }
  }
  for (LoadedSlot& slot : slots_) {
    for (LoadedEdge& loaded : slot.edges) {
      Edge& edge = loaded.edge;
      if (has_times) {
        const auto& times = slots_[edge.source].times;
        auto after = [](uint64_t time, const LamportJump& jump) { return time < jump.time; };
        const LamportJump& from = *std::prev(std::upper_bound(times.begin(), times.end(), edge.source_count, after));
        edge.source_count = from.count + (edge.source_count - from.time);
      }
      const auto& theirs = slots_[edge.source].edges;
      auto later = [](uint64_t count, const LoadedEdge& other) { return count < other.edge.count; };
      auto end = std::upper_bound(theirs.begin(), theirs.end(), edge.source_count, later);
      edge.source_edges = static_cast<uint64_t>(end - theirs.begin());
    }
  }
}

void Loader::cut(uint32_t index, size_t edge, std::vector<uint32_t>& work) {
  LoadedSlot& slot = slots_[index];
  if (edge >= slot.edges.size()) return;
  const LoadedEdge& at = slot.edges[edge];
  slot.final_count = at.edge.count;
  slot.final_site = at.edge.site;
  slot.final_blocked = false;
  slot.values_bytes = at.values_before;
  slot.edges.resize(edge);
  while (!slot.cuts.empty() && slot.cuts.back().edges > edge) slot.cuts.pop_back();
  cut_[index] = true;
  work.push_back(index);
}

// A slot that ran at the end has come to all that it did at smaller counts, but at its last one it may have stood before an access
// of which it did not own the line, and which would come too early for others. So it stops behind what it is known to have come
// to: its last slow check there, or an operation that ended there, if that is known of it; else what was before the count.
void Loader::leave_out_last_accesses() {
  std::vector<bool> asked(slots_.size());  // for the last count
  for (const LoadedSlot& slot : slots_)
    for (const LoadedEdge& loaded : slot.edges)
      if (loaded.edge.source_count >= slots_[loaded.edge.source].final_count) asked[loaded.edge.source] = true;
  bool owns = algorithm().name == algorithms::Name::ownership;
  for (size_t i = 0; i < slots_.size(); i++) {
    LoadedSlot& slot = slots_[i];
    if (!slot.ran_on || slot.final_count == kNever) continue;
    bool is_known = slot.final_site != 0 || asked[i] || slot.logged_at_newest();
    if (is_known && owns) slot.final_site = kBehind | (slot.final_site > kSiteOperation ? slot.final_site : 0);
    else if (!is_known && slot.final_count > 0) slot.final_count--;
  }
}

// Without an end, a slot stops where it was seen blocked or waiting, if it has logged nothing since. Else it stops
// before the newest count that is known of it, since at that one records may be missing: an access without its edge
// would come too early for others.
void Loader::reach_positions() {
  for (uint32_t i = 0; i < slots_.size(); i++) {
    LoadedSlot& slot = slots_[i];
    if (slot.final_count == kNever) continue;
    SlotPosition seen = i < reader_.positions().size() ? reader_.positions()[i] : SlotPosition{};
    bool blocked = seen.state == static_cast<uint32_t>(SlotState::kBlocked);
    bool still_there = seen.count >= slot.final_count && static_cast<uint32_t>(reader_.raw_bytes(i)) == seen.logged;
    if ((blocked || seen.wait_site != 0) && still_there) {
      slot.final_count = seen.count;
      slot.final_site = seen.wait_site;
      slot.final_blocked = blocked;
      continue;
    }
    uint64_t newest = std::max(slot.final_count, seen.count);
    if (newest == 0) continue;
    if (slot.before_newest.count == newest) slot.drop_newest();
    slot.final_count = newest - 1;
  }
}

// Each slot keeps the edges that name it as source, sorted by what they ask of it, so that a shorter slot finds those
// which now ask too much at the end: every edge is looked at a constant number of times.
void Loader::make_consistent() {
  struct Demand {
    uint64_t asked;
    uint32_t slot;
    size_t edge;
  };
  std::vector<std::vector<Demand>> counts(slots_.size()), edges(slots_.size());
  for (uint32_t i = 0; i < slots_.size(); i++) {
    for (size_t k = 0; k < slots_[i].edges.size(); k++) {
      const Edge& edge = slots_[i].edges[k].edge;
      counts[edge.source].push_back({edge.source_count, i, k});
      edges[edge.source].push_back({edge.source_edges, i, k});
    }
  }
  auto less = [](const Demand& a, const Demand& b) { return a.asked < b.asked; };
  std::vector<uint32_t> work;
  for (uint32_t i = 0; i < slots_.size(); i++) {
    std::sort(counts[i].begin(), counts[i].end(), less);
    std::sort(edges[i].begin(), edges[i].end(), less);
    work.push_back(i);
  }
  while (!work.empty()) {
    uint32_t i = work.back();
    work.pop_back();
    while (!edges[i].empty() && edges[i].back().asked > slots_[i].edges.size()) {
      Demand demand = edges[i].back();
      edges[i].pop_back();
      cut(demand.slot, demand.edge, work);
    }
    while (!counts[i].empty() && counts[i].back().asked > slots_[i].final_count) {
      Demand demand = counts[i].back();
      counts[i].pop_back();
      cut(demand.slot, demand.edge, work);
    }
  }
}

void Loader::derive_publications() {
  for (const LoadedSlot& slot : slots_) {
    for (const LoadedEdge& loaded : slot.edges) {
      slots_[loaded.edge.source].publications.push_back({loaded.edge.source_count, loaded.edge.source_edges});
    }
  }
  for (LoadedSlot& slot : slots_) {
    auto& list = slot.publications;
    std::sort(list.begin(), list.end(), before);
    list.erase(std::unique(list.begin(), list.end(), same), list.end());
    list.shrink_to_fit();
    schedule_.publications += list.size();
  }
}

void Loader::note(std::string problem) {
  if (schedule_.problems.size() < kMaxProblems) schedule_.problems.push_back(std::move(problem));
}

void Loader::find_problems() {
  for (uint32_t i = 0; i < slots_.size(); i++) {
    for (const LoadedEdge& loaded : slots_[i].edges) {
      const Edge& e = loaded.edge;
      if (slots_[e.source].reaches(e)) continue;
      note(fmt::format("slot {} waits at event {} for slot {} to pass event {} after {} edges, which it never does", i,
                       e.count, e.source, e.source_count, e.source_edges));
    }
    const auto& list = slots_[i].publications;
    for (size_t k = 1; k < list.size(); k++) {
      if (list[k].count >= list[k - 1].count) continue;
      note(fmt::format("slot {} published at event {} after {} edges, but at event {} after {}", i, list[k - 1].count,
                       list[k - 1].edges, list[k].count, list[k].edges));
    }
  }
}

uint32_t Loader::publication_of(const Edge& edge) const {
  const auto& list = slots_[edge.source].publications;
  auto at = std::lower_bound(list.begin(), list.end(), Publication{edge.source_count, edge.source_edges}, before);
  return static_cast<uint32_t>(at - list.begin());
}

void Loader::count_consumers() {
  if (algorithm().logs != algorithms::Logs::raw_waw) return;
  for (LoadedSlot& slot : slots_) slot.consumers.resize(slot.publications.size());
  for (const LoadedSlot& slot : slots_) {
    for (const LoadedEdge& loaded : slot.edges) slots_[loaded.edge.source].consumers[publication_of(loaded.edge)]++;
  }
}

// Goes through all edges as replay does: a slot takes its next one when the source has taken as many as the edge asks
// for. A slot that cannot go on waits for another, which looks at it again when it has moved.
void Loader::find_cycles() {
  std::vector<size_t> taken(slots_.size());
  std::vector<std::vector<uint32_t>> waiters(slots_.size());
  std::vector<uint32_t> work;
  for (uint32_t i = 0; i < slots_.size(); i++) work.push_back(i);
  while (!work.empty()) {
    uint32_t i = work.back();
    work.pop_back();
    const auto& edges = slots_[i].edges;
    size_t before = taken[i];
    auto can_take = [&](const Edge& edge) { return taken[edge.source] >= edge.source_edges; };
    while (taken[i] < edges.size() && can_take(edges[taken[i]].edge)) taken[i]++;
    if (taken[i] < edges.size()) waiters[edges[taken[i]].edge.source].push_back(i);
    if (taken[i] == before) continue;
    work.insert(work.end(), waiters[i].begin(), waiters[i].end());
    waiters[i].clear();
  }
  for (uint32_t i = 0; i < slots_.size(); i++) {
    if (taken[i] == slots_[i].edges.size()) continue;
    const Edge& e = slots_[i].edges[taken[i]].edge;
    note(fmt::format("slot {} waits at event {} for slot {} to pass event {} after {} edges, which comes after that very "
                     "event",
                     i, e.count, e.source, e.source_count, e.source_edges));
  }
}

Status Loader::write_arrays(const LoadedSlot& slot, SlotSchedule& out) {
  out.final_count = slot.final_count;
  out.final_site = slot.final_count == kNever ? 0 : slot.final_site;
  out.final_blocked = slot.final_count != kNever && slot.final_blocked;
  out.crash_count = slot.crash_count;
  out.edges_offset = file_.size();
  out.edges = slot.edges.size();
  for (const LoadedEdge& loaded : slot.edges) {
    const Edge& e = loaded.edge;
    ScheduledEdge edge{e.count, e.site, e.source, publication_of(e) + 1};
    if (Status s = file_.append(&edge, sizeof edge); !s) return s;
  }
  out.cuts_offset = file_.size();
  out.cuts = slot.cuts.size();
  if (Status s = file_.append(slot.cuts.data(), slot.cuts.size() * sizeof(ForkCut)); !s) return s;
  out.publications_offset = file_.size();
  out.publications = slot.publications.size();
  if (Status s = file_.append(slot.publications.data(), slot.publications.size() * sizeof(Publication)); !s) return s;
  out.times_offset = file_.size();
  out.times = slot.times.size();
  if (Status s = file_.append(slot.times.data(), slot.times.size() * sizeof(LamportJump)); !s) return s;
  out.consumers_offset = file_.size();
  if (Status s = file_.append(slot.consumers.data(), slot.consumers.size() * sizeof(uint32_t)); !s) return s;
  out.versions_offset = file_.size();
  out.versions_bytes = slot.versions.size();
  if (Status s = file_.append(slot.versions.data(), slot.versions.size()); !s) return s;
  if (Status s = file_.pad_to(8); !s) return s;
  out.signals_offset = file_.size();
  out.signals = slot.signals.size();
  return file_.append(slot.signals.data(), slot.signals.size() * sizeof(uint64_t));
}

Status Loader::write() {
  std::vector<SlotSchedule> table(slots_.size());
  for (size_t i = 0; i < slots_.size(); i++) {
    LoadedSlot& slot = slots_[i];
    if (slot.values_offset == 0) {  // named as a source, but without a stream of its own
      slot.values_offset = file_.size();
      ScheduledValue none{};
      if (Status s = file_.append(&none, sizeof none); !s) return s;
    }
    if (Status s = write_arrays(slot, table[i]); !s) return s;
    table[i].values_offset = slot.values_offset;
    table[i].values_bytes = slot.values_bytes + sizeof(ScheduledValue);
  }
  if (Status s = file_.flush(); !s) return s;
  for (const LoadedSlot& slot : slots_) {
    ScheduledValue terminator{kNever, kNoMoreValues, 0, 0};
    if (Status s = file_.write_at(slot.values_offset + slot.values_bytes, &terminator, sizeof terminator); !s) return s;
  }
  ScheduleHeader header{kScheduleMagic, kStreamVersion, static_cast<uint32_t>(slots_.size()), file_.size(), 0, 0};
  if (Status s = file_.write_at(0, &header, sizeof header); !s) return s;
  return file_.write_at(sizeof header, table.data(), table.size() * sizeof(SlotSchedule));
}

// No read names a file that no stream has told of. A recorder that was killed may have lost what another thread told.
Status Loader::check_kept() const {
  std::bitset<kMaxKept> known;
  for (const KeptInput& input : schedule_.kept) known.set(input.number);
  if ((kept_used_ & ~known).none()) return {};
  return Error{reader_.directory() + ": it refers to a file that it does not name"};
}

Result<Schedule> Loader::run() {
  if (Status s = file_.create(); !s) return s.error();
  // Edges may name slots that have no stream, so the table gets room for all there can be.
  std::vector<uint8_t> room(sizeof(ScheduleHeader) + kMaxSlots * sizeof(SlotSchedule));
  if (Status s = file_.append(room.data(), room.size()); !s) return s.error();
  for (uint32_t i = 0; i < reader_.slots(); i++) {
    if (Status s = read_slot(i); !s) return s.error();
  }
  if (Status s = check_kept(); !s) return s.error();
  resolve_sources();
  cut_.resize(slots_.size());
  leave_out_last_accesses();
  if (!reader_.has_end()) {
    reach_positions();
    make_consistent();
  }
  derive_publications();
  count_consumers();
  find_problems();
  if (schedule_.problems.empty()) find_cycles();
  if (Status s = write(); !s) return s.error();
  schedule_.bytes = file_.size();
  schedule_.slots = static_cast<uint32_t>(slots_.size());
  schedule_.cut_slots = static_cast<uint32_t>(std::count(cut_.begin(), cut_.end(), true));
  schedule_.file = file_.take();
  return std::move(schedule_);
}

}  // namespace

Result<Schedule> load_schedule(const TraceReader& reader, const Progress& progress) {
  return Loader(reader, progress).run();
}

namespace {

// More behind what the schedule has; `where` says in its header at which offset.
Status append(Schedule& schedule, const std::vector<uint8_t>& bytes, uint64_t ScheduleHeader::* where) {
  ScheduleHeader header;
  uint64_t at = (schedule.bytes + 7) / 8 * 8;
  auto fits = [](ssize_t done, size_t wanted) { return done == static_cast<ssize_t>(wanted); };
  bool written = fits(::pread(schedule.file.get(), &header, sizeof header, 0), sizeof header) &&
                 fits(::pwrite(schedule.file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at)), bytes.size());
  header.steps = header.translation = 0;
  header.*where = at;
  header.bytes = schedule.bytes = at + bytes.size();
  if (!written || !fits(::pwrite(schedule.file.get(), &header, sizeof header, 0), sizeof header))
    return system_error("cannot write the schedule", errno);
  return {};
}

}  // namespace

Status add_steps(Schedule& schedule, const std::vector<uint8_t>& table) {
  return append(schedule, table, &ScheduleHeader::steps);
}

Status add_translation(Schedule& schedule, const std::vector<uint8_t>& translation, std::vector<KnownOperand> operands) {
  schedule.operands = std::move(operands);
  return append(schedule, translation, &ScheduleHeader::translation);
}

}  // namespace ana
