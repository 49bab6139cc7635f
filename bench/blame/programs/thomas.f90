! args: 400 1e-9
! A tridiagonal system that is nearly singular (a rod with almost free ends), by Thomas's algorithm.
program thomas
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer :: n, i
  real(dp) :: eps, factor
  real(dp), allocatable :: d(:), u(:), l(:), r(:), x(:)
  character(32) :: word
  call get_command_argument(1, word)
  read (word, *) n
  call get_command_argument(2, word)
  read (word, *) eps
  allocate (d(n), u(n), l(n), r(n), x(n))
  do i = 1, n
    d(i) = 2.0_dp + eps/3
    u(i) = -1.0_dp
    l(i) = -1.0_dp
    r(i) = sin(0.1_dp*i)
  end do
  d(1) = 1.0_dp + eps/3
  d(n) = 1.0_dp + eps/3
  do i = 2, n
    factor = l(i)/d(i - 1)
    d(i) = d(i) - factor*u(i - 1)
    r(i) = r(i) - factor*r(i - 1)
  end do
  x(n) = r(n)/d(n)
  do i = n - 1, 1, -1
    x(i) = (r(i) - u(i)*x(i + 1))/d(i)
  end do
  print '(es22.14)', x(1)
  print '(es22.14)', x(2) - x(1)
end program
