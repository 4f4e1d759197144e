#include "sim/run.h"

#include <cstring>

#include "algorithms/instant_replay.h"
#include "algorithms/lock_order.h"
#include "algorithms/ownership_model.h"
#include "algorithms/rwtrace.h"
#include "algorithms/tracer.h"
#include "sim/arena_host.h"
#include "sim/critical_path.h"
#include "sim/exact_others.h"
#include "sim/octet_arena.h"
#include "sim/walk.h"

namespace ana::sim {

namespace {

using namespace algorithms;

static_assert(static_cast<int>(ReferenceKind::read) == static_cast<int>(AccessKind::read) &&
              static_cast<int>(ReferenceKind::write) == static_cast<int>(AccessKind::write) &&
              static_cast<int>(ReferenceKind::update) == static_cast<int>(AccessKind::update));
AccessKind kind_of(const ReferenceRow& row) { return static_cast<AccessKind>(row.kind); }

template <class Granule>
uint64_t count_used(const GranuleTable<Granule>& table) {
  uint64_t used = 0;
  static const Granule none{};
  table.each([&](const Granule& granule, unsigned) { used += std::memcmp(&granule, &none, sizeof none) != 0; });
  return used;
}

// Counts edges, and tells who watches.
struct CountingSink {
  RunResult& result;
  CriticalPath* path;
  const Watch& watch;
  const ReferenceRow& row;
  uint64_t number, serial;

  void edge(Edge e) {
    ++result.traced;
    ++result.kinds[static_cast<size_t>(e.kind)];
    if (path) path->edge(row.thread, serial, e.thread, e.serial);
    if (watch) watch({row, number, serial, &e});
  }
};

// The part that is the same for all. `Self` has tracer_, threads_, and event(row, sink, each).
template <class Granule>
class TableRun : public Run {
 public:
  explicit TableRun(const RunOptions& options) : options_(options), table_(options.shift) {}

 protected:
  void watch_reference(const ReferenceRow& row, uint64_t number, uint64_t serial) {
    if (options_.on_reference) options_.on_reference({row, number, serial, nullptr});
  }
  void start_block(const ReferenceBlock& block) {
    serials_ = options_.serials ? block.serials.data() : nullptr;
    first_ = block.first;
  }
  // Before begin().
  template <class Tracer, class Thread>
  void number_event(Tracer& tracer, Thread& thread, uint64_t number) {
    if constexpr (requires { tracer.skip_to(thread, number); }) {
      if (serials_) [[unlikely]]
        tracer.skip_to(thread, serials_[number - first_]);
    }
  }
  template <class Thread>
  static std::vector<uint64_t> serials(const std::vector<Thread>& threads) {
    std::vector<uint64_t> out;
    for (const Thread& t : threads) out.push_back(t.serial);
    return out;
  }
  RunResult finished(const ArenaHost& host, size_t at_start) const {
    RunResult out = result_;
    out.histories = count_used(table_);
    out.history_bytes = out.histories * sizeof(Granule) + (host.peak() - at_start);
    return out;
  }

  RunOptions options_;
  ArenaHost host_;
  GranuleTable<Granule> table_;
  RunResult result_;

 private:
  const uint64_t* serials_ = nullptr;  // of the block's references, if they are wanted
  uint64_t first_ = 0;
};

// The adaptive algorithms, mutex-lock and ownership.
template <class Tracer, bool kLamport, class... Rest>
class TracerRun final : public TableRun<typename Tracer::Granule> {
  using Granule = typename Tracer::Granule;

 public:
  explicit TracerRun(const RunOptions& options)
      : TableRun<Granule>(options),
        tracer_(this->host_, options.threads, std::get<Rest>(rest_)...),
        threads_(options.threads),
        path_(options.threads) {
    for (unsigned i = 0; i < options.threads; ++i) {
      tracer_.start(threads_[i], i);
      if constexpr (sizeof...(Rest) > 0) std::get<0>(rest_).know(threads_[i].state.clock);
    }
    at_start_ = this->host_.used();
  }
  ~TracerRun() override {
    for (auto& thread : threads_) tracer_.stop(thread);
  }

  void process(const ReferenceBlock& block) override {
    this->start_block(block);
    walk(
        this->table_, block, [&](Granule& to, const Granule& from, uint64_t, uint64_t) { tracer_.copy(to, from); },
        [&](const ReferenceRow& row, Granule& granule, uint64_t, size_t i) {
          event(row, block.first + i, [&](auto use) { use(granule, 0); });
        },
        [&](const ReferenceRow& row, size_t i, auto each) { event(row, block.first + i, each); });
    this->result_.references += block.rows.size();
  }

