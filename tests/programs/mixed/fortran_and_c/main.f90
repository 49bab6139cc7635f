module interop
  use iso_c_binding
  implicit none
  type, bind(C) :: record
    real(c_double) :: x
    real(c_float) :: y
    integer(c_int) :: n
  end type
  interface
    real(c_double) function c_apply(f, x, y) bind(C)
      import
      type(c_funptr), value :: f
      real(c_double), value :: x
      real(c_float), value :: y
    end function
    subroutine c_update(r, factor) bind(C)
      import
      type(record), intent(inout) :: r
      real(c_double), value :: factor
    end subroutine
    complex(c_double_complex) function c_rotate(z, angle) bind(C)
      import
      complex(c_double_complex), value :: z
      real(c_double), value :: angle
    end function
    real(c_double) function c_calls_back(v, n) bind(C)
      import
      real(c_double), intent(inout) :: v(*)
      integer(c_int), value :: n
    end function
  end interface
contains
  real(c_double) function fortran_norm(v, n) bind(C)
    integer(c_int), value :: n
    real(c_double), intent(in) :: v(n)
    fortran_norm = sqrt(sum(v * v))
  end function
  real(c_double) function curve(x) bind(C)
    real(c_double), value :: x
    curve = log(1 + x) / 3
  end function
end module

program main
  use interop
  use iso_fortran_env, only: output_unit
  implicit none
  real(8) :: v(12), x
  type(record) :: r
  complex(8) :: z
  integer :: i
  real(8), volatile :: seed = 0.8d0
  v = [(i * seed, i = 1, 12)]
  r = record(seed, 0.3, 0)
  z = (0.6d0, 0.1d0)
  x = seed
  do i = 1, 10
    x = c_apply(c_funloc(curve), x, 0.7) + c_calls_back(v, 12) * 0.01d0
    call c_update(r, x)
    z = c_rotate(z, x) + r%y
    print '(3(1x,z16.16),1x,z8.8,i4)', x, z, r%y, r%n
    flush (output_unit)
  end do
end program
