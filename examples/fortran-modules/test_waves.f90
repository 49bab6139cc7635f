program test_waves
  use kinds, only: dp
  use waves, only: curvature
  implicit none
  real(dp) :: x
  integer :: i
  x = 1.0_dp
  do i = 1, 8
    if (curvature(x) < -1.0_dp) error stop 1
    x = x / 10.0_dp
  end do
end program test_waves
