; Floating-point bits that travel as integers keep their shadow; sign-bit operations become negations and magnitudes.
; RUN: same O0

; CHECK-LABEL: define void @swap_through_integer(
; CHECK: %x = load i64, ptr %p
; CHECK: [[VALUE:%.+]] = load i64, ptr
; CHECK: [[SHADOW:%.+]] = load i64, ptr
; CHECK: [[FITS:%.+]] = icmp eq i64 %x, [[VALUE]]
; CHECK: [[BITS:%.+]] = select i1 [[FITS]], i64 [[SHADOW]], i64 %x
; CHECK: store i64 %x, ptr
; CHECK: store i64 [[BITS]], ptr
; CHECK: store i64 %x, ptr %q
define void @swap_through_integer(ptr %p, ptr %q) {
  %x = load i64, ptr %p
  store i64 %x, ptr %q
  ret void
}

; CHECK-LABEL: define double @flipped_sign(
; CHECK: fneg double %x
; CHECK: fneg double {{%[0-9]+}}
define double @flipped_sign(double %x) {
  %bits = bitcast double %x to i64
  %flipped = xor i64 %bits, -9223372036854775808
  %s = bitcast i64 %flipped to double
  ret double %s
}

; A stored zero may be a number: it invalidates the shadow of what was there.
; CHECK-LABEL: define void @zero(
; CHECK: store i64 0, ptr {{%[0-9]+}}
; CHECK: store i64 0, ptr {{%[0-9]+}}
; CHECK: store i64 0, ptr %p
define void @zero(ptr %p) {
  store i64 0, ptr %p
  ret void
}

; Shadows follow a block that `realloc` moves.
declare ptr @realloc(ptr, i64)
; CHECK-LABEL: define ptr @grow(
; CHECK: [[OLD:%.+]] = call i64 @__lostbits_heap_size(ptr %p)
; CHECK: %q = call ptr @realloc(ptr %p, i64 %n)
; CHECK: call void @__lostbits_shadow_moved(ptr %q, ptr %p, i64 [[OLD]], i64 %n)
define ptr @grow(ptr %p, i64 %n) {
  %q = call ptr @realloc(ptr %p, i64 %n)
  ret ptr %q
}

; Lanes that a masked load leaves out have the cells of the value that is passed through.
declare <2 x double> @llvm.masked.load.v2f64.p0(ptr, <2 x i1>, <2 x double>)
; CHECK-LABEL: define <2 x double> @masked(
; CHECK: %s = call <2 x double> @llvm.masked.load.v2f64.p0(
; CHECK: call <2 x double> @llvm.masked.load.v2f64.p0(
; CHECK: call <2 x double> @llvm.masked.load.v2f64.p0(
define <2 x double> @masked(ptr %p, <2 x i1> %m, <2 x double> %v) {
  %s = call <2 x double> @llvm.masked.load.v2f64.p0(ptr align 8 %p, <2 x i1> %m, <2 x double> %v)
  ret <2 x double> %s
}
