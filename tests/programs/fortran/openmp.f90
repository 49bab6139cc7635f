! lostbits: flags=-fopenmp
! lostbits: env=OMP_WAIT_POLICY=passive
! OpenMP loops with static schedules; the reduction is over whole numbers, so order does not matter.
program openmp
  use omp_lib
  implicit none
  integer, parameter :: n = 400
  real(8) :: u(n), w(n), whole, partial(3), mine
  real(4) :: f(n)
  integer :: i, step, me
  call omp_set_dynamic(.false.)
  call omp_set_num_threads(3)
  !$omp parallel do schedule(static)
  do i = 1, n
    u(i) = sin(i * 0.05d0) * i
    f(i) = sqrt(real(i)) / 3
  end do
  !$omp end parallel do
  do step = 1, 15
    !$omp parallel do schedule(static)
    do i = 2, n - 1
      w(i) = u(i) + 0.2d0 * (u(i - 1) - 2 * u(i) + u(i + 1))
    end do
    !$omp end parallel do
    u(2:n - 1) = w(2:n - 1)
  end do
  whole = 0
  !$omp parallel do reduction(+:whole) schedule(static)
  do i = 1, n
    whole = whole + aint(u(i) * 100)
  end do
  !$omp end parallel do
  !$omp parallel private(me, mine, i)
  me = omp_get_thread_num() + 1
  mine = me * 0.1d0
  do i = me, n, 3
    mine = mine * 0.99d0 + u(i) * f(i)
  end do
  partial(me) = mine
  !$omp end parallel
  print '(3(1x,z16.16))', u(1:n:25), partial
  print '(es24.16,1x,z8.8)', whole, f(77)
end program
