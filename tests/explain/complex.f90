! Functions of complex numbers in both kinds.
program complex_functions
  implicit none
  complex(8) :: z, q
  complex :: s, t
  real(8) :: x, y
  integer :: n
  character(16) :: way, word
  call get_command_argument(1, way)
  call get_command_argument(2, word)
  read (word, *) x
  call get_command_argument(3, word)
  read (word, *) n
  y = x*0.25d0
  z = cmplx(x, y, 8)
  s = cmplx(0.7, 0.21 + real(x))
  t = cmplx(0.3, -1.0)
  select case (way)
  case ('exponential')
    q = exp(z) - 1 ! CAUSE exponential
    print '(es24.16)', real(q) ! REACHED exponential
  case ('power')
    q = cmplx(1 + 2d0**(-30), y, 8)**n - 1 ! CAUSE power
    print '(es24.16)', real(q) ! REACHED power
  case ('quotient')
    t = s/t ! CAUSE quotient
    print '(es16.8)', real(t) ! REACHED quotient
  end select
end program
