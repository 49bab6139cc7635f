! A function of Fortran's that is to be seen as one operation; its argument comes by value, so that errors of it are followed.
module exponentials
  implicit none
contains
  function rough_exp(x) result(sum)
    real(8), value :: x
    real(8) :: sum, term
    integer :: i
    sum = 1
    term = 1
    do i = 1, 8
      term = term * x / i
      sum = (sum + 1d8 * term) - 99999999 * term
    end do
  end function

  function fine_exp(x) result(y)
    real(8), value :: x
    real(8) :: y
    y = exp(x)
  end function
end module

program wrapped
  use exponentials
  implicit none
  integer :: i
  character(32) :: text
  real(8) :: x
  do i = 1, command_argument_count()
    call get_command_argument(i, text)
    read (text, *) x
    print *, rough_exp(x / 3) * 2 ! CAUSE and REACHED
  end do
end program
