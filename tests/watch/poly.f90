! Bao and Zhang, Figure 1 (c), in Fortran.
program poly
  implicit none
  character(len=40) :: text
  real(8) :: x, z
  call get_command_argument(1, text)
  read (text, *) x
  z = (x - 1) * (x - 1) * (x - 1) * (x - 1)
  if (z > 0.5d0) then ! UNSTABLE
    print '(a)', 'hit'
  else
    print '(a)', 'miss'
  end if
end program poly
