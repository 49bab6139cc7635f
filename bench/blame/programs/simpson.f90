! args: 0.1 30 30000
! Simpson's rule with a point that advances by additions.
module integrals
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  pure real(dp) function f(x)
    real(dp), intent(in) :: x
    f = exp(-x)*sin(3*x) + 1/(1 + x*x)
  end function
  real(dp) function simpson(a, b, n)
    real(dp), intent(in) :: a, b
    integer, intent(in) :: n
    real(dp) :: h, x, sum
    integer :: i
    h = (b - a)/n
    sum = f(a) + f(b)
    x = a
    do i = 1, n - 1
      x = x + h
      if (mod(i, 2) == 1) then
        sum = sum + 4*f(x)
      else
        sum = sum + 2*f(x)
      end if
    end do
    simpson = sum*h/3
  end function
end module

program integrate
  use integrals
  implicit none
  character(32) :: word
  real(dp) :: a, b
  integer :: n
  call get_command_argument(1, word)
  read (word, *) a
  call get_command_argument(2, word)
  read (word, *) b
  call get_command_argument(3, word)
  read (word, *) n
  print '(es24.16)', simpson(a, b, n)
end program
