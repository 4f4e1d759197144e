// Messages of all shapes: derived datatypes with gaps, parts of items, nothing at all, large ones, into types that are
// freed before their receives complete; errors that are returned; what lies beside the data must not change.
#include <stddef.h>
#include <string.h>

#include "observe.h"

enum { kLarge = 3 << 20 };

static MPI_Datatype column, mixed;

struct Mixed {
  char tag;
  double value;
  int pair[2];
};

static void observe_bytes(const void* bytes, size_t n) {
  for (size_t i = 0; i < n; i++) observe(((const unsigned char*)bytes)[i]);
}

static void make_types(void) {
  MPI_Type_vector(4, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  int lengths[] = {2, 1, 1};
  // In another order than in memory.
  MPI_Aint at[] = {offsetof(struct Mixed, pair), offsetof(struct Mixed, tag), offsetof(struct Mixed, value)};
  MPI_Datatype types[] = {MPI_INT, MPI_CHAR, MPI_DOUBLE}, packed;
  MPI_Type_create_struct(3, lengths, at, types, &packed);
  MPI_Type_create_resized(packed, 0, sizeof(struct Mixed), &mixed);
  MPI_Type_commit(&mixed);
  MPI_Type_free(&packed);
}

static void columns(int round) {
  int matrix[16], next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, n;
  MPI_Status status;
  for (int i = 0; i < 16; i++) matrix[i] = rank * 100 + i + round;
  MPI_Sendrecv(&matrix[0], 1, column, next, 1, &matrix[1], 1, column, before, 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, column, &n);
  observe(n);
  // Half a column.
  MPI_Sendrecv(&matrix[0], 2, MPI_INT, next, 2, &matrix[2], 1, column, before, 2, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, column, &n);
  observe(n == MPI_UNDEFINED);
  MPI_Get_elements(&status, column, &n);
  observe(n);
  MPI_Sendrecv_replace(&matrix[3], 1, column, before, 3, next, 3, MPI_COMM_WORLD, &status);
  observe_bytes(matrix, sizeof matrix);
}

static void structs(int round) {
  struct Mixed out[3], in[3];
  memset(out, 7, sizeof out);
  memset(in, 9, sizeof in);
  for (int i = 0; i < 3; i++) out[i] = (struct Mixed){(char)('a' + i), rank + round / 7.0, {rank, i}};
  MPI_Request requests[2];
  MPI_Datatype copy;
  MPI_Status statuses[2];
  MPI_Type_dup(mixed, &copy);
  MPI_Irecv(in, 3, copy, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, round % 4, mixed, (rank + 1) % ranks, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Type_free(&copy);
  MPI_Waitall(2, requests, statuses);
  int n;
  MPI_Get_count(&statuses[0], mixed, &n);
  observe(n);
  for (int i = 0; i < 3; i++) {
    observe(in[i].tag);
    observe((long long)(in[i].value * 1e6));
    observe(in[i].pair[0] * 10 + in[i].pair[1]);
  }
}

static void large(void) {
  char* out = malloc(kLarge);
  char* in = malloc(kLarge);
  for (int i = 0; i < kLarge; i++) out[i] = (char)(i * 7 + rank + i / 1000);
  memset(in, 1, kLarge);
  MPI_Sendrecv(out, kLarge - 100 * rank, MPI_BYTE, (rank + 1) % ranks, 5, in, kLarge, MPI_BYTE, MPI_ANY_SOURCE, 5,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  observe_bytes(in, kLarge);
  // Every other integer.
  MPI_Datatype sparse;
  MPI_Type_vector(kLarge / 16, 1, 2, MPI_INT, &sparse);
  MPI_Type_commit(&sparse);
  MPI_Bcast(rank == 0 ? out : in, 1, sparse, 0, MPI_COMM_WORLD);
  observe_bytes(in, kLarge);
  MPI_Type_free(&sparse);
  free(out);
  free(in);
}

static void persistent(void) {
  int value[2] = {rank, 0}, got[2];
  MPI_Request requests[2];
  MPI_Send_init(value, 2, MPI_INT, (rank + 1) % ranks, 8, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(got, 2, MPI_INT, (rank + ranks - 1) % ranks, 8, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 5; i++) {
    value[1] = i;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    observe(got[0] * 10 + got[1]);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void errors(void) {
  MPI_Comm comm;
  int big[4] = {1, 2, 3, 4}, small[2] = {0, 0}, class;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Request request;
  MPI_Isend(big, 4, MPI_INT, (rank + 1) % ranks, 6, comm, &request);
  int code = MPI_Recv(small, 2, MPI_INT, (rank + ranks - 1) % ranks, 6, comm, MPI_STATUS_IGNORE);
  MPI_Error_class(code, &class);
  observe(class == MPI_ERR_TRUNCATE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  make_types();
  for (int round = 0; round < 8; round++) {
    columns(round);
    structs(round);
  }
  large();
  persistent();
  errors();
  MPI_Type_free(&column);
  MPI_Type_free(&mixed);
  return finish();
}
