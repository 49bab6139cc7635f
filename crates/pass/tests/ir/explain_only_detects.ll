; Mode `explain` in a pass that only detects: no events for operations, no third plane, one branch for products that may underflow.
; RUN: explain O0 LOSTBITS_DETECT=1

; CHECK-NOT: @__lostbits_explain_report

; Two planes are read: residue, bound and signature. Where the signature does not fit, the value is exact.
; CHECK-LABEL: define double @loaded(
; CHECK: %x = load double, ptr %p
; CHECK: [[R:%.+]] = load double, ptr
; CHECK: [[CELL:%.+]] = load i64, ptr
; CHECK: [[FITS:%.+]] = icmp eq i64
; CHECK: select i1 [[FITS]], double [[R]], double 0.000000e+00
; CHECK-NOT: load i64, ptr %{{.+}}, align 8
; CHECK: ret double %x
define double @loaded(ptr %p) {
  %x = load double, ptr %p, align 8
  ret double %x
}

; The smaller magnitude of both products is compared once; whether something was lost is asked behind the branch.
; CHECK-LABEL: define double @products(
; CHECK: %s = fmul double %x, %y
; CHECK: [[S:%.+]] = call double @llvm.fabs.f64(double %s)
; CHECK: %t = fmul double %s, %y
; CHECK: [[T:%.+]] = call double @llvm.fabs.f64(double %t)
; CHECK: [[LESS:%.+]] = fcmp olt double [[T]], [[S]]
; CHECK: [[LEAST:%.+]] = select i1 [[LESS]], double [[T]], double [[S]]
; CHECK: fcmp olt double [[LEAST]],
; CHECK: br i1
; CHECK: call void @__lostbits_explain_underflow()
define double @products(double %x, double %y) {
  %s = fmul double %x, %y
  %t = fmul double %s, %y
  ret double %t
}

; A product before a call that may not return is checked before it.
; CHECK-LABEL: define void @before_a_call(
; CHECK: fmul double
; CHECK: call void @__lostbits_explain_underflow()
; CHECK: call void @ends()
declare void @ends()
define void @before_a_call(ptr %p, double %x, double %y) {
  %s = fmul double %x, %y
  store double %s, ptr %p, align 8
  call void @ends()
  unreachable
}

; What is not a number in the residues makes a decision unsure.
; CHECK-LABEL: define i1 @less(
; CHECK: fcmp uge double %{{.+}}, 0x7FF0000000000000
; CHECK: call void @__lostbits_explain_decision(
define i1 @less(double %x, double %y) {
  %c = fcmp olt double %x, %y
  ret i1 %c
}
