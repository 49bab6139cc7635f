; Mode `carry` unites the tags of the operands and folds the result's tag into the bits of its cell.
; RUN: carry O0

; CHECK-LABEL: define double @product(
; CHECK: [[Y:%.+]] = and i64
; CHECK: [[X:%.+]] = and i64
; CHECK: %s = fmul double %x, %y
; CHECK: [[TAG:%.+]] = or i64
; CHECK: [[BITS:%.+]] = bitcast double %s to i64
; CHECK: [[CELL:%.+]] = xor i64 [[BITS]], [[TAG]]
; CHECK: store volatile i64 [[CELL]], ptr
define double @product(double %x, double %y) {
  %s = fmul double %x, %y
  ret double %s
}
