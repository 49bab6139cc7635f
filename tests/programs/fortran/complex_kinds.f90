! Complex arithmetic in two kinds, real(10), conversions between kinds, polar forms, roots.
program complex_kinds
  implicit none
  complex(4) :: c4(10)
  complex(8) :: c8(10), z, roots(3)
  real(10) :: x10, s10
  real(8) :: x8
  real(4) :: x4
  integer :: i, k
  real(8), volatile :: seed = 0.7d0

  z = cmplx(seed, 0.2d0, 8)
  do i = 1, 10
    z = z * z / (1.5d0, -0.5d0) + exp(z) * 0.3d0
    if (abs(z) > 4) z = z / abs(z)
    c8(i) = z
    c4(i) = cmplx(sqrt(z) + log(z + 2), kind=4) * (0.0, 1.0)
    print '(2(1x,z16.16),2(1x,z8.8))', z, c4(i)
  end do
  print '(2(1x,es24.16))', sum(c8), dot_product(c8, c8(10:1:-1)), z**3, z**seed, conjg(z)
  print '(2(1x,es15.8))', product(c4(1:4)), sin(c4(1)), aimag(c4(2)), real(c4(3))
  roots = [(exp(cmplx(0, 2 * acos(-1d0) * k / 3, 8)), k = 0, 2)]
  do k = 1, 3
    do i = 1, 6
      roots(k) = roots(k) - (roots(k)**3 - (2d0, 1d0)) / (3 * roots(k)**2)
    end do
    print '(2(1x,z16.16),1x,es24.16)', roots(k), abs(roots(k)**3 - (2d0, 1d0))
  end do
  s10 = 0
  x10 = seed
  do i = 1, 20
    x10 = x10 / 3 + 1.0_10 / i
    s10 = s10 + x10 * x10
    x8 = real(s10, 8)
    x4 = real(s10 * 1.1_10, 4)
    print '(1x,es30.21,1x,z16.16,1x,z8.8,1x,i8)', s10, x8, x4, int(s10 * 1000)
  end do
end program
