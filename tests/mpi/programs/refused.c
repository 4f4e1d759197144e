// What a rank alone could not repeat: refused window|file.
#include <string.h>

#include "observe.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  if (argc > 1 && !strcmp(argv[1], "window")) {
    int shared = rank;
    MPI_Win window;
    MPI_Win_create(&shared, sizeof shared, sizeof shared, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
  } else {
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
  }
  return finish();
}
