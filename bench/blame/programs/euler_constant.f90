! args: 50000
! Euler's constant from a harmonic sum, and a continued fraction.
program euler
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  character(32) :: word
  real(dp) :: sum, gamma, fraction
  integer :: n, i
  call get_command_argument(1, word)
  read (word, *) n
  sum = 0
  do i = 1, n
    sum = sum + 1.0_dp/i
  end do
  gamma = sum - log(real(n, dp)) - 0.5_dp/n
  fraction = 0
  do i = 60, 1, -1
    fraction = i/(i + fraction)
  end do
  print '(a, f20.16)', 'gamma ', gamma
  print '(a, f20.16)', '1 - 1/e ', 1/(1 + fraction)
end program
