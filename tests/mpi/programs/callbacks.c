// What MPI is given of the program's: functions that it calls (operators, attributes, error handlers, generalised
// requests), memory, types. While another thread races for the memory that some of these functions use.
#include <pthread.h>
#include <string.h>

#include "observe.h"

static long shared[4];
static int stop;

static void* race(void* unused) {
  for (long i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) shared[i % 4] += shared[(i + 1) % 4] + i;
  return NULL;
}

// Not commutative, and different from run to run.
static void combine(void* in, void* inout, int* count, MPI_Datatype* type) {
  long* from = in;
  long* to = inout;
  for (int i = 0; i < *count; i++) to[i] = from[i] * 31 + to[i] + shared[i % 4] % 1000;
}

static int copy_attribute(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* flag) {
  int size;
  MPI_Comm_size(comm, &size);  // MPI, called by what it calls
  *(void**)copy = (char*)value + size + (long)extra;
  *flag = 1;
  return MPI_SUCCESS;
}

static int deleted = 0;
static int delete_attribute(MPI_Comm comm, int key, void* value, void* extra) {
  deleted += (int)(long)value;
  return MPI_SUCCESS;
}

static int errors = 0;
static void on_error(MPI_Comm* comm, int* code, ...) {
  int class;
  MPI_Error_class(*code, &class);
  errors += class == MPI_ERR_RANK;
}

static int query(void* extra, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, *(int*)extra);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = 5;
  return MPI_SUCCESS;
}
static int release(void* extra) { return ++*(int*)extra, MPI_SUCCESS; }
static int cancel(void* extra, int complete) { return MPI_SUCCESS; }

static void operators(void) {
  MPI_Op op;
  long mine[3] = {rank, rank * 2, 7}, all[3];
  MPI_Op_create(combine, 0, &op);
  for (int i = 0; i < 20; i++) {
    MPI_Allreduce(mine, all, 3, MPI_LONG, op, MPI_COMM_WORLD);
    for (int k = 0; k < 3; k++) observe(all[k]);
    mine[i % 3] += all[0] % 100;
  }
  MPI_Op_free(&op);
}

static void attributes(void) {
  int key, other, found;
  void* value;
  MPI_Comm copy, plain;
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, (void*)100L);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &other, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void*)(long)(rank + 1));
  MPI_Comm_set_attr(MPI_COMM_WORLD, other, (void*)77L);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_get_attr(copy, key, &value, &found);
  observe(found ? (long)value : -1);
  MPI_Comm_get_attr(copy, other, &value, &found);
  observe(found ? (long)value : -1);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &other, NULL);
  MPI_Comm_set_attr(copy, other, (void*)3L);
  MPI_Comm_dup(copy, &plain);
  MPI_Comm_get_attr(plain, other, &value, &found);
  observe(found);
  MPI_Comm_free(&plain);
  MPI_Comm_free(&copy);
  observe(deleted);
}

static void handlers(void) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Send(&rank, 1, MPI_INT, ranks + 3, 0, MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  observe(errors);
  MPI_Request request;
  MPI_Status status;
  int extra = 4, count;
  MPI_Grequest_start(query, release, cancel, &extra, &request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);
  MPI_Get_elements(&status, MPI_INT, &count);
  observe(count * 10 + extra);
}

// A column of a matrix, in memory that MPI gives out, to whoever is next.
static void types(void) {
  double* matrix;
  MPI_Datatype column;
  MPI_Request request[2];
  MPI_Status status[2];
  MPI_Alloc_mem(8 * 8 * sizeof *matrix, MPI_INFO_NULL, &matrix);
  for (int i = 0; i < 64; i++) matrix[i] = rank * 100 + i;
  MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Irecv(matrix + 3, 1, column, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(matrix + 5, 1, column, (rank + 1) % ranks, 9, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, status);
  observe_status(&status[0]);
  for (int i = 0; i < 64; i++) observe((long)matrix[i]);
  observe((long)matrix);
  MPI_Type_free(&column);
  MPI_Free_mem(matrix);
}

int main(int argc, char** argv) {
  pthread_t racer;
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  print_apart();
  pthread_create(&racer, NULL, race, NULL);
  operators();
  attributes();
  handlers();
  types();
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  pthread_join(racer, NULL);
  printf("deleted %d, errors %d\n", deleted, errors);
  return finish();
}
