; Mode `search` marks code whose meaning depends on the format of numbers: bits as integers, parts of numbers. Conversions to
; integers are traced, and signs are only moved.
; RUN: search O0

declare double @frexp(double, ptr)

; CHECK-LABEL: define i64 @bits(
; CHECK: store i64 1, ptr getelementptr {{.*}}@__lostbits_search_trace, i64 8
; CHECK: bitcast double %x to i64
define i64 @bits(double %x) {
  %b = bitcast double %x to i64
  ret i64 %b
}

; CHECK-LABEL: define i64 @through_memory(
; CHECK: store double %x
; CHECK: store i64 1, ptr getelementptr {{.*}}@__lostbits_search_trace, i64 8
; CHECK: load i64
define i64 @through_memory(double %x) {
  %v = alloca double
  store double %x, ptr %v
  %b = load i64, ptr %v
  ret i64 %b
}

; CHECK-LABEL: define double @part(
; CHECK: call double @frexp
; CHECK: store i64 1, ptr getelementptr {{.*}}@__lostbits_search_trace, i64 8
define double @part(double %x, ptr %e) {
  %f = call double @frexp(double %x, ptr %e)
  ret double %f
}

; CHECK-LABEL: define i32 @whole(
; CHECK-NOT: store i64 1, ptr getelementptr
; CHECK: fptosi double %x to i32
; CHECK: store double %x, ptr
; CHECK-NOT: store i64 1, ptr getelementptr
; CHECK: ret i32
define i32 @whole(double %x) {
  %n = fptosi double %x to i32
  ret i32 %n
}

; Nothing comes before a phi: what it chooses from is marked where it is computed.
; CHECK-LABEL: define fp128 @chosen(
; CHECK: join:
; CHECK-NEXT: phi fp128
; CHECK-NEXT: ret fp128
define fp128 @chosen(i1 %c, fp128 %x, fp128 %y) {
  br i1 %c, label %other, label %join
other:
  br label %join
join:
  %z = phi fp128 [ %x, %0 ], [ %y, %other ]
  ret fp128 %z
}
