module kinds
  implicit none
  integer, parameter :: dp = kind(1.0d0)
end module kinds
