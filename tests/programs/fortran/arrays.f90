! Array expressions, sections with strides, masks, where and forall, elemental functions, reshapes.
program arrays
  implicit none
  real(8) :: a(40), b(40), m(6, 6), n(6, 6), v(6)
  real(4) :: f(40)
  real(8), allocatable :: packed(:)
  integer :: i, order(6)
  real(8), volatile :: seed = 0.37d0

  a = [(sin(i * seed), i = 1, 40)]
  b = a(40:1:-1) * 2 - cos(a)
  f = real(b, 4) / 3.0
  a(1:39:2) = a(2:40:2) + b(1:20)
  where (a > 0.5d0)
    b = sqrt(a)
  elsewhere (a < -0.5d0)
    b = a * a
  elsewhere
    b = b / 7
  end where
  m = reshape(a(1:36), [6, 6])
  n = transpose(m) * 0.5d0 + spread(a(1:6), 1, 6)
  v = matmul(m, n(:, 3))
  m(2:5, 2:5) = m(1:4, 1:4) + n(3:6, 3:6)
  forall (i = 1:6) n(i, i) = n(i, i) + i * seed
  order = [4, 2, 6, 1, 5, 3]
  v = v(order) + half(v)
  packed = pack(b, b > 0.2d0)
  print '(3(1x,es24.16))', a(1:12)
  print '(3(1x,es24.16))', b(1:40:4)
  print '(3(1x,z16.16))', m(:, 3), n(2, :), v
  print '(4(1x,z8.8))', f(1:40:5)
  print '(i4,2(1x,es24.16))', size(packed), sum(packed), product(packed(1:5))
  print '(3(1x,es24.16))', cshift(v, 2), eoshift(v, -1, seed)
  print '(2(1x,es24.16),2i4)', maxval(a), minval(b, mask=b > 0.3d0), maxloc(a), minloc(m(:, 2))
  print '(2(1x,es24.16),l2)', norm2(v), dot_product(v, n(1, :)), any(a > 1)
contains
  elemental real(8) function half(x)
    real(8), intent(in) :: x
    half = x / 2 + exp(-abs(x))
  end function
end program
