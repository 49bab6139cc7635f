! args: 1e-11 360 250000
! The monthly rate of a loan, and what is left after half of the time.
program annuity
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  character(16) :: word
  real(dp) :: rate, sum, growth, payment, left
  integer :: months, i
  call get_command_argument(1, word)
  read (word, *) rate
  call get_command_argument(2, word)
  read (word, *) months
  call get_command_argument(3, word)
  read (word, *) sum
  growth = (1 + rate)**months
  payment = sum*rate*growth/(growth - 1)
  left = sum
  do i = 1, months/2
    left = left*(1 + rate) - payment
  end do
  print '(a, f14.6)', 'payment ', payment
  print '(a, f16.4)', 'left    ', left
end program
