! args: 12 30000
! Skewness of data with a large mean by raw moments, and a running product of probabilities.
program skew
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer :: i, n
  real(dp) :: shift, v, m1, m2, m3, third, spread
  character(32) :: word
  call get_command_argument(1, word)
  read (word, *) shift
  call get_command_argument(2, word)
  read (word, *) n
  m1 = 0
  m2 = 0
  m3 = 0
  do i = 1, n
    v = shift*1000 + sin(real(i, dp)) + 0.3_dp*cos(2.0_dp*i)
    m1 = m1 + v
    m2 = m2 + v*v
    m3 = m3 + v**3
  end do
  m1 = m1/n
  m2 = m2/n
  m3 = m3/n
  spread = m2 - m1**2
  third = m3 - 3*m1*m2 + 2*m1**3
  print '(f20.12)', m1
  print '(es22.14)', spread
  print '(es22.14)', third/spread**1.5_dp
end program
