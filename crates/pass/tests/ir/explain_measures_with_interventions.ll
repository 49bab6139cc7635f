; Mode `explain` in a program for the runs of an error budget: no events for operations and no question about underflows, but each
; operation reads the byte of its site, which leaves out its own error or what it inherits.
; RUN: explain O0 LOSTBITS_MEASURE=1

; CHECK-NOT: @__lostbits_explain_report
; CHECK-NOT: @__lostbits_explain_underflow

; CHECK-LABEL: define double @product(
; CHECK: %p = fmul double %x, %y
; CHECK: [[BYTE:%.+]] = load i8, ptr
; CHECK: [[OWN:%.+]] = and i8 [[BYTE]], 1
; CHECK: [[WITHOUTOWN:%.+]] = icmp ne i8 [[OWN]], 0
; CHECK: [[INHERITED:%.+]] = and i8 [[BYTE]], 2
; CHECK: [[WITHOUTINHERITED:%.+]] = icmp ne i8 [[INHERITED]], 0
; CHECK: [[CARRIED:%.+]] = select i1 [[WITHOUTINHERITED]], double 0.000000e+00, double %
; CHECK: [[ERROR:%.+]] = select i1 [[WITHOUTOWN]], double 0.000000e+00, double %
; CHECK: fadd double [[CARRIED]], [[ERROR]]
; CHECK: ret double %p
define double @product(double %x, double %y) {
  %p = fmul double %x, %y
  ret double %p
}
