! args: -25
! exp(x) for negative x by its series; erf by its series at 5.
program power_series
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp) :: x, term, s, e
  integer :: i
  character(32) :: word
  call get_command_argument(1, word)
  read (word, *) x
  term = 1
  s = 1
  do i = 1, 200
    term = term*x/i
    s = s + term
  end do
  print '(a, es20.12)', 'exp ', s
  x = 5
  x = x + s
  term = x
  e = x
  do i = 1, 150
    term = -term*x*x/i
    e = e + term/(2*i + 1)
  end do
  print '(a, es20.12)', 'erfc ', 1 - 2*e/sqrt(acos(-1.0_dp))
end program
