module waves
  use kinds, only: dp
  implicit none
contains
  ! (1 - cos x) / x**2, which tends to 1/2 for small x
  function curvature(x) result(c)
    real(dp), intent(in) :: x
    real(dp) :: c
    c = (1.0_dp - cos(x)) / x**2
  end function curvature
end module waves
