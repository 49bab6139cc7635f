! args: 0.1 60000
! Norms and products of vectors by array intrinsics and by a loop.
program vectors
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  character(32) :: word
  real(dp), allocatable :: x(:), y(:)
  real(dp) :: tenth, work, flux
  integer :: n, i
  call get_command_argument(1, word)
  read (word, *) tenth
  call get_command_argument(2, word)
  read (word, *) n
  allocate (x(n), y(n))
  do i = 1, n
    x(i) = tenth*mod(i, 3) + tenth
    y(i) = 1 + tenth/8
  end do
  work = sum(x*y)
  flux = 0
  do i = 1, n
    flux = flux + x(i)*x(i)
  end do
  print '(es24.16)', work
  print '(es24.16)', flux
end program
