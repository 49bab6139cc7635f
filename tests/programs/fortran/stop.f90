! lostbits: stdin=0.3
! lostbits: status=2
! Fortran's `stop` reports on standard error which floating-point exceptions were signaled.
program stop_tells
  implicit none
  real(8) :: x, terms(100), total
  integer :: i
  read (*, *) x
  do i = 1, 100
    terms(i) = x * i
  end do
  total = 0
  do i = 1, 100
    total = total + sqrt(terms(i)) * exp(-2 * terms(i))
  end do
  print '(ES24.16)', total
  if (x > 0.25) stop 2
end program
