; Mode `symbolic`: an operation records a node from the nodes of its operands, in their order.
; RUN: symbolic O0

; CHECK-LABEL: define double @difference(
; CHECK: [[Y:%.+]] = select i1 {{.*}}, i64 {{.*}}, i64 0
; CHECK: [[X:%.+]] = select i1 {{.*}}, i64 {{.*}}, i64 0
; CHECK: [[XN:%.+]] = trunc i64 [[X]] to i32
; CHECK: [[YN:%.+]] = trunc i64 [[Y]] to i32
; CHECK: call i32 @__lostbits_symbolic_operate(ptr {{.*}}, i32 [[XN]], i32 [[YN]], i32 0, double %x, double %y, double 0.000000e+00, double %s)
define double @difference(double %x, double %y) {
  %s = fsub double %x, %y
  ret double %s
}

; An integer that is only compared with a constant is tracked; the comparison is recorded.
; CHECK-LABEL: define i1 @compared(
; CHECK: %i = fptosi double %x to i32
; CHECK: call i32 @__lostbits_symbolic_operate(
; CHECK: call void @__lostbits_symbolic_compare(
define i1 @compared(double %x) {
  %i = fptosi double %x to i32
  %c = icmp sgt i32 %i, 7
  ret i1 %c
}
