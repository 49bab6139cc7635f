! lostbits: stdin=3.5 1.25e-3, 42 -7.0D2
! Formatted, list-directed, namelist and internal I/O; unformatted scratch files.
program input_output
  implicit none
  real(8) :: a, b, c, values(5), back(5)
  real(4) :: x, y(3)
  integer :: k, i, unit
  character(80) :: text
  logical :: near
  namelist /settings/ a, x, k

  read *, a, b, k, c
  print '(3(1x,es24.16),i5)', a, b, c, k
  values = [(a / i + b * i - c * 1d-2, i = 1, 5)]
  x = real(a, 4) / 7
  do i = 1, 5
    write (text, '(es25.17)') values(i)
    read (text, *) back(i)
    near = abs(back(i) - values(i)) <= 0
    write (*, '(a,1x,l1,1x,f14.6,1x,g20.10,1x,e15.7,1x,z16.16)') trim(text), near, values(i), back(i), values(i) * x, back(i) * 3
  end do
  open (newunit=unit, status='scratch', form='unformatted')
  write (unit) values, x
  write (unit) values(5:1:-1)
  rewind (unit)
  values = -1
  read (unit) values, y(1)
  read (unit) back
  close (unit)
  print '(5(1x,z16.16))', values * back
  print '(z8.8)', y(1) * 3
  open (newunit=unit, status='scratch')
  write (unit, '(3f12.5)') x, x * 2, x / 3
  rewind (unit)
  read (unit, '(3f12.5)') y
  print '(3(1x,z8.8))', y + 0.1
  write (text, '(a)') '&settings a=2.5e1, x=0.3, k=9 /'
  read (text, nml=settings)
  print '(es24.16,es16.8,i4)', a / 3, x / 3, k
  write (0, '(a,es24.16)') 'to stderr ', sum(values)
end program
