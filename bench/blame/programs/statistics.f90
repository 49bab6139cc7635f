! args: 76010.5 10000
! A module that keeps running sums.
module running
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  type :: sums
    integer :: n = 0
    real(dp) :: s = 0
    real(dp) :: s2 = 0
  contains
    procedure :: add
    procedure :: mean
    procedure :: variance
  end type
contains
  subroutine add(self, v)
    class(sums), intent(inout) :: self
    real(dp), intent(in) :: v
    self%n = self%n + 1
    self%s = self%s + v
    self%s2 = self%s2 + v*v
  end subroutine
  real(dp) function mean(self)
    class(sums), intent(in) :: self
    mean = self%s/self%n
  end function
  real(dp) function variance(self)
    class(sums), intent(in) :: self
    variance = self%s2/self%n - (self%s/self%n)**2
  end function
end module

program statistics
  use running
  implicit none
  type(sums) :: all
  character(32) :: word
  real(dp) :: level
  integer :: n, i
  call get_command_argument(1, word)
  read (word, *) level
  call get_command_argument(2, word)
  read (word, *) n
  do i = 1, n
    call all%add(level + 0.001_dp*mod(i*7, 5))
  end do
  print '(a, es24.15)', 'mean     ', all%mean()
  print '(a, es24.15)', 'variance ', all%variance()
end program
