! args: 24 0.93
! A Chebyshev polynomial from its coefficients of powers, and by its recurrence.
program chebyshev
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  character(16) :: word
  real(dp) :: t(0:60, 0:60), x, value, last, now, next
  integer :: n, i, k
  call get_command_argument(1, word)
  read (word, *) n
  call get_command_argument(2, word)
  read (word, *) x
  t = 0
  t(0, 0) = 1
  t(1, 1) = 1
  do i = 2, n
    do k = 0, i
      t(k, i) = -t(k, i - 2)
      if (k > 0) t(k, i) = t(k, i) + 2*t(k - 1, i - 1)
    end do
  end do
  value = t(n, n)
  do k = n - 1, 0, -1
    value = value*x + t(k, n)
  end do
  last = 1
  now = x
  do i = 2, n
    next = 2*x*now - last
    last = now
    now = next
  end do
  print '(a, f18.14)', 'by powers     ', value
  print '(a, f18.14)', 'by recurrence ', now
end program
