! Receives, waits, tests and probes of any source through the Fortran interface.
program from_fortran
  use mpi
  implicit none
  integer, parameter :: window = 3, rounds = 30
  integer :: ierror, rank, ranks, i, left, total, posted, index, done, value
  integer :: status(MPI_STATUS_SIZE), requests(window), values(window)
  integer(8) :: seen
  logical :: flag
  double precision :: now
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  seen = 17
  if (rank == 0) then
    total = rounds * (ranks - 1)
    left = total
    posted = 0
    requests = MPI_REQUEST_NULL
    do while (left > 0)
      do i = 1, window
        if (requests(i) == MPI_REQUEST_NULL .and. posted < total) then
          call MPI_Irecv(values(i), 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, requests(i), ierror)
          posted = posted + 1
        end if
      end do
      if (mod(left, 2) == 0) then
        call MPI_Waitany(window, requests, index, status, ierror)
      else
        call MPI_Testany(window, requests, index, flag, status, ierror)
        if (.not. flag) then
          seen = ieor(seen * 31, 5_8)
          cycle
        end if
      end if
      left = left - 1
      seen = ieor(seen * 31, int(values(index), 8)) + status(MPI_SOURCE)
    end do
    do i = 1, rounds * (ranks - 1)
      if (mod(i, 2) == 0) then
        call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierror)
        call MPI_Recv(value, 1, MPI_INTEGER, status(MPI_SOURCE), status(MPI_TAG), MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierror)
      else
        call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, status, ierror)
      end if
      seen = ieor(seen * 31, int(value, 8))
    end do
  else
    do i = 1, rounds
      value = rank * 1000 + i
      call MPI_Send(value, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, ierror)
    end do
    do i = 1, rounds
      value = rank * 1000 + i
      call MPI_Send(value, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, ierror)
    end do
  end if
  now = MPI_Wtime()
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  print '(a, i0, a, i0, a, f20.6)', 'rank ', rank, ' saw ', seen, ' at ', now
  call MPI_Finalize(ierror)
end program
