! args: 2000 12
! A parabola through measurements of twelve years, by the normal equations.
program fit
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  character(32) :: word
  real(dp) :: start, x, y, factor, a(3, 4), c(3)
  integer :: n, i, j, k
  call get_command_argument(1, word)
  read (word, *) start
  call get_command_argument(2, word)
  read (word, *) n
  a = 0
  do i = 0, n - 1
    x = start + i
    y = 3 + 0.25_dp*i + 0.125_dp*mod(i*i, 7)
    do j = 1, 3
      do k = 1, 3
        a(j, k) = a(j, k) + x**(j + k - 2)
      end do
      a(j, 4) = a(j, 4) + y*x**(j - 1)
    end do
  end do
  do k = 1, 3
    do i = k + 1, 3
      factor = a(i, k)/a(k, k)
      do j = k, 4
        a(i, j) = a(i, j) - factor*a(k, j)
      end do
    end do
  end do
  do k = 3, 1, -1
    c(k) = a(k, 4)
    do j = k + 1, 3
      c(k) = c(k) - a(k, j)*c(j)
    end do
    c(k) = c(k)/a(k, k)
  end do
  print '(es22.14)', c(3)
  print '(es22.14)', c(1) + c(2)*start + c(3)*start**2
end program
