! Vectors for dihedral.c.
subroutine cross(a, b, result) bind(c)
  use iso_c_binding
  real(c_double), intent(in) :: a(3), b(3)
  real(c_double), intent(out) :: result(3)
  result(1) = a(2) * b(3) - a(3) * b(2) ! CAUSE
  result(2) = a(3) * b(1) - a(1) * b(3) ! CAUSE
  result(3) = a(1) * b(2) - a(2) * b(1) ! CAUSE
end subroutine

function product(a, b) bind(c) result(sum)
  use iso_c_binding
  real(c_double), intent(in) :: a(3), b(3)
  real(c_double) :: sum
  sum = a(1) * b(1) + a(2) * b(2) + a(3) * b(3)
end function
