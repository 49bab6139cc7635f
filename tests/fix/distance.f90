module geometry
  implicit none
  type :: point
    real(8) :: x, y
  end type
contains
  function leg(p) result(h)
    type(point), intent(in) :: p
    real(8) :: h
    h = sqrt(p%x**2 + p%y) - p%x
  end function
end module

program main
  use geometry
  implicit none
  type(point) :: p
  character(len=32) :: word
  call get_command_argument(1, word)
  read (word, *) p%x
  call get_command_argument(2, word)
  read (word, *) p%y
  print '(es22.14)', leg(p)
end program main
