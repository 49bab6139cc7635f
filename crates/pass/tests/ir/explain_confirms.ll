; Mode `explain` in a pass that only detects and whose runs perturb residues: bounds are not computed but passed on, and the run's mask says
; which of the last bits of a residue are replaced by others of its bits.
; RUN: explain O0 LOSTBITS_DETECT=1 LOSTBITS_CONFIRM=1

; CHECK-LABEL: define double @product(
; CHECK: %p = fmul double %x, %y
; CHECK: [[LARGER:%.+]] = fcmp ogt double
; CHECK: [[BOUND:%.+]] = select i1 [[LARGER]]
; CHECK: [[MASK:%.+]] = load i64, ptr @__lostbits_explain_perturbation
; CHECK: [[BITS:%.+]] = bitcast double {{%.+}} to i64
; CHECK: [[OTHERS:%.+]] = lshr i64 [[BITS]], 20
; CHECK: [[CHOSEN:%.+]] = and i64 [[OTHERS]], [[MASK]]
; CHECK: [[PERTURBED:%.+]] = xor i64 [[BITS]], [[CHOSEN]]
; CHECK: bitcast i64 [[PERTURBED]] to double
; CHECK: ret double %p
define double @product(double %x, double %y) {
  %p = fmul double %x, %y
  ret double %p
}
