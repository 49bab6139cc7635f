! args: 0.02 4000 250000
! An exponential moving average and the volatility about it.
program moving
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  character(32) :: word
  real(dp) :: alpha, level, price, average, square, volatility
  integer :: n, i
  call get_command_argument(1, word)
  read (word, *) alpha
  call get_command_argument(2, word)
  read (word, *) n
  call get_command_argument(3, word)
  read (word, *) level
  average = level
  square = level*level
  do i = 1, n
    price = level + 0.01_dp*mod(i*31, 17)
    average = average + alpha*(price - average)
    square = square + alpha*(price*price - square)
  end do
  volatility = square - average*average
  print *, 'average', average
  print *, 'volatility', volatility
end program
