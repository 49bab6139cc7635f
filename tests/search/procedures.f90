! Fortran passes addresses, unless it is declared to pass values.
function versine(x) result(y)
  real(8), intent(in) :: x
  real(8) :: y
  y = (1.0d0 - cos(x)) / (x * x) ! guilty
end function

subroutine difference(x, n, v, y, by_value)
  integer, intent(in) :: n
  real(8), intent(in) :: x, v(n)
  real(8), intent(out) :: y
  real(8), value :: by_value
  y = sum(v) - x + by_value
end subroutine

module procedures
contains
  function in_module(x) result(y)
    real(8), intent(in) :: x
    real(8) :: y
    y = sqrt(x + 1.0d0) - sqrt(x)
  end function

  function described(v) result(y)
    real(8), intent(in) :: v(:)
    real(8) :: y
    y = v(1) - v(2)
  end function

  function like_c(x) bind(C, name="like_c") result(y)
    use iso_c_binding
    real(c_double), value :: x
    real(c_double) :: y
    y = (x + 1.0d0) - x
  end function
end module
