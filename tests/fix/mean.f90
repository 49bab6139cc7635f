program mean
  implicit none
  integer :: i, n
  real(8) :: s, x
  character(len=32) :: word
  call get_command_argument(1, word)
  read (word, *) n
  s = 1.0d8
  do i = 1, n
    x = 0.1d0
    s = s + x
  end do
  print '(f20.6)', s
end program mean
