program debye
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp) :: x, y
  character(len=32) :: word
  call get_command_argument(1, word)
  read (word, *) x
  y = (exp(x) - 1.0_dp) / x
  print '(es22.14)', y
end program debye
