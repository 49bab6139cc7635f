! Modules, derived types with FP components, type extension and type-bound procedures, operators.
module bodies
  implicit none
  integer, parameter :: wp = kind(1.0d0)
  real(wp), save :: total_energy = 0.0_wp
  type :: vector
    real(wp) :: x = 0, y = 0, z = 0
  end type
  type :: body
    type(vector) :: at, speed
    real(wp) :: mass
    real(4) :: colour(3)
  contains
    procedure :: energy => body_energy
  end type
  type, extends(body) :: charged
    real(wp) :: charge
  contains
    procedure :: energy => charged_energy
  end type
  interface operator(+)
    module procedure add
  end interface
  interface operator(*)
    module procedure scale, dot
  end interface
contains
  pure type(vector) function add(a, b)
    type(vector), intent(in) :: a, b
    add = vector(a%x + b%x, a%y + b%y, a%z + b%z)
  end function
  pure type(vector) function scale(s, a)
    real(wp), intent(in) :: s
    type(vector), intent(in) :: a
    scale = vector(s * a%x, s * a%y, s * a%z)
  end function
  pure real(wp) function dot(a, b)
    type(vector), intent(in) :: a, b
    dot = a%x * b%x + a%y * b%y + a%z * b%z
  end function
  real(wp) function body_energy(this)
    class(body), intent(in) :: this
    body_energy = this%mass * (this%speed * this%speed) / 2
  end function
  real(wp) function charged_energy(this)
    class(charged), intent(in) :: this
    charged_energy = this%body%energy() + this%charge / sqrt(this%at * this%at)
  end function
end module

program main
  use bodies
  implicit none
  type(charged) :: swarm(8)
  class(body), allocatable :: any_body
  real(wp), volatile :: seed = 0.3_wp
  integer :: i, step
  do i = 1, 8
    swarm(i)%at = vector(cos(i * seed), sin(i * seed), i * 0.1_wp)
    swarm(i)%speed = vector(-i * seed, 1.0_wp / i, 0.25_wp)
    swarm(i)%mass = 1 + i * seed
    swarm(i)%colour = [0.1, 0.2, real(i)]
    swarm(i)%charge = (-1)**i * seed
  end do
  do step = 1, 15
    do i = 1, 8
      swarm(i)%speed = swarm(i)%speed + (-0.05_wp) * swarm(i)%at
      swarm(i)%at = swarm(i)%at + 0.05_wp * swarm(i)%speed
      swarm(i)%colour = swarm(i)%colour * 0.9 + swarm(mod(i, 8) + 1)%colour / 10
    end do
  end do
  do i = 1, 8
    total_energy = total_energy + swarm(i)%energy()
    print '(z16.16,1x,z16.16,1x,z8.8,1x,es24.16)', swarm(i)%at%x, swarm(i)%speed%y, swarm(i)%colour(2), swarm(i)%energy()
  end do
  allocate (any_body, source=swarm(3))
  any_body%mass = any_body%mass * 2
  print '(2(1x,es24.16))', total_energy, any_body%energy()
end program
