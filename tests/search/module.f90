! What `--all` finds in Fortran.
module numbers
contains
  function versine(x) result(y)
    real(8), intent(in) :: x
    real(8) :: y
    y = (1.0d0 - cos(x)) / (x * x)
  end function

  subroutine split(x, whole, rest)
    real(8), intent(in) :: x
    real(8), intent(out) :: whole, rest
    whole = 2 * x
    rest = (x + 1.0d0) - x
  end subroutine
end module
