; Mode `search` has no shadows: an operation appends site, operands and result to the trace. A minimum only moves a value.
; RUN: search O0

declare double @llvm.minnum.f64(double, double)

; CHECK-LABEL: define double @sum(
; CHECK: %s = fadd double %x, %y
; CHECK: load i64, ptr @__lostbits_search_trace
; CHECK: store double %x, ptr
; CHECK: store double %y, ptr
; CHECK: store double %s, ptr
; CHECK: ret double %s
define double @sum(double %x, double %y) {
  %s = fadd double %x, %y
  ret double %s
}

; CHECK-LABEL: define double @least(
; CHECK-NEXT: %s = call double @llvm.minnum.f64(double %x, double %y)
; CHECK-NEXT: ret double %s
define double @least(double %x, double %y) {
  %s = call double @llvm.minnum.f64(double %x, double %y)
  ret double %s
}
