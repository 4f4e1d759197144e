# options: --rank=0 -g 0:4
# expect: 0:4 \(rank 0
# expect: MPI_Recv
when
backtrace
