! Fortran: whole-array expressions, intrinsics and a module procedure (shallow water in one dimension).
module shallow
  implicit none
  integer, parameter :: dp = kind(1.0d0), n = 2000
contains
  subroutine advance(h, q, rate)
    real(dp), intent(inout) :: h(n), q(n)
    real(dp), intent(in) :: rate
    real(dp) :: flux(n), hl(n), ql(n)
    flux = q * q / h + 4.905_dp * h * h
    hl = 0.5_dp * (cshift(h, 1) + cshift(h, -1)) - rate * (cshift(q, 1) - cshift(q, -1))
    ql = 0.5_dp * (cshift(q, 1) + cshift(q, -1)) - rate * (cshift(flux, 1) - cshift(flux, -1))
    where (hl > 0.1_dp)
      h = hl
      q = ql
    elsewhere
      h = 0.1_dp
      q = 0.0_dp
    end where
  end subroutine advance
end module shallow

program arrays
  use shallow
  implicit none
  real(dp) :: h(n), q(n), work(64, 64), other(64, 64)
  integer :: i, j, step, steps
  character(len=32) :: argument
  steps = 36000
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) steps
  end if
  do i = 1, n
    h(i) = 1.0_dp + 0.2_dp * exp(-((i - 700) / 60.0_dp)**2)
    q(i) = 0.0_dp
  end do
  do step = 1, steps
    call advance(h, q, 0.05_dp)
  end do
  do j = 1, 64
    do i = 1, 64
      work(i, j) = sin(0.1_dp * i * j)
    end do
  end do
  do step = 1, steps / 60
    other = matmul(work, transpose(work))
    work = work + 1.0e-6_dp * other / maxval(abs(other))
  end do
  write (*, '(a,3es25.17)') 'arrays', sum(h), dot_product(h, q), sum(work)
end program arrays
