! Wrong numbers that Fortran's library moves.
program rearranged
  implicit none
  character(16) :: how, text
  real(8) :: x, list(4), wide(4), table(2, 2), copies(2, 4)
  real(8), allocatable :: packed(:)
  integer :: n
  call get_command_argument(1, how)
  call get_command_argument(2, text)
  read (text, *) x
  n = command_argument_count()
  list = [1d0, 2d0, 3d0, 4d0]
  list(n) = sqrt(x + 1) - sqrt(x) ! CAUSE
  wide = 9d0
  select case (how)
  case ('pack')
    packed = pack(list, list < 1)
    print *, packed(1) ! REACHED pack
  case ('spread')
    copies = spread(list, 1, n)
    print *, copies(2, n) ! REACHED spread
  case ('cshift')
    wide = cshift(list, n - 1)
    print *, wide(1) ! REACHED cshift
  case ('transpose')
    table = transpose(reshape(list, [2, 2]))
    print *, table(1, n) ! REACHED transpose
  case ('minval')
    print *, minval(list) ! REACHED minval
  case ('norm2')
    print *, norm2(list)
  end select
end program
