! Allocatable and pointer arrays: growth by reallocation, move_alloc, automatic arrays, linked lists,
! assumed shape with strides, LU decomposition.
module linear
  implicit none
contains
  subroutine solve(a, b, determinant)
    real(8), intent(inout) :: a(:, :), b(:)
    real(8), intent(out) :: determinant
    real(8) :: row(size(b)), pivot
    integer :: n, k, i, p
    n = size(b)
    determinant = 1
    do k = 1, n
      p = k - 1 + maxloc(abs(a(k:n, k)), dim=1)
      if (p /= k) then
        row = a(k, :); a(k, :) = a(p, :); a(p, :) = row
        pivot = b(k); b(k) = b(p); b(p) = pivot
        determinant = -determinant
      end if
      determinant = determinant * a(k, k)
      do i = k + 1, n
        a(i, k) = a(i, k) / a(k, k)
        a(i, k + 1:n) = a(i, k + 1:n) - a(i, k) * a(k, k + 1:n)
        b(i) = b(i) - a(i, k) * b(k)
      end do
    end do
    do k = n, 1, -1
      b(k) = (b(k) - dot_product(a(k, k + 1:n), b(k + 1:n))) / a(k, k)
    end do
  end subroutine
end module

program allocatables
  use linear
  implicit none
  type :: node
    real(8) :: value
    type(node), pointer :: next => null()
  end type
  real(8), allocatable :: a(:, :), b(:), grown(:), bigger(:)
  real(8), pointer :: view(:)
  real(8), target :: store(30)
  type(node), pointer :: head, item
  real(8) :: d
  integer :: i, j, n
  real(8), volatile :: seed = 0.21d0

  do n = 3, 9, 3
    allocate (a(n, n), b(n))
    do j = 1, n
      a(:, j) = [(1 / (i + j - seed), i = 1, n)]
      a(j, j) = a(j, j) + 1
    end do
    b = [(cos(i * seed), i = 1, n)]
    call solve(a, b, d)
    print '(es24.16,3(1x,z16.16))', d, b(1), b(n), a(n, 1)
    deallocate (a, b)
  end do
  allocate (grown(0))
  do i = 1, 40
    grown = [grown, exp(-i * seed)]
    if (mod(i, 10) == 0) then
      allocate (bigger(2 * size(grown)))
      bigger(1:size(grown)) = grown / 2
      bigger(size(grown) + 1:) = grown(size(grown):1:-1)
      call move_alloc(bigger, grown)
      print '(i5,1x,z16.16)', size(grown), sum(grown)
    end if
  end do
  store = [(sqrt(real(i, 8)) * seed, i = 1, 30)]
  view => store(3:30:4)
  view = view * 2 - store(1:7)
  print '(3(1x,z16.16))', view, store(7:9)
  nullify (head)
  do i = 1, 8
    allocate (item)
    item%value = store(i) / 3
    item%next => head
    head => item
  end do
  d = 0
  do while (associated(head))
    d = d / 2 + head%value
    item => head%next
    deallocate (head)
    head => item
  end do
  print '(es24.16)', d
end program
