! A variance of numbers that stand in the source.
program folded
  implicit none
  real(8) :: x(5), total, squares
  integer :: i
  x = [1d8 + 0.1d0, 1d8 + 0.2d0, 1d8 + 0.3d0, 1d8 + 0.4d0, 1d8 + 0.5d0]
  total = 0
  squares = 0
  do i = 1, 5
    total = total + x(i)
    squares = squares + x(i) * x(i)
  end do
  print *, (squares - total * total / 5) / 4 ! CAUSE, REACHED
  print *, 0.25d0 ! WRITTEN
end program
