// M_a of Jiang 2015, III-D1: each thread's latest read of a granule since the last write, in a hash table whose lookups
// and updates are wait-free.
//
// A thread finds and writes only its own cell. Cells and tables are made under the granule's lock and live as long as
// the granule, so a thread that still looks into a table that has been replaced finds the same cell (Algorithm 4). A
// write takes all reads out by zeroing the cells.
//
// The paper has a read that turns out not to be local leave a wrong dependence behind, to be found as a cycle and
// removed later. Here a cell is marked while its read is being tried, and the writer waits for the mark to go, which
// takes as long as a load and a test; a failed read puts the former one back. Readers never wait.
#pragma once
#include "algorithms/event.h"

namespace ana::algorithms {

class LatestReaders {
 public:
  struct Cell {
    ThreadIndex thread;
    uint64_t read;  // serial << 1 | being tried; 0: none
  };

  // The thread's cell, or null if it has none yet. Any thread, no lock.
  Cell* find(ThreadIndex thread) const {
    const Table* table = __atomic_load_n(&table_, __ATOMIC_ACQUIRE);  // pairs with grow()
    if (!table) return nullptr;
    for (uint32_t i = thread;; ++i) {
      Cell* cell = __atomic_load_n(&table->cells[i & (table->capacity - 1)], __ATOMIC_ACQUIRE);  // pairs with insert()
      if (!cell || cell->thread == thread) return cell;
    }
  }

  // Algorithm 3, update() of a thread-local read: marked until done() or failed(). Returns what was there before.
  static uint64_t attempt(Cell& cell, Serial serial) {
    // Before the read itself; pairs with the fence in query(). What a write has taken out must not be put back.
    return __atomic_exchange_n(&cell.read, serial << 1 | 1, __ATOMIC_SEQ_CST);
  }
  static void done(Cell& cell, Serial serial) { __atomic_store_n(&cell.read, serial << 1, __ATOMIC_RELEASE); }
  static void failed(Cell& cell, uint64_t before) { __atomic_store_n(&cell.read, before, __ATOMIC_RELEASE); }

  // Algorithm 3, update() under the granule's lock.
  template <Host H>
  void insert(H& host, ThreadIndex thread, Serial serial) {
    Cell* cell = find(thread);
    if (!cell) cell = add(host, thread);
    done(*cell, serial);
  }

  // Under the granule's lock, after the write: all reads since the last one. `use` gets the thread and the serial.
  template <Host H, class Use>
  void query(H& host, ThreadIndex self, Use use) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);  // after the write itself; pairs with the fence in attempt()
    if (!table_) return;
    for (uint32_t i = 0; i < table_->capacity; ++i) {
      Cell* cell = table_->cells[i];
      if (!cell) continue;
      uint64_t read = take_out(host, *cell);
      if (read && cell->thread != self) use(cell->thread, read >> 1);
    }
  }

  // `from` belongs to a granule that has been divided.
  template <Host H>
  void copy(H& host, const LatestReaders& from) {
    table_ = nullptr;
    if (!from.table_) return;
    for (uint32_t i = 0; i < from.table_->capacity; ++i) {
      if (const Cell* cell = from.table_->cells[i]) insert(host, cell->thread, cell->read >> 1);
    }
  }

  // When no thread uses the granule any more.
  template <Host H>
  void forget(H& host) {
    for (uint32_t i = 0; table_ && i < table_->capacity; ++i) {
      if (table_->cells[i]) host.release(table_->cells[i], sizeof(Cell));
    }
    while (Table* table = table_) {
      table_ = table->former;
      host.release(table, bytes(table->capacity));
    }
  }

 private:
  // Not while it is being tried.
  template <Host H>
  static uint64_t take_out(H& host, Cell& cell) {
    for (int turns = 0;;) {
      uint64_t read = __atomic_load_n(&cell.read, __ATOMIC_ACQUIRE);  // pairs with done() and failed()
      if (read == 0) return 0;
      if (read & 1) {
        host.pause(turns);
      } else if (__atomic_compare_exchange_n(&cell.read, &read, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        return read;
      }
    }
  }

  struct Table {
    Table* former;  // that this one has replaced
    uint32_t capacity, count;
    Cell* cells[];
  };
  static constexpr uint32_t kFirstCapacity = 4;
  static size_t bytes(uint32_t capacity) { return sizeof(Table) + capacity * sizeof(Cell*); }

  static void put(Table& table, Cell* cell) {
    uint32_t i = cell->thread;
    while (table.cells[i & (table.capacity - 1)]) ++i;
    __atomic_store_n(&table.cells[i & (table.capacity - 1)], cell, __ATOMIC_RELEASE);  // pairs with find()
    ++table.count;
  }

  template <Host H>
  Cell* add(H& host, ThreadIndex thread) {
    if (!table_ || 2 * table_->count >= table_->capacity) grow(host);
    auto* cell = static_cast<Cell*>(host.allocate(sizeof(Cell)));
    *cell = {thread, 0};
    put(*table_, cell);
    return cell;
  }

  template <Host H>
  void grow(H& host) {
    uint32_t capacity = table_ ? 2 * table_->capacity : kFirstCapacity;
    auto* table = static_cast<Table*>(host.allocate(bytes(capacity)));
    table->former = table_;
    table->capacity = capacity;
    table->count = 0;
    for (uint32_t i = 0; i < capacity; ++i) table->cells[i] = nullptr;
    for (uint32_t i = 0; table_ && i < table_->capacity; ++i) {
      if (table_->cells[i]) put(*table, table_->cells[i]);
    }
    __atomic_store_n(&table_, table, __ATOMIC_RELEASE);  // pairs with find()
  }

  Table* table_;
};
static_assert(sizeof(LatestReaders) == 8);

}  // namespace ana::algorithms
