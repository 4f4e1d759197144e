// N queens by work stealing: a rank without work asks a victim; everybody answers requests between steps, found by
// MPI_Iprobe. The root has a weight, which children share and leaves give back to rank 0: when it has all of it, the search
// is over.
#include "job.h"

enum { kSteal = 1, kWork = 2, kNone = 3, kDone = 4, kStop = 5 };
typedef struct { long weight; int depth; unsigned columns, left, right; } Node;

static Node stack[4096];
static int top, queens, finished;
static long solutions, closed;

static void answer(void) {
  int flag;
  MPI_Status status;
  for (;;) {
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    if (!flag || status.MPI_TAG == kWork || status.MPI_TAG == kNone) return;
    long value;
    MPI_Recv(&value, 1, MPI_LONG, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (status.MPI_TAG == kStop) finished = 1;
    if (status.MPI_TAG == kDone) closed += value;
    if (status.MPI_TAG != kSteal) continue;
    int give = top > 1;
    MPI_Send(&stack[0], give ? (int)sizeof(Node) : 0, MPI_BYTE, status.MPI_SOURCE, give ? kWork : kNone,
             MPI_COMM_WORLD);
    if (give) memmove(stack, stack + 1, sizeof(Node) * (size_t)--top);
  }
}

// `work` gets the weight of what is finished.
static void step(long* work) {
  Node node = stack[--top];
  unsigned all = (1u << queens) - 1, free_columns = all & ~(node.columns | node.left | node.right);
  if (node.depth == queens) solutions++;
  int children = node.depth < queens ? __builtin_popcount(free_columns) : 0;
  if (children == 0) *work += node.weight;
  for (; children > 0; free_columns &= free_columns - 1, children--) {
    unsigned bit = free_columns & -free_columns;
    long share = node.weight / children;
    node.weight -= share;
    stack[top++] =
        (Node){share, node.depth + 1, node.columns | bit, (node.left | bit) << 1 & all, (node.right | bit) >> 1};
  }
}

static void steal(unsigned long long* state) {
  int victim = (int)(random_number(state) * (ranks - 1));
  victim += victim >= rank;
  long nothing = 0;
  MPI_Send(&nothing, 1, MPI_LONG, victim, kSteal, MPI_COMM_WORLD);
  for (int flag = 0; !flag;) {
    MPI_Status status;
    MPI_Iprobe(victim, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    if (flag && (status.MPI_TAG == kWork || status.MPI_TAG == kNone)) {
      int bytes;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      MPI_Recv(&stack[top], bytes, MPI_BYTE, victim, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      top += bytes > 0;
      return;
    }
    flag = 0;
    answer();
  }
}

int main(int argc, char** argv) {
  queens = start_job(argc, argv, 9);
  unsigned long long state = (unsigned long long)rank + 1;
  long open = 1L << 62, work = 0;
  if (rank == 0) stack[top++] = (Node){open, 0, 0, 0, 0};
  while (!finished) {
    for (int i = 0; i < 50 && top > 0; i++) step(&work);
    answer();
    if (finished || top > 0) continue;
    if (rank == 0) {
      closed += work;
      work = 0;
      if (closed == open) {
        for (int to = 1; to < ranks; to++) MPI_Send(&open, 1, MPI_LONG, to, kStop, MPI_COMM_WORLD);
        break;
      }
    } else if (work != 0) {
      MPI_Send(&work, 1, MPI_LONG, 0, kDone, MPI_COMM_WORLD);
      work = 0;
    }
    steal(&state);
  }
  // A thief may still wait for an answer that nobody gives any more: answer until all have come here.
  MPI_Request everybody;
  MPI_Ibarrier(MPI_COMM_WORLD, &everybody);
  for (int flag = 0; !flag;) {
    answer();
    MPI_Test(&everybody, &flag, MPI_STATUS_IGNORE);
  }
  long all;
  MPI_Reduce(&solutions, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  static const long kSolutions[] = {0, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
  return end_job(rank != 0 || all == kSolutions[queens], (double)all);
}
