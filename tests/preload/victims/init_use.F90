! VICTIM_MODULE is mpi or mpi_f08.
program victim
  use VICTIM_MODULE
  implicit none
  character(len=16) :: kind
  integer :: rank, total, ierr, provided
  external :: victim_main, victim_up

  call get_command_argument(1, kind)
  call victim_main()
  if (kind == 'thread') then
    call MPI_Init_thread(MPI_THREAD_SINGLE, provided, ierr)
  else
    call MPI_Init(ierr)
  end if
  call victim_up()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  write (*, '(a,i0,a,i0)') 'rank ', rank, ', sum ', total
  call MPI_Finalize(ierr)
end program victim
