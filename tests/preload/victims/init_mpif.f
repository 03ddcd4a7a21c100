      program victim
      include 'mpif.h'
      character*16 kind
      integer rank, total, ierr, provided
      call getarg(1, kind)
      call victim_main()
      if (kind .eq. 'thread') then
        call mpi_init_thread(MPI_THREAD_SINGLE, provided, ierr)
      else
        call mpi_init(ierr)
      end if
      call victim_up()
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      call mpi_allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      write (*, '(a,i0,a,i0)') 'rank ', rank, ', sum ', total
      call mpi_finalize(ierr)
      end
