! Flang gives every operation of a statement the statement's place.
program statement
  implicit none
  double precision :: x, y
  character(len=20) :: text
  call get_command_argument(1, text)
  read (text, *) x
  y = (1 + x) - 1 + x*x - 3*x ! CAUSE
  print *, y ! REACHED
end program