  RunResult result() const override {
    RunResult out = this->finished(this->host_, at_start_);
    if constexpr (kLamport) {
      for (const auto& t : threads_) out.critical_path = std::max(out.critical_path, tracer_.time(t));
    } else {
      out.critical_path = path_.length(this->serials(threads_));
    }
    return out;
  }

 private:
  template <class Each>
  [[gnu::always_inline]] void event(const ReferenceRow& row, uint64_t number, Each each) {
    auto& thread = threads_[row.thread];
    AccessKind kind = kind_of(row);
    RunResult& result = this->result_;
    uint64_t traced = result.traced;
    this->number_event(tracer_, thread, number);
    [[maybe_unused]] uint64_t time = kLamport ? tracer_.time(thread) : 0;
    CountingSink sink{result, kLamport ? nullptr : &path_, this->options_.on_edge, row, number, thread.serial + 1};
    tracer_.begin(thread);
    each([&](Granule& granule, uint64_t) { tracer_.check(thread, granule, kind); });
    tracer_.settle(thread, sink);
    each([&](Granule& granule, uint64_t) { tracer_.update(thread, granule, kind); });
    if (traced != result.traced) [[unlikely]] {
      ++result.traced_references;
      if constexpr (kLamport) {
        uint64_t skip = tracer_.time(thread) - time - 1;
        ++result.skips[std::min<size_t>(static_cast<size_t>(std::bit_width(skip)) - 1, kSkipBuckets - 1)];
      }
    }
    this->watch_reference(row, number, thread.serial);
  }

  std::tuple<Rest...> rest_;
  Tracer tracer_;
  std::vector<typename Tracer::Thread> threads_;
  CriticalPath path_;
  size_t at_start_;
};

// rwtrace-1, rwtrace-2, and crew-lock, which never tries to read without the lock.
template <bool kTracesReads, bool kOptimistic>
class RwTraceRun final : public TableRun<RwGranule<kTracesReads>> {
  using Granule = RwGranule<kTracesReads>;
  using Tracer = RwTrace<ArenaHost, kTracesReads>;

 public:
  explicit RwTraceRun(const RunOptions& options)
      : TableRun<Granule>(options),
        tracer_(this->host_, options.threads),
        threads_(options.threads),
        path_(options.threads),
        times_(options.threads),
        time_table_(options.shift) {
    for (unsigned i = 0; i < options.threads; ++i) tracer_.start(threads_[i], i);
    at_start_ = this->host_.used();
  }
  ~RwTraceRun() override {
    for (auto& thread : threads_) tracer_.stop(thread);
  }

  void process(const ReferenceBlock& block) override {
    this->start_block(block);
    auto copy = [&](Granule& to, const Granule& from, uint64_t key, uint64_t from_key) {
      tracer_.copy(to, from);
      if (key == from_key) return;
      for (auto& thread : threads_) thread.cache.copy(key, from_key);
    };
    walk(
        this->table_, block, copy,
        [&](const ReferenceRow& row, Granule& granule, uint64_t key, size_t i) {
          event(row, block.first + i, [&](auto use) { use(granule, key); });
        },
        [&](const ReferenceRow& row, size_t i, auto each) { event(row, block.first + i, each); });
    if constexpr (!kTracesReads) walk_times(block);
    this->result_.references += block.rows.size();
  }

  RunResult result() const override {
    RunResult out = this->finished(this->host_, at_start_);
    out.critical_path = kTracesReads ? path_.length(this->serials(threads_)) : times_.length();
    for (const auto& thread : threads_) out.local_reads += thread.local_reads;
    return out;
  }

 private:
  template <class Each>
  void event(const ReferenceRow& row, uint64_t number, Each each) {
    auto& thread = threads_[row.thread];
    RunResult& result = this->result_;
    uint64_t traced = result.traced;
    this->number_event(tracer_, thread, number);
    tracer_.begin(thread);
    CountingSink sink{result, kTracesReads ? &path_ : nullptr, this->options_.on_edge, row, number, thread.serial};
    if (writes(kind_of(row))) {
      each([&](Granule& granule, uint64_t key) { tracer_.write_before(thread, granule, key); });
      each([&](Granule& granule, uint64_t) { tracer_.write_after(thread, granule); });
      tracer_.settle(thread, sink);
    } else if (++result.reads; !(kOptimistic && read_is_local(thread, each))) {
      each([&](Granule& granule, uint64_t key) { tracer_.read_locked(thread, granule, key); });
      tracer_.settle(thread, sink);
    }
    result.traced_references += traced != result.traced;
    this->watch_reference(row, number, thread.serial);
  }

