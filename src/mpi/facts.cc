#include "mpi/facts.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/completion.h"
#include "mpi/contents.h"

namespace ana::mpi {

namespace {

// Alone: what is attached to a communicator.
struct Attached {
  Facts facts;
  int sources;
  int source[];
};
int key = MPI_KEYVAL_INVALID;

int forget(MPI_Comm, int, void* attached, void*) {
  free(attached);
  return MPI_SUCCESS;
}

const Attached* attached_to(MPI_Comm comm) {
  void* found = nullptr;
  int there = 0;
  if (alone()) PMPI_Comm_get_attr(comm, key, &found, &there);
  return there != 0 ? static_cast<const Attached*>(found) : nullptr;
}

Attached* attach(MPI_Comm comm, const Facts& facts, size_t sources) {
  auto* attached = static_cast<Attached*>(calloc(1, sizeof(Attached) + sources * sizeof(int)));
  if (attached == nullptr) give_up("there is no memory left for a communicator");
  attached->facts = facts;
  attached->sources = static_cast<int>(sources);
  PMPI_Comm_set_attr(comm, key, attached);
  return attached;
}

int* new_ranks(int n) {
  auto* ranks = static_cast<int*>(malloc((static_cast<size_t>(n) + 1) * sizeof(int)));
  if (ranks == nullptr) give_up("there is no memory left for the neighbours in a communicator");
  return ranks;
}

}  // namespace

void start_facts() {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, nullptr);
  attach(MPI_COMM_WORLD, {g.rank, g.ranks, 0, g.ranks}, 0);
}

Facts facts_of(MPI_Comm comm) {
  if (const Attached* attached = attached_to(comm); attached != nullptr) return attached->facts;
  Facts facts{};
  PMPI_Comm_rank(comm, &facts.rank);
  PMPI_Comm_size(comm, &facts.size);
  PMPI_Comm_test_inter(comm, &facts.inter);
  facts.remote_size = facts.size;
  if (facts.inter != 0) PMPI_Comm_remote_size(comm, &facts.remote_size);
  return facts;
}

Neighbours::Neighbours(MPI_Comm comm) {
  if (const Attached* attached = attached_to(comm); attached != nullptr) {
    count_ = attached->sources;
    ranks_ = new_ranks(count_);
    memcpy(ranks_, attached->source, static_cast<size_t>(count_) * sizeof(int));
    return;
  }
  int kind = MPI_UNDEFINED, inter = 0, rank = 0, out = 0, weighted = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter == 0) PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    count_ = 2 * dimensions;
    ranks_ = new_ranks(count_);
    for (int i = 0; i < dimensions; i++) PMPI_Cart_shift(comm, i, 1, &ranks_[2 * i], &ranks_[2 * i + 1]);
  } else if (kind == MPI_GRAPH) {
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &count_);
    ranks_ = new_ranks(count_);
    PMPI_Graph_neighbors(comm, rank, count_, ranks_);
  } else if (kind == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(comm, &count_, &out, &weighted);
    ranks_ = new_ranks(count_);
    int *weights = new_ranks(count_), *targets = new_ranks(out), *target_weights = new_ranks(out);
    PMPI_Dist_graph_neighbors(comm, count_, ranks_, weights, out, targets, target_weights);
    free(weights);
    free(targets);
    free(target_weights);
  }
}

Neighbours::~Neighbours() { free(ranks_); }

namespace {

constexpr size_t kFacts = 6;  // numbers before the neighbours: result, 1 if there is none, Facts

void keep_communicator(Thread* t, int result, MPI_Comm made) {
  if (result != MPI_SUCCESS || made == MPI_COMM_NULL) {
    int64_t row[kFacts] = {result, 1, 0, 0, 0, 0};
    return put_record(t, ContentKind::kNumbers, row, kFacts);
  }
  Facts facts = facts_of(made);
  Neighbours neighbours(made);
  size_t n = static_cast<size_t>(neighbours.count());
  Room<int64_t> row(kFacts + n);
  const int64_t head[kFacts] = {result, 0, facts.rank, facts.size, facts.inter, facts.remote_size};
  memcpy(row.data(), head, sizeof head);
  for (size_t i = 0; i < n; i++) row[kFacts + i] = neighbours.ranks()[i];
  put_record(t, ContentKind::kNumbers, row.data(), kFacts + n);
}

}  // namespace

int pass_communicator(Thread* t, int result, MPI_Comm old, MPI_Comm* made, bool copies) {
  if (recording()) {
    keep_communicator(t, result, *made);
    return result;
  }
  // The functions that copy attributes are the program's, and may ask for something themselves.
  if (copies) PMPI_Comm_dup(old, made);
  Taken taken = take_record(t, ContentKind::kNumbers, kFacts);
  if (taken.at(1) != 0) {
    *made = MPI_COMM_NULL;
    return taken.result();
  }
  if (!copies) PMPI_Comm_split(old, 0, 0, made);
  size_t n = taken.count - kFacts;
  Attached* attached = attach(*made, {taken.at(2), taken.at(3), taken.at(4), taken.at(5)}, n);
  for (size_t i = 0; i < n; i++) attached->source[i] = taken.at(kFacts + i);
  return taken.result();
}

int copy_alone(MPI_Comm old, MPI_Comm* made) {
  int result = PMPI_Comm_dup(old, made);
  if (result != MPI_SUCCESS) return result;
  Neighbours neighbours(old);
  size_t n = static_cast<size_t>(neighbours.count());
  Attached* attached = attach(*made, facts_of(old), n);
  if (n > 0) memcpy(attached->source, neighbours.ranks(), n * sizeof(int));
  return result;
}

}  // namespace ana::mpi
