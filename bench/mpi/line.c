// How many of a set of line segments intersect: each rank takes a part of the pairs and tells rank 0, which asks the
// ranks in turn.
#include "job.h"

typedef struct { double x, y; } Point;

static double side(Point a, Point b, Point c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }
static int meet(const Point* p, const Point* q) {
  return side(p[0], p[1], q[0]) * side(p[0], p[1], q[1]) < 0 && side(q[0], q[1], p[0]) * side(q[0], q[1], p[1]) < 0;
}

int main(int argc, char** argv) {
  int n = start_job(argc, argv, 1000);
  Point* points = malloc(sizeof(Point) * 2 * n);
  unsigned long long state = 7;
  for (int i = 0; i < 2 * n; i++) points[i] = (Point){random_number(&state), random_number(&state)};
  long count = 0, all = 0;
  for (int i = rank; i < n; i += ranks)
    for (int j = i + 1; j < n; j++) count += meet(points + 2 * i, points + 2 * j);
  if (rank != 0) MPI_Send(&count, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
  all = count;
  for (int from = 1; rank == 0 && from < ranks; from++) {
    MPI_Recv(&count, 1, MPI_LONG, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    all += count;
  }
  double pairs = n * (n - 1.0) / 2;
  return end_job(rank != 0 || (all > pairs * 0.15 && all < pairs * 0.35), (double)all);
}
