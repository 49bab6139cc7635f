program chain
  use stats
  implicit none
  real(dp) :: rate, length
  character(len=64) :: file
  namelist /run/ rate, length
  call get_command_argument(1, file)
  open (10, file=file, status='old')
  read (10, nml=run)
  print '(a, es22.14)', 'growth ', growth(rate)
  print '(a, es22.14)', 'area   ', area(rate, length)
end program chain
