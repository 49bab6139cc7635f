! The same wrong number, moved and put out by Fortran's library.
program arrays
  implicit none
  character(16) :: how, text
  real(8) :: x, y, list(3)
  real(8), allocatable :: copy(:), table(:,:)
  complex(8) :: z
  namelist /results/ y, list
  call get_command_argument(1, how)
  call get_command_argument(2, text)
  read (text, *) x
  y = sqrt(x + 1) - sqrt(x) ! CAUSE
  list = [1d0, y, 2*y]
  copy = list(3:1:-1)
  table = reshape([list, copy], [2, 3])
  select case (how)
  case ('array')
    print *, copy ! REACHED array
  case ('section')
    write (*, '(3F20.10)') table(2, :) ! REACHED section
  case ('namelist')
    write (*, nml=results) ! REACHED namelist
  case ('complex')
    z = cmplx(1d0, y, 8)
    print *, z ! REACHED complex
  case ('long')
    print *, real(y, 10) ! REACHED long
  case ('sum')
    print *, sum(table)
  end select
end program