  template <class Each>
  bool read_is_local(typename Tracer::Thread& thread, Each each) {
    bool local = true;
    attempts_.clear();
    each([&](Granule& granule, uint64_t) { attempts_.push_back(tracer_.read_before(thread, granule)); });
    each([&](Granule& granule, uint64_t key) { local &= tracer_.read_local(thread, granule, key); });
    for (size_t i = 1; i < attempts_.size(); ++i) thread.local_reads -= local;  // counted once a reference
    for (auto& attempt : attempts_) tracer_.read_done(thread, attempt, local);
    return local;
  }

  void walk_times(const ReferenceBlock& block) {
    using Time = DependencePath::Granule;
    auto event = [&](const ReferenceRow& row, auto each) {
      bool w = writes(kind_of(row));
      times_.begin(row.thread);
      each([&](Time& granule, uint64_t) { times_.check(granule, w); });
      times_.finish(row.thread);
      each([&](Time& granule, uint64_t) { times_.update(row.thread, granule, w); });
    };
    walk(
        time_table_, block, [](Time& to, const Time& from, uint64_t, uint64_t) { to = from; },
        [&](const ReferenceRow& row, Time& granule, uint64_t, size_t) {
          event(row, [&](auto use) { use(granule, 0); });
        },
        [&](const ReferenceRow& row, size_t, auto each) { event(row, each); });
  }

  Tracer tracer_;
  std::vector<typename Tracer::Thread> threads_;
  std::vector<typename Tracer::Attempt> attempts_;
  CriticalPath path_;
  DependencePath times_;
  GranuleTable<DependencePath::Granule> time_table_;
  size_t at_start_;
};

// Every reference is traced with the version of each granule, and no edge is.
class TraceAllRun final : public TableRun<InstantReplay::Granule> {
  using Granule = InstantReplay::Granule;
  struct Both {
    Granule versions;
    DependencePath::Granule times;
  };

 public:
  explicit TraceAllRun(const RunOptions& options)
      : TableRun(options), threads_(options.threads), times_(options.threads), both_(options.shift) {
    for (unsigned i = 0; i < options.threads; ++i) tracer_.start(threads_[i], i);
  }

  void process(const ReferenceBlock& block) override {
    walk(
        both_, block, [](Both& to, const Both& from, uint64_t, uint64_t) { to = from; },
        [&](const ReferenceRow& row, Both& granule, uint64_t, size_t i) {
          event(row, block.first + i, [&](auto use) { use(granule, 0); });
        },
        [&](const ReferenceRow& row, size_t i, auto each) { event(row, block.first + i, each); });
    result_.references += block.rows.size();
  }

  RunResult result() const override {
    RunResult out = result_;
    out.histories = count_used(both_);
    out.history_bytes = out.histories * sizeof(Granule);
    out.critical_path = times_.length();
    return out;
  }

 private:
  template <class Each>
  void event(const ReferenceRow& row, uint64_t number, Each each) {
    auto& thread = threads_[row.thread];
    AccessKind kind = kind_of(row);
    tracer_.begin(thread);
    times_.begin(row.thread);
    each([&](Both& granule, uint64_t) {
      tracer_.access(thread, granule.versions, kind);
      times_.check(granule.times, writes(kind));
    });
    times_.finish(row.thread);
    each([&](Both& granule, uint64_t) { times_.update(row.thread, granule.times, writes(kind)); });
    ++result_.traced;
    ++result_.traced_references;
    watch_reference(row, number, thread.serial);
  }

  InstantReplay tracer_;
  std::vector<InstantReplay::Thread> threads_;
  DependencePath times_;
  GranuleTable<Both> both_;
};

// The costliest transition of a reference's granules counts.
class OctetRun final : public TableRun<Octet<OctetArena>::Granule> {
  using Tracer = Octet<OctetArena>;

 public:
  explicit OctetRun(const RunOptions& options)
      : TableRun(options), tracer_(arena_, options.threads), threads_(options.threads), path_(options.threads) {
    for (unsigned i = 0; i < options.threads; ++i) {
      tracer_.start(threads_[i], i);
      arena_.know(threads_[i].serial);
    }
  }
  ~OctetRun() override {
    for (auto& thread : threads_) tracer_.stop(thread);
  }

  void process(const ReferenceBlock& block) override {
    start_block(block);
    walk(
        table_, block,
        [&](Tracer::Granule& to, const Tracer::Granule& from, uint64_t, uint64_t) { tracer_.copy(to, from); },
        [&](const ReferenceRow& row, Tracer::Granule& granule, uint64_t, size_t i) {
          event(row, block.first + i, [&](auto use) { use(granule, 0); });
        },
        [&](const ReferenceRow& row, size_t i, auto each) { event(row, block.first + i, each); });
    result_.references += block.rows.size();
  }
  RunResult result() const override {
    RunResult out = finished(host_, 0);
    out.critical_path = path_.length(serials(threads_));
    return out;
  }

