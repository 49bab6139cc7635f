! Recursive functions, procedures as arguments, procedure pointers, internal procedures that share
! their host's variables.
module quadrature
  implicit none
  abstract interface
    real(8) function curve(x)
      real(8), intent(in) :: x
    end function
  end interface
contains
  recursive real(8) function adaptive(f, a, b, tolerance, depth) result(area)
    procedure(curve) :: f
    real(8), intent(in) :: a, b, tolerance
    integer, intent(in) :: depth
    real(8) :: m, whole, halves
    m = (a + b) / 2
    whole = (b - a) * (f(a) + f(b)) / 2
    halves = (b - a) * (f(a) + 2 * f(m) + f(b)) / 4
    if (depth == 0 .or. abs(whole - halves) < tolerance) then
      area = halves + (halves - whole) / 3
    else
      area = adaptive(f, a, m, tolerance / 2, depth - 1) + adaptive(f, m, b, tolerance / 2, depth - 1)
    end if
  end function
  real(8) function bell(x)
    real(8), intent(in) :: x
    bell = exp(-x * x)
  end function
  real(8) function wave(x)
    real(8), intent(in) :: x
    wave = sin(5 * x) / (1 + x)
  end function
  recursive subroutine hanoi(n, cost, weight)
    integer, intent(in) :: n
    real(8), intent(inout) :: cost
    real(4), value :: weight
    if (n == 0) return
    call hanoi(n - 1, cost, weight * 0.9)
    cost = cost * 1.001d0 + weight
    call hanoi(n - 1, cost, weight * 1.1)
  end subroutine
end module

program main
  use quadrature
  implicit none
  procedure(curve), pointer :: f
  real(8) :: cost, shift
  integer :: i
  real(8), volatile :: seed = 1.9d0
  do i = 1, 4
    if (mod(i, 2) == 0) then
      f => bell
    else
      f => wave
    end if
    print '(es24.16,1x,z16.16)', adaptive(f, 0d0, seed * i, 1d-6, 12), f(seed)
  end do
  do i = 1, 4
    shift = i * 0.3d0
    print '(es24.16)', adaptive(shifted, 0d0, seed, 1d-6, 12)
  end do
  cost = seed
  call hanoi(9, cost, 0.5)
  print '(z16.16)', cost
  print '(es24.16)', ackermann(2, 3) / 7
contains
  real(8) function shifted(x)
    real(8), intent(in) :: x
    shifted = sqrt(x + shift) - shift
  end function
  recursive real(8) function ackermann(m, n) result(a)
    integer, intent(in) :: m, n
    if (m == 0) then
      a = n + 1
    else if (n == 0) then
      a = ackermann(m - 1, 1)
    else
      a = ackermann(m - 1, int(ackermann(m, n - 1)))
    end if
  end function
end program
