! args: 0.4 100 300
! Heat in a rod: six places are right.
program heat
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  character(32) :: word
  real(dp), allocatable :: u(:), w(:)
  real(dp) :: r
  integer :: n, steps, i, step
  call get_command_argument(1, word)
  read (word, *) r
  call get_command_argument(2, word)
  read (word, *) n
  call get_command_argument(3, word)
  read (word, *) steps
  allocate (u(n), w(n))
  do i = 1, n
    u(i) = sin(3.14159265358979_dp*(i - 1)/(n - 1))
  end do
  w = u
  do step = 1, steps
    w(2:n - 1) = u(2:n - 1) + r*(u(3:n) - 2*u(2:n - 1) + u(1:n - 2))
    u = w
  end do
  print '(f12.6)', u(n/4)
  print '(f12.6)', sum(u)/n
end program
