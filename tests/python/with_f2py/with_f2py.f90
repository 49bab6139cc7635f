! The smaller root of x^2 - 2 b x + 1, computed with a cancellation; and the same for all numbers of a buffer.
function root(b) result(x)
  double precision, intent(in) :: b
  double precision :: x, wide
  wide = sqrt(b * b - 1)
  x = b - wide ! PLANTED
end function

function scaled(b) result(x)
  double precision, intent(in) :: b
  double precision :: x
  x = 3 * b
end function

subroutine roots(n, numbers)
  integer, intent(in) :: n
  double precision, intent(inout) :: numbers(n)
  double precision, external :: root
  integer :: i
  do i = 1, n
    numbers(i) = root(numbers(i))
  end do
end subroutine

function total(n, numbers) result(s)
  integer, intent(in) :: n
  double precision, intent(in) :: numbers(n)
  double precision :: s
  integer :: i
  s = 0
  do i = 1, n
    s = s + numbers(i)
  end do
end function
