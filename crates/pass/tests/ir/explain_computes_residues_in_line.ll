; Mode `explain`: residues are computed in line, by error-free transformations; the runtime is called only behind a branch.
; RUN: explain O0

declare double @llvm.minnum.f64(double, double)

; The two-sum of the operands.
; CHECK-LABEL: define double @sum(
; CHECK: %s = fadd double %x, %y
; CHECK: [[OFY:%.+]] = fsub double %s, %x
; CHECK: [[OFX:%.+]] = fsub double %s, [[OFY]]
; CHECK: [[A:%.+]] = fsub double %x, [[OFX]]
; CHECK: [[B:%.+]] = fsub double %y, [[OFY]]
; CHECK: fadd double [[A]], [[B]]
; CHECK: call preserve_mostcc { double, double, i64 } @lostbits.report_in_line.Add.double.
define double @sum(double %x, double %y) {
  %s = fadd double %x, %y
  ret double %s
}

; The residue of the operand that is smaller in exact arithmetic: the same condition chooses value, residue and bound.
; CHECK-LABEL: define double @least(
; CHECK: [[YCELL:%.+]] = load volatile double, ptr
; CHECK: [[YR:%.+]] = phi double [ [[YCELL]],
; CHECK: [[XCELL:%.+]] = load volatile double, ptr
; CHECK: [[XR:%.+]] = phi double [ [[XCELL]],
; CHECK: %s = call double @llvm.minnum.f64(double %x, double %y)
; CHECK: [[FIRST:%.+]] = fcmp olt double {{%.+}}, 0.000000e+00
; CHECK: [[CHOSEN:%.+]] = select i1 [[FIRST]], double %x, double %y
; CHECK: [[RESIDUE:%.+]] = select i1 [[FIRST]], double [[XR]], double [[YR]]
; CHECK: select i1 [[FIRST]], double
; CHECK: [[LOST:%.+]] = fsub double [[CHOSEN]], %s
; CHECK: fadd double [[LOST]], [[RESIDUE]]
define double @least(double %x, double %y) {
  %s = call double @llvm.minnum.f64(double %x, double %y)
  ret double %s
}

; A conversion is checked on both sides: at the integer it gives, and at the next one.
; CHECK-LABEL: define i32 @convert(
; CHECK: %i = fptosi double %x to i32
; CHECK: [[PART:%.+]] = call double @llvm.fabs.f64(
; CHECK: [[REACH:%.+]] = fadd double
; CHECK: [[BELOW:%.+]] = fcmp ole double [[PART]], [[REACH]]
; CHECK: [[SUM:%.+]] = fadd double [[PART]], [[REACH]]
; CHECK: [[ABOVE:%.+]] = fcmp uge double [[SUM]], 1.000000e+00
; CHECK: [[EITHER:%.+]] = or i1 [[BELOW]], [[ABOVE]]
; CHECK: and i1 [[EITHER]],
; CHECK: call void @__lostbits_explain_decision(
define i32 @convert(double %x) {
  %i = fptosi double %x to i32
  ret i32 %i
}

; An atomic load and its cells are read under one lock.
; CHECK-LABEL: define double @shared(
; CHECK: call void @__lostbits_atomic_enter()
; CHECK-NEXT: %x = load atomic double, ptr %p monotonic
; CHECK: call void @__lostbits_atomic_leave()
define double @shared(ptr %p) {
  %x = load atomic double, ptr %p monotonic, align 8
  ret double %x
}

; What is reported of a sum is a function of its own.
; CHECK-LABEL: define internal preserve_mostcc { double, double, i64 } @lostbits.report_in_line.Add.double.
; CHECK: call void @__lostbits_explain_report(
