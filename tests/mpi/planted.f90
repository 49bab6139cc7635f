! Rank 0 computes 0.3 with an error: a(1) is 0. It goes to the last rank in the way that the argument names, and is printed there.
! The cause is on line PLANTED, in another process than the output.
program planted
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 8
  integer :: error, rank, ranks, last, i, index
  integer :: world, part, requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  integer :: counts(16), places(16)
  double precision :: x, a(n * 16), b(n * 16)
  character(32) :: way, word
  world = MPI_COMM_WORLD
  call MPI_Init(error)
  call MPI_Comm_rank(world, rank, error)
  call MPI_Comm_size(world, ranks, error)
  call get_command_argument(1, way)
  call get_command_argument(2, word)
  read (word, *) x
  last = ranks - 1
  a = 0
  b = 0
  if (rank == 0) then
    a(1) = (1 + (x + 1d16)) - 1d16 ! PLANTED
    do i = 2, n
      a(i) = a(1) + i * x
    end do
  end if
  do i = 1, ranks
    counts(i) = i
    places(i) = (i - 1) * n
  end do
  select case (way)
  case ('send')
    if (rank == 0) call MPI_Send(a, n, MPI_DOUBLE_PRECISION, last, 7, world, error)
    if (rank == last) call MPI_Recv(b, n, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE, error)
  case ('nonblocking')
    if (rank == 0) then
      call MPI_Isend(a, n, MPI_DOUBLE_PRECISION, last, 7, world, requests(1), error)
      call MPI_Isend(a(2), n - 1, MPI_REAL8, last, 8, world, requests(2), error)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    else if (rank == last) then
      call MPI_Irecv(b, n, MPI_DOUBLE_PRECISION, 0, 7, world, requests(1), error)
      call MPI_Irecv(b(n + 1), n, MPI_DOUBLE_PRECISION, 0, 8, world, requests(2), error)
      call MPI_Waitall(2, requests, statuses, error)
      if (statuses(MPI_TAG, 2) /= 8 .or. statuses(MPI_SOURCE, 1) /= 0) stop 3
    end if
  case ('any')
    if (rank == 0) call MPI_Ssend(a, n, MPI_DOUBLE_PRECISION, last, 7, world, error)
    if (rank == last) then
      requests(1) = MPI_REQUEST_NULL
      call MPI_Irecv(b, n, MPI_DOUBLE_PRECISION, 0, 7, world, requests(2), error)
      call MPI_Waitany(2, requests, index, status, error)
      if (index /= 2 .or. status(MPI_TAG) /= 7 .or. requests(2) /= MPI_REQUEST_NULL) stop 3
    end if
  case ('persistent')
    if (rank == 0) call MPI_Send_init(a, n, MPI_DOUBLE_PRECISION, last, 1, world, requests(1), error)
    if (rank == last) call MPI_Recv_init(b, n, MPI_DOUBLE_PRECISION, 0, 1, world, requests(1), error)
    do i = 1, 3
      if (rank == 0 .or. rank == last) then
        call MPI_Start(requests(1), error)
        call MPI_Wait(requests(1), status, error)
      end if
    end do
    if (rank == 0 .or. rank == last) call MPI_Request_free(requests(1), error)
  case ('sendrecv')
    call MPI_Sendrecv(a, n, MPI_DOUBLE_PRECISION, mod(rank + last, ranks), 2, b, n, MPI_DOUBLE_PRECISION, &
      mod(rank + 1, ranks), 2, world, status, error)
  case ('broadcast')
    b = a
    call MPI_Bcast(b, n, MPI_DOUBLE_PRECISION, 0, world, error)
  case ('split')
    b = a
    call MPI_Comm_split(world, merge(1, 0, rank == 0 .or. rank == last), rank, part, error)
    if (rank == 0 .or. rank == last) call MPI_Bcast(b, n, MPI_DOUBLE_PRECISION, 0, part, error)
    call MPI_Comm_free(part, error)
  case ('scatter')
    do i = 1, ranks - 1
      a(i * n + 1:i * n + n) = a(1:n)
    end do
    call MPI_Scatter(a, n, MPI_DOUBLE_PRECISION, b, n, MPI_DOUBLE_PRECISION, 0, world, error)
  case ('gather')
    call MPI_Gather(a, n, MPI_DOUBLE_PRECISION, b, n, MPI_DOUBLE_PRECISION, last, world, error)
  case ('gatherv')
    call MPI_Gatherv(a, rank + 1, MPI_DOUBLE_PRECISION, b, counts, places, MPI_DOUBLE_PRECISION, last, world, error)
  case ('allgather')
    call MPI_Allgather(a, n, MPI_DOUBLE_PRECISION, b, n, MPI_DOUBLE_PRECISION, world, error)
  case ('alltoall')
    do i = 1, ranks - 1
      a(i * n + 1:i * n + n) = a(1:n)
    end do
    call MPI_Alltoall(a, n, MPI_DOUBLE_PRECISION, b, n, MPI_DOUBLE_PRECISION, world, error)
  case ('sum')
    call MPI_Reduce(a, b, n, MPI_DOUBLE_PRECISION, MPI_SUM, last, world, error)
  case ('allsum')
    b = a
    call MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_REAL8, MPI_SUM, world, error)
  case default
    call MPI_Abort(world, 2, error)
  end select
  if (rank == last) print '(g0)', b(1)
  call MPI_Finalize(error)
end program
