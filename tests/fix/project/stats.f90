module stats
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  ! the mean of exp over [0, x], minus nothing: (exp(x) - 1)/x
  function growth(x) result(y)
    real(dp), intent(in) :: x
    real(dp) :: y
    y = (exp(x) - 1.0_dp) / x
  end function growth

  function area(a, b) result(s)
    real(dp), intent(in) :: a, b
    real(dp) :: s
    s = a * b
  end function area
end module stats
