module solve
  use iso_c_binding, only: c_double
  implicit none
contains
  ! The determinant of a 2x2 matrix.
  function determinant(a, b, c, d) bind(c) result(det)
    real(c_double), value :: a, b, c, d
    real(c_double) :: det
    det = a*d - b*c
  end function determinant
end module solve
