! The same wrong number, printed with more and with fewer digits.
program printed
    implicit none
    character(32) :: how, word, form, text
    real(8) :: x, y, list(3)
    integer :: i
    call get_command_argument(1, how)
    call get_command_argument(2, word)
    read (word, *) x
    y = sqrt(x + 1) - sqrt(x) ! CAUSE
    list = [1d0, y, 2d0]
    select case (how)
    case ('fixed')
        write (*, '(A, F8.3)') 'y = ', y ! REACHED fixed
    case ('many')
        write (*, '(I4, F20.13)') 3, y ! REACHED many
    case ('mixed')
        write (*, '(2F8.2, ES24.14)') y, x, y ! REACHED mixed
    case ('general')
        print '(G12.4)', y ! REACHED general
    case ('array')
        write (*, '(3F9.4)') list ! REACHED array
    case ('long-array')
        write (*, '(*(ES20.12))') list ! REACHED long-array
    case ('loop')
        write (*, '(I3, 2(F8.3))') 1, (list(i), i=1, 3) ! REACHED loop
    case ('text')
        write (text, '(E12.3)') y ! REACHED text
        print *, trim(text)
    case ('variable')
        call get_command_argument(3, form)
        write (*, form) y ! REACHED variable
    case ('list')
        print *, y ! REACHED list
    end select
end program
