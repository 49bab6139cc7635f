! args: 1.3 12
! Bessel functions by the recurrence forwards (unstable) and backwards (stable).
program bessel
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  character(32) :: word
  real(dp) :: x, j0, j1, older, old, new, norm, wanted
  integer :: n, k
  call get_command_argument(1, word)
  read (word, *) x
  call get_command_argument(2, word)
  read (word, *) n
  norm = 0
  wanted = 0
  j0 = 0
  j1 = 0
  older = 0
  old = 1.0e-30_dp
  do k = 40, 1, -1
    new = 2*k/x*old - older
    older = old
    old = new
    if (k - 1 == n) wanted = new
    if (k - 1 == 1) j1 = new
    if (k - 1 == 0) j0 = new
    if (mod(k - 1, 2) == 0 .and. k > 1) norm = norm + 2*new
  end do
  norm = norm + j0
  wanted = wanted/norm
  older = j0/norm
  old = j1/norm
  do k = 1, n - 1
    new = 2*k/x*old - older
    older = old
    old = new
  end do
  print '(a, es22.14)', 'forwards  ', old
  print '(a, es22.14)', 'backwards ', wanted
end program
