#include "sim/simulation.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace ana::sim {

namespace {

// Blocks that have been read and that somebody still needs.
constexpr size_t kWindow = 8;

class Simulation {
 public:
  Simulation(ReferenceReader& reader, const SimulationOptions& options) : reader_(reader), options_(options) {
    for (algorithms::Name name : options.algorithms) {
      RunOptions run{reader.threads(), options.shift, options.serials, {}, {}};
      if (options.on_edge) run.on_edge = [&options, name](const Traced& t) { options.on_edge(name, t); };
      if (options.on_reference) run.on_reference = [&options, name](const Traced& t) { options.on_reference(name, t); };
      runs_.push_back(make_run(name, run));
      tasks_.push_back({[run = runs_.back().get()](const ReferenceBlock& block) { run->process(block); }, 0, false});
    }
    if (options.access_types) {
      types_.emplace(reader.threads(), options.shift);
      tasks_.push_back({[this](const ReferenceBlock& block) { types_->process(block); }, 0, false});
    }
  }

  Status run() {
    unsigned workers = options_.workers ? options_.workers : std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> others;
    for (unsigned i = 1; i < workers && i <= tasks_.size(); i++) others.emplace_back([this] { work(false); });
    work(true);
    for (std::thread& t : others) t.join();
    if (thrown_) std::rethrow_exception(thrown_);
    return status_;
  }

  SimulationResult result() const {
    SimulationResult out;
    out.threads = reader_.threads();
    out.references = references_;
    for (const auto& run : runs_) out.results.push_back(run->result());
    if (types_) out.types = types_->result();
    return out;
  }

 private:
  struct Task {
    std::function<void(const ReferenceBlock&)> process;
    uint64_t next;  // block
    bool busy;
  };

  void work(bool tells_progress) {
    std::unique_lock lock(mutex_);
    while (!done()) {
      Task* task = pick();
      if (task) {
        std::shared_ptr<ReferenceBlock> block = window_[task->next - first_];
        task->busy = true;
        lock.unlock();
        guarded([&] { task->process(*block); });
        lock.lock();
        task->busy = false;
        task->next++;
        drop_finished();
        changed_.notify_all();
      } else if (!reading_ && !ended_ && window_.size() < kWindow) {
        read(lock);
      } else {
        changed_.wait(lock);
      }
      if (tells_progress && options_.progress) options_.progress(position_, reader_.file_bytes());
    }
    changed_.notify_all();
  }

  template <class Do>
  void guarded(Do something) {
    try {
      something();
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
    }
  }

  bool done() const {
    if (thrown_) return true;
    if (!ended_) return false;
    for (const Task& t : tasks_) {
      if (t.next < first_ + window_.size()) return false;
    }
    return true;
  }

  // The task that is furthest behind, if there is a block for it.
  Task* pick() {
    Task* behind = nullptr;
    for (Task& t : tasks_) {
      if (!t.busy && t.next < first_ + window_.size() && (!behind || t.next < behind->next)) behind = &t;
    }
    return behind;
  }

  void read(std::unique_lock<std::mutex>& lock) {
    reading_ = true;
    std::shared_ptr<ReferenceBlock> block;
    if (!spare_.empty()) {
      block = std::move(spare_.back());
      spare_.pop_back();
    } else {
      block = std::make_shared<ReferenceBlock>();
    }
    lock.unlock();
    bool more = false;
    Status status;
    guarded([&] {
      auto got = reader_.next(*block);
      if (got) {
        more = *got;
        if (more && options_.serials && block->serials.empty()) status = Error{"the references have no serials"};
      } else {
        status = got.error();
      }
    });
    lock.lock();
    reading_ = false;
    position_ = reader_.position();
    if (more && status) {
      references_ += block->rows.size();
      window_.push_back(std::move(block));
      drop_finished();
    } else {
      ended_ = true;
      status_ = status;
    }
    changed_.notify_all();
  }

  void drop_finished() {
    uint64_t needed = first_ + window_.size();
    for (const Task& t : tasks_) needed = std::min(needed, t.next);
    for (; first_ < needed; first_++) {
      spare_.push_back(std::move(window_.front()));
      window_.pop_front();
    }
  }

  ReferenceReader& reader_;
  const SimulationOptions& options_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::optional<AccessTypesRun> types_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // All under the mutex.
  std::vector<Task> tasks_;
  std::deque<std::shared_ptr<ReferenceBlock>> window_;
  std::vector<std::shared_ptr<ReferenceBlock>> spare_;
  uint64_t first_ = 0, references_ = 0, position_ = 0;  // number of window_'s first block
  bool reading_ = false, ended_ = false;
  Status status_;
  std::exception_ptr thrown_;
};

}  // namespace

Result<SimulationResult> simulate(const std::string& path, const SimulationOptions& options) {
  auto reader = ReferenceReader::open(path, options.serials);
  if (!reader) return reader.error();
  Simulation simulation(*reader, options);
  if (Status s = simulation.run(); !s) return s.error();
  return simulation.result();
}

}  // namespace ana::sim