 private:
  template <class Each>
  void event(const ReferenceRow& row, uint64_t number, Each each) {
    auto& thread = threads_[row.thread];
    uint64_t traced = result_.traced;
    number_event(tracer_, thread, number);
    CountingSink sink{result_, &path_, options_.on_edge, row, number, thread.serial + 1};
    tracer_.begin(thread);
    each([&](Tracer::Granule& granule, uint64_t) { tracer_.check(thread, granule, kind_of(row)); });
    tracer_.settle(thread, sink);
    each([&](Tracer::Granule& granule, uint64_t) { tracer_.update(thread, granule, kind_of(row)); });
    ++result_.transitions[static_cast<size_t>(tracer_.transition(thread))];
    result_.traced_references += traced != result_.traced;
    watch_reference(row, number, thread.serial);
  }

  OctetArena arena_;
  Tracer tracer_;
  std::vector<Tracer::Thread> threads_;
  CriticalPath path_;
};

}  // namespace

std::unique_ptr<Run> make_run(Name name, const RunOptions& options) {
  using H = ArenaHost;
  using O = ExactOthers;
  switch (name) {
    case Name::trace_all: return std::make_unique<TraceAllRun>(options);
    case Name::optimal_vector: return std::make_unique<TracerRun<OptimalVector<H>, false>>(options);
    case Name::optimal_non_critical: return std::make_unique<TracerRun<OptimalNonCritical<H, O>, false, O>>(options);
    case Name::optimal_lamport: return std::make_unique<TracerRun<OptimalLamport<H>, true>>(options);
    case Name::compressed_vector: return std::make_unique<TracerRun<CompressedVector<H>, false>>(options);
    case Name::compressed_non_critical:
      return std::make_unique<TracerRun<CompressedNonCritical<H, O>, false, O>>(options);
    case Name::compressed_lamport: return std::make_unique<TracerRun<CompressedLamport<H>, true>>(options);
    case Name::rwtrace_1: return std::make_unique<RwTraceRun<false, true>>(options);
    case Name::rwtrace_2: return std::make_unique<RwTraceRun<true, true>>(options);
    case Name::mutex_lock: return std::make_unique<TracerRun<MutexLock<H>, false>>(options);
    case Name::crew_lock: return std::make_unique<RwTraceRun<false, false>>(options);
    case Name::octet: return std::make_unique<OctetRun>(options);
    case Name::ownership: return std::make_unique<TracerRun<OwnershipModel<H>, false>>(options);
  }
  return nullptr;
}

struct AccessTypesRun::State {
  struct Granule {
    uint16_t last;   // thread, plus 1
    uint16_t first;  // thread, plus 1
    bool last_wrote, written, shared;
  };
  static_assert(sizeof(Granule) == 8);

  explicit State(unsigned threads, unsigned shift) : table(shift) { types.by_thread.resize(threads); }

  template <class Each>
  void event(const ReferenceRow& row, Each each) {
    auto self = static_cast<uint16_t>(row.thread + 1);
    bool write = row.kind != ReferenceKind::read, check = false, read_read = false;
    each([&](Granule& granule, uint64_t) {
      bool other = granule.last && granule.last != self;
      check |= other;
      read_read |= other && !write && !granule.last_wrote;
      if (!granule.first) granule.first = self;
      granule = {self, granule.first, write, granule.written || write, granule.shared || granule.first != self};
    });
    types.checks += check;
    types.after_read_by_other += read_read;
    ++types.references;
    ++types.kinds[static_cast<size_t>(row.kind)];
    ++types.by_thread[row.thread];
    ++types.by_size[static_cast<size_t>(std::bit_width(row.size)) - 1];
  }

  GranuleTable<Granule> table;
  AccessTypes types;
};

AccessTypesRun::AccessTypesRun(unsigned threads, unsigned shift) : state_(std::make_unique<State>(threads, shift)) {}
AccessTypesRun::~AccessTypesRun() = default;

void AccessTypesRun::process(const ReferenceBlock& block) {
  using Granule = State::Granule;
  walk(
      state_->table, block, [](Granule& to, const Granule& from, uint64_t, uint64_t) { to = from; },
      [&](const ReferenceRow& row, Granule& granule, uint64_t, size_t) {
        state_->event(row, [&](auto use) { use(granule, 0); });
      },
      [&](const ReferenceRow& row, size_t, auto each) { state_->event(row, each); });
}

AccessTypes AccessTypesRun::result() const {
  AccessTypes out = state_->types;
  state_->table.each([&](const State::Granule& granule, unsigned) {
    if (!granule.first) return;
    ++(!granule.shared ? out.private_granules : granule.written ? out.shared_granules : out.read_only_granules);
  });
  return out;
}

}  // namespace ana::sim
