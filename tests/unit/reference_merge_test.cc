// References that come through the rings of several threads, in the order of their stamps.
#include "trace/reference_merge.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <functional>
#include <thread>

#include "anaphora/runtime_abi.h"
#include "trace/reference_format.h"
#include "trace_builder.h"

namespace ana {
namespace {

// What the host does in replay (runtime/host/stream.cc).
void put(SharedSession& session, uint32_t slot, const LiveReference& reference) {
  SlotShared& shared = session.slot(slot);
  auto* ring = const_cast<uint8_t*>(session.ring(slot));
  while (shared.head + sizeof reference - __atomic_load_n(&shared.tail, __ATOMIC_ACQUIRE) > kRingBytes) {
    __atomic_add_fetch(&session.header().doorbell, 1, __ATOMIC_SEQ_CST);
    std::this_thread::yield();
  }
  memcpy(ring + shared.head % kRingBytes, &reference, sizeof reference);
  __atomic_store_n(&shared.head, shared.head + sizeof reference, __ATOMIC_RELEASE);
}

LiveReference reference_of(uint64_t stamp, uint32_t slot) {
  return {stamp, LiveReference::pack(0x1000 + 8 * stamp, 1 + stamp % kMaxLiveBytes, stamp % 3 == 0), 0x40 * slot, stamp + 7};
}

class ReferenceMergeTest : public testing::Test {
 protected:
  ReferenceMergeTest() : session_(std::move(*SharedSession::create(Mode::kReplay))) {
    session_.header().slots_used = kSlots;
  }
  static constexpr uint32_t kSlots = 5;
  ScratchDirectory scratch_;
  std::string path_ = scratch_ / "refs";
  SharedSession session_;
  std::vector<KnownOperand> operands_;
};

// Threads are ahead of each other by more than a ring holds, so some have to wait for the tool, and it for others.
TEST_F(ReferenceMergeTest, OrdersByStampsWhileThreadsRun) {
  constexpr uint64_t kEach = 60000;
  auto writer = ReferenceWriter::create(path_);
  ASSERT_TRUE(writer.ok());
  ReferenceFileSink sink(*writer);
  ReferenceMerge merge(session_, sink, operands_);
  std::vector<uint32_t> owners(kSlots * kEach);
  std::atomic<uint64_t> stamps = 0;
  std::vector<std::thread> threads;
  for (uint32_t slot = 0; slot < kSlots; slot++) {
    threads.emplace_back([&, slot] {
      for (uint64_t i = 0; i < kEach; i++) {
        uint64_t stamp = stamps.fetch_add(1);
        owners[stamp] = slot;
        put(session_, slot, reference_of(stamp, slot));
      }
    });
  }
  uint64_t taken = 0;
  while (taken < kSlots * kEach) {
    auto now = merge.pass();
    ASSERT_TRUE(now.ok()) << now.error().text;
    taken += *now;
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(merge.check_complete());
  ASSERT_TRUE(writer->finish());
  auto reader = ReferenceReader::open(path_);
  ASSERT_TRUE(reader.ok()) << reader.error().text;
  ReferenceBlock block;
  uint64_t stamp = 0;
  while (*reader->next(block)) {
    ASSERT_EQ(block.serials.size(), block.rows.size());
    for (size_t i = 0; i < block.rows.size(); i++, stamp++) {
      LiveReference expected = reference_of(stamp, owners[stamp]);
      ASSERT_EQ(block.rows[i].thread, owners[stamp]) << stamp;
      ASSERT_EQ(block.rows[i].address, expected.address()) << stamp;
      ASSERT_EQ(block.rows[i].size, expected.bytes()) << stamp;
      ASSERT_EQ(block.rows[i].kind == ReferenceKind::write, expected.write()) << stamp;
      ASSERT_EQ(block.serials[i], stamp + 7);
    }
  }
  EXPECT_EQ(stamp, kSlots * kEach);
}

TEST_F(ReferenceMergeTest, NoticesWhatIsMissing) {
  auto writer = ReferenceWriter::create(path_);
  ReferenceFileSink sink(*writer);
  ReferenceMerge merge(session_, sink, operands_);
  put(session_, 1, reference_of(0, 1));
  put(session_, 2, reference_of(2, 2));
  EXPECT_EQ(*merge.pass(), 1u);
  EXPECT_EQ(*merge.pass(), 0u);
  Status complete = merge.check_complete();
  ASSERT_FALSE(complete);
  EXPECT_NE(complete.error().text.find("reference 2"), std::string::npos) << complete.error().text;
  put(session_, 0, reference_of(1, 0));
  EXPECT_EQ(*merge.pass(), 2u);
  EXPECT_TRUE(merge.check_complete());
  EXPECT_TRUE(writer->finish());
}

TEST_F(ReferenceMergeTest, DoesNotTrustTheProgram) {
  std::function<void()> damages[] = {
      [&] { put(session_, 3, reference_of(0, 3)); },  // a stamp for the second time
      [&] { session_.slot(4).head = 16; },            // half a reference
      [&] { session_.slot(4).head = ~uint64_t{31}; },
  };
  for (auto& damage : damages) {
    auto writer = ReferenceWriter::create(path_);
    ReferenceFileSink sink(*writer);
  ReferenceMerge merge(session_, sink, operands_);
    for (uint32_t i = 0; i < kSlots; i++) session_.slot(i).head = session_.slot(i).tail = 0;
    put(session_, 0, reference_of(0, 0));
    ASSERT_EQ(*merge.pass(), 1u);
    damage();
    auto taken = merge.pass();
    ASSERT_FALSE(taken.ok());
    EXPECT_NE(taken.error().text.find("overwritten"), std::string::npos) << taken.error().text;
  }
}

class KeepingSink final : public ToldSink {
 public:
  void take(uint32_t, std::span<const LiveReference> events) override { all.insert(all.end(), events.begin(), events.end()); }
  std::vector<LiveReference> all;
};

// A run of accesses of translated code, as the host puts it.
void put_run(SharedSession& session, uint64_t stamp, uint64_t count, std::vector<CompactReference> run) {
  LiveReference head{stamp, LiveReference::pack(0, 1, false), 0, count, run.size()};
  head.told = Told::kRun;
  put(session, 0, head);
  run.resize((run.size() + 3) / 4 * 4);
  for (size_t i = 0; i < run.size(); i += 4) {
    LiveReference four;
    memcpy(&four, &run[i], sizeof four);
    put(session, 0, four);
  }
}

TEST_F(ReferenceMergeTest, TakesRunsApart) {
  operands_ = {{0x400010, ANA_SITE_READ, 4, false}, {0x400020, ANA_SITE_WRITE, 8, true}};
  KeepingSink sink;
  ReferenceMerge merge(session_, sink, operands_);
  constexpr uint64_t kCount = 0x700000002, kUpper = 0x123ull << 48;  // of what has been seen lately; no part of the address
  put_run(session_, 0, kCount, {{0x5000 | kUpper, 0, 0xfffffffe}, {0x6000, 1, 2}});
  LiveReference atomic = reference_of(1, 0);
  atomic.what = LiveReference::pack(0x7000, 8, true);
  atomic.announced = true;
  put(session_, 0, atomic);
  put_run(session_, 2, kCount, {{0x7000, 1, 2}, {0x7000, 1, 2}});  // the first has been told
  ASSERT_TRUE(merge.pass().ok());
  ASSERT_TRUE(merge.check_complete());
  ASSERT_EQ(sink.all.size(), 4u);
  EXPECT_EQ(sink.all[0].address(), 0x5000u);
  EXPECT_EQ(sink.all[0].site, 0x400010u);
  EXPECT_EQ(sink.all[0].bytes(), 4u);
  EXPECT_FALSE(sink.all[0].write());
  EXPECT_EQ(sink.all[0].count, 0x6fffffffeu);  // the lower half has overflown since
  EXPECT_EQ(sink.all[1].count, kCount);
  EXPECT_TRUE(sink.all[1].write());
  EXPECT_TRUE(sink.all[2].announced);
  EXPECT_EQ(sink.all[3].address(), 0x7000u);
  EXPECT_EQ(sink.all[3].site, 0x400020u);

  put_run(session_, 3, kCount, {{0x5000, 2, 2}});  // no such operand
  EXPECT_FALSE(merge.pass().ok());
}

TEST_F(ReferenceMergeTest, StopsWhenTheFileCannotGrow) {
  auto full = ReferenceWriter::create("/dev/full");
  ASSERT_FALSE(full.ok());
  EXPECT_NE(full.error().text.find("No space left"), std::string::npos) << full.error().text;

  auto writer = ReferenceWriter::create(path_);
  ReferenceFileSink sink(*writer);
  ReferenceMerge merge(session_, sink, operands_);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small{4096, before.rlim_max};
  auto handler = signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  Result<uint64_t> taken = 1;
  for (uint64_t stamp = 0; taken.ok() && stamp < 4 * kMaxBlockReferences; stamp++) {
    put(session_, 0, reference_of(stamp, 0));
    if (stamp % 1000 == 0) taken = merge.pass();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  ASSERT_FALSE(taken.ok());
  EXPECT_NE(taken.error().text.find(path_ + " cannot be written"), std::string::npos) << taken.error().text;
}

}  // namespace
}  // namespace ana
