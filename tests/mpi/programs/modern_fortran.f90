! The interface of mpi_f08: persistent receives, matched probes, exchanges with whoever comes first, and a communicator of
! its own. (MPI_Waitany of MPICH 4.0 tells other indices there than the standard says.)
program modern_fortran
  use mpi_f08
  implicit none
  integer, parameter :: window = 4, rounds = 24
  integer :: rank, ranks, i, k, left, value, values(window), words
  integer, allocatable :: data(:)
  type(MPI_Request) :: requests(window)
  type(MPI_Status) :: status
  type(MPI_Message) :: message
  type(MPI_Comm) :: copy
  integer(8) :: seen
  logical :: flag
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  seen = 17
  if (rank == 0) then
    do i = 1, window
      call MPI_Recv_init(values(i), 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, requests(i))
    end do
    call MPI_Startall(window, requests)
    left = rounds * (ranks - 1)
    k = 0
    do while (left > 0)
      k = mod(k, window) + 1
      call MPI_Test(requests(k), flag, status)
      if (.not. flag) then
        seen = ieor(seen * 31, 5_8)
        cycle
      end if
      seen = ieor(seen * 31, int(values(k), 8)) + status%MPI_SOURCE * 7 + status%MPI_TAG
      call MPI_Start(requests(k))
      left = left - 1
    end do
    do i = 1, window
      call MPI_Cancel(requests(i))
      call MPI_Wait(requests(i), MPI_STATUS_IGNORE)
      call MPI_Request_free(requests(i))
    end do
    call MPI_Barrier(copy)
    do i = 1, rounds * (ranks - 1)
      call MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, message, status)
      call MPI_Get_count(status, MPI_INTEGER, words)
      allocate (data(words))
      call MPI_Mrecv(data, words, MPI_INTEGER, message, status)
      seen = ieor(seen * 31, int(data(words), 8)) + status%MPI_SOURCE
      deallocate (data)
    end do
    do i = 1, ranks - 1
      call MPI_Sendrecv(i, 1, MPI_INTEGER, i, 9, value, 1, MPI_INTEGER, MPI_ANY_SOURCE, 9, copy, status)
      seen = ieor(seen * 31, int(value, 8)) + status%MPI_SOURCE
    end do
  else
    do i = 1, rounds
      value = rank * 1000 + i
      call MPI_Send(value, 1, MPI_INTEGER, 0, mod(i, 3), copy)
    end do
    allocate (data(rounds))
    do i = 1, rounds
      data = rank * 1000 + i
      call MPI_Send(data, i, MPI_INTEGER, 0, mod(i, 2), MPI_COMM_WORLD)
    end do
    call MPI_Barrier(copy)
    value = rank
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, 0, 9, value, 1, MPI_INTEGER, 0, 9, copy, status)
    seen = ieor(seen * 31, int(value, 8))
  end if
  call MPI_Comm_free(copy)
  print '(a, i0, a, i0)', 'rank ', rank, ' saw ', seen
  call MPI_Finalize()
end program
