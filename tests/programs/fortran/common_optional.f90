! lostbits: status=3
! Common blocks, equivalence, block data, saved variables, optional and keyword arguments, entry
! through assumed-size arrays, STOP with a code.
block data start
  real(8) :: alpha, table(5)
  real(4) :: beta
  common /shared/ alpha, table, beta
  data alpha /0.1d0/, table /1d0, 2d0, 3.5d0, -4.25d0, 0.3d0/, beta /0.7/
end block data

subroutine update(n)
  implicit none
  integer :: n
  real(8) :: alpha, table(5)
  real(4) :: beta
  common /shared/ alpha, table, beta
  real(8), save :: memory = 0.5d0
  memory = memory * 0.9d0 + table(mod(n, 5) + 1)
  alpha = alpha + memory / n
  table(mod(n + 2, 5) + 1) = alpha * beta
  beta = beta * 1.01 - real(memory, 4) * 0.001
end subroutine

real(8) function legacy(v, n)
  implicit none
  integer :: n, i
  real(8) :: v(*)
  legacy = 0
  do i = 1, n
    legacy = legacy * 0.5d0 + v(i)
  end do
end function

program common_optional
  implicit none
  real(8) :: alpha, table(5), legacy, both(4), first
  real(4) :: beta, halves(8)
  integer :: i
  external :: start
  common /shared/ alpha, table, beta
  equivalence (both(1), halves(1))
  do i = 1, 25
    call update(i)
    if (mod(i, 5) == 0) print '(z16.16,1x,z16.16,1x,z8.8)', alpha, table(3), beta
  end do
  print '(es24.16)', legacy(table, 5), legacy(table(2), 3)
  first = blended(alpha)
  print '(3(1x,es24.16))', first, blended(alpha, weight=0.25d0), blended(alpha, 0.1d0, power=3)
  both = table(1:4)
  halves(1) = 1.5
  halves(4) = -beta
  print '(4(1x,z16.16))', both * 2
  print '(8(1x,z8.8))', halves / 3
  stop 3
contains
  real(8) function blended(x, weight, power)
    real(8), intent(in) :: x
    real(8), intent(in), optional :: weight
    integer, intent(in), optional :: power
    blended = x
    if (present(weight)) blended = blended * weight + (1 - weight) / 3
    if (present(power)) blended = blended**power
  end function
end program
