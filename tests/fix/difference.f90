program difference
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp) :: x, h, slope
  character(len=32) :: word
  call get_command_argument(1, word)
  read (word, *) x
  call get_command_argument(2, word)
  read (word, *) h
  slope = (sin(x + h) - sin(x)) / h
  print '(es20.12)', slope
end program difference
