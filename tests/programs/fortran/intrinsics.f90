! Numeric intrinsics in both kinds: elementary functions, inquiry, manipulation of exponents, rounding.
program intrinsics
  implicit none
  integer :: i
  real(8) :: x, y, t
  real(4) :: f
  real(8), volatile :: seed = 0.43d0
  do i = 1, 6
    x = seed * i / 3
    y = 2.5d0 - x
    f = real(x, 4)
    print '(4(1x,z16.16))', sin(x), cos(x), tan(x), exp(x), log(y), log10(y), sqrt(y), atan(x)
    print '(4(1x,z16.16))', asin(x / 2), acos(x / 2), sinh(x), cosh(x), tanh(x), atan2(y, x), x**y, x**3
    print '(4(1x,z16.16))', mod(y, x), modulo(-y, x), sign(x, -y), dim(y, x), abs(-x), aint(y * 3), anint(y * 3), erf(x)
    print '(4(1x,z16.16))', gamma(y), log_gamma(y), hypot(x, y), bessel_j0(x), fraction(y), scale(x, 5), nearest(x, 1d0), spacing(x)
    print '(4(1x,z8.8))', sin(f), exp(f), f**2.5, mod(7.5, f), sqrt(f), log(f), tanh(f), real(int(f * 100))
    print '(6i12)', int(y * 1000), nint(y * 1000), floor(-y), ceiling(x), exponent(y), transfer(f, 1)
    t = max(x, y, 1.1d0) - min(x, y)
    print '(z16.16,1x,z16.16,1x,l1)', t, dble(f) * dprod(f, 2.0), x == y
  end do
  print '(es24.16,es16.8,2i6)', epsilon(x), tiny(f), precision(x), maxexponent(f)
end program
