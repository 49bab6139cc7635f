!mod$ v1 sum:5aa426f2dfe827c3
module shallow
integer(4),parameter::dp=8_4
intrinsic::kind
integer(4),parameter::n=2000_4
contains
subroutine advance(h,q,rate)
real(8),intent(inout)::h(1_8:2000_8)
real(8),intent(inout)::q(1_8:2000_8)
real(8),intent(in)::rate
end
end
