! args: 1e-6 8
! Spherical Bessel function j1 near zero by its formula, and a sum of it.
program sinc_table
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp) :: x, step, total
  integer :: i, n
  character(32) :: word
  call get_command_argument(1, word)
  read (word, *) step
  call get_command_argument(2, word)
  read (word, *) n
  total = 0
  do i = 1, n
    x = i*step
    total = total + j1(x)
    write (*, '(f12.8, es22.12)') x, j1(x)
  end do
  write (*, '(a, es20.10)') 'total ', total
contains
  function j1(x) result(y)
    real(dp), intent(in) :: x
    real(dp) :: y
    y = sin(x)/x**2 - cos(x)/x
  end function
end program
