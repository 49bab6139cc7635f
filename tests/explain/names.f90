! Variables of Fortran: arguments, elements, components, a module's variable.
module numbers
  implicit none
  real(8) :: base = 1d8
  type point
    real(8) :: x, y
  end type
contains
  function given(k) result(x)
    integer, intent(in) :: k
    real(8) :: x
    character(32) :: text
    call get_command_argument(k, text)
    read (text, *) x
  end function

  function of_elements(a, i) result(r)
    real(8), intent(in) :: a(8)
    integer, intent(in) :: i
    real(8) :: r
    r = (a(i) + a(i + 1)) - a(i) ! CAUSE elements
  end function

  function of_grid(g, i, j) result(r)
    real(8), intent(in) :: g(4, 4)
    integer, intent(in) :: i, j
    real(8) :: r
    r = (g(i, j) + g(4, 1)) - g(i, j) ! CAUSE grid
  end function

  function of_components(p, small) result(r)
    type(point), intent(in) :: p
    real(8), intent(in) :: small
    real(8) :: r
    r = (p%x + small) - p%x ! CAUSE components
  end function

  function of_module(small) result(r)
    real(8), intent(in) :: small
    real(8) :: r
    r = (base + small) - base ! CAUSE module
  end function
end module

program names
  use numbers
  implicit none
  integer :: i, k
  real(8) :: list(8), grid(4, 4), large, small
  type(point) :: p
  ! Three pairs of a large number and a small one.
  do k = 1, 3
    large = given(2 * k - 1)
    small = given(2 * k)
    do i = 1, 8
      list(i) = merge(large, small, mod(i, 2) == 1)
    end do
    grid = small
    grid(k, k) = large
    p%x = large
    p%y = small
    base = large
    print *, of_elements(list, 2 * k - 1)
    print *, of_grid(grid, k, k)
    print *, of_components(p, small)
    print *, of_module(small)
  end do
end program
