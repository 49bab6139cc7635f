! The wave equation in two dimensions by leapfrog steps.
program wave
  implicit none
  integer, parameter :: n = 200
  real(8) :: u(n, n), before(n, n), next(n, n)
  integer :: steps, step, i, j
  character(32) :: word
  steps = 8000
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) steps
  end if
  do j = 1, n
    do i = 1, n
      u(i, j) = exp(-0.01d0 * ((i - 60)**2 + (j - 90)**2))
    end do
  end do
  before = u
  next = 0
  do step = 1, steps
    do j = 2, n - 1
      do i = 2, n - 1
        next(i, j) = 2 * u(i, j) - before(i, j) &
          + 0.2d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j))
      end do
    end do
    before = u
    u = next
  end do
  print '(f12.6)', sum(u * u)
end program
