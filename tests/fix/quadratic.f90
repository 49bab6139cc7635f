program quadratic
  implicit none
  real(8) :: b, c, root
  character(len=32) :: word
  call get_command_argument(1, word)
  read (word, *) b
  call get_command_argument(2, word)
  read (word, *) c
  root = -b + sqrt(b*b - c)
  print '(es20.12)', root
end program quadratic
