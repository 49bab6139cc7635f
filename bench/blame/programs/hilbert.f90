! args: 9
! A system with Hilbert's matrix by Cholesky's method.
program hilbert
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  character(8) :: word
  real(dp), allocatable :: a(:, :), b(:), x(:)
  integer :: n, i, j, k
  call get_command_argument(1, word)
  read (word, *) n
  allocate (a(n, n), b(n), x(n))
  do j = 1, n
    do i = 1, n
      a(i, j) = 1.0_dp/(i + j - 1)
    end do
    b(j) = 1.0_dp/(j + 1)
  end do
  do j = 1, n
    do k = 1, j - 1
      a(j, j) = a(j, j) - a(j, k)**2
    end do
    a(j, j) = sqrt(a(j, j))
    do i = j + 1, n
      do k = 1, j - 1
        a(i, j) = a(i, j) - a(i, k)*a(j, k)
      end do
      a(i, j) = a(i, j)/a(j, j)
    end do
  end do
  do i = 1, n
    x(i) = b(i)
    do k = 1, i - 1
      x(i) = x(i) - a(i, k)*x(k)
    end do
    x(i) = x(i)/a(i, i)
  end do
  do i = n, 1, -1
    do k = i + 1, n
      x(i) = x(i) - a(k, i)*x(k)
    end do
    x(i) = x(i)/a(i, i)
  end do
  do i = 1, n
    print '(f16.10)', x(i)
  end do
end program
