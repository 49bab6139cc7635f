! args: 0.01 1000
! Three bodies by leapfrog: positions to nine places, and the change of energy.
module bodies
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: n = 3
  real(dp) :: m(n), x(3, n), v(3, n), a(3, n)
contains
  subroutine accelerate()
    integer :: i, j, k
    real(dp) :: d(3), r2, w
    a = 0
    do i = 1, n
      do j = 1, n
        if (i == j) cycle
        r2 = 0
        do k = 1, 3
          d(k) = x(k, j) - x(k, i)
          r2 = r2 + d(k)*d(k)
        end do
        w = m(j)/(r2*sqrt(r2))
        do k = 1, 3
          a(k, i) = a(k, i) + w*d(k)
        end do
      end do
    end do
  end subroutine
  real(dp) function energy()
    integer :: i, j
    real(dp) :: r
    energy = 0
    do i = 1, n
      energy = energy + m(i)*(v(1, i)**2 + v(2, i)**2 + v(3, i)**2)/2
      do j = i + 1, n
        r = sqrt((x(1, i) - x(1, j))**2 + (x(2, i) - x(2, j))**2 + (x(3, i) - x(3, j))**2)
        energy = energy - m(i)*m(j)/r
      end do
    end do
  end function
end module

program nbody
  use bodies
  implicit none
  character(32) :: word
  real(dp) :: h, before, change
  integer :: steps, step, i, k
  call get_command_argument(1, word)
  read (word, *) h
  call get_command_argument(2, word)
  read (word, *) steps
  m = [1.0_dp, 1.0e-3_dp, 3.0e-4_dp]
  x = 0
  v = 0
  x(1, 2) = 1
  v(2, 2) = 1
  x(2, 3) = 5.2_dp
  v(1, 3) = -0.4385_dp
  v(3, 3) = 0.01_dp
  before = energy()
  call accelerate()
  do step = 1, steps
    do i = 1, n
      do k = 1, 3
        v(k, i) = v(k, i) + h/2*a(k, i)
        x(k, i) = x(k, i) + h*v(k, i)
      end do
    end do
    call accelerate()
    do i = 1, n
      do k = 1, 3
        v(k, i) = v(k, i) + h/2*a(k, i)
      end do
    end do
  end do
  change = energy()/before - 1
  print '(3f14.9)', x(1, 2), x(2, 2), x(3, 2)
  print '(a, es20.12)', 'change ', change
end program
