; Modes `reals` and `explain-reals`: a shadow is the address of a slot; operations are calls of the runtime, memory owns its numbers.
; RUN: reals O0
; RUN: explain-reals O0 EXPLAIN

; CHECK-LABEL: define double @difference(
; CHECK: [[Y:%.+]] = select i1 {{.*}}, i64 {{.*}}, i64 0
; CHECK: [[X:%.+]] = select i1 {{.*}}, i64 {{.*}}, i64 0
; CHECK: [[FRAME:%.+]] = call i64 @__lostbits_reals_enter(ptr {{.*}}, i64 1)
; CHECK: %s = fsub double %x, %y
; CHECK: call i64 @__lostbits_reals_sub_double(i64 {{.*}}, ptr {{.*}}, i64 [[X]], i64 [[Y]], double %x, double %y, double %s)
; EXPLAIN-LABEL: define double @difference(
; EXPLAIN: [[Y:%.+]] = select i1 {{.*}}, i64 {{.*}}, i64 0
; EXPLAIN: [[X:%.+]] = select i1 {{.*}}, i64 {{.*}}, i64 0
; EXPLAIN: call i64 @__lostbits_explain_reals_sub_double(i64 {{.*}}, i64 {{.*}}, ptr {{.*}}, i64 [[X]], i64 [[Y]], double %x, double %y, double %s)
define double @difference(double %x, double %y) {
  %s = fsub double %x, %y
  ret double %s
}

; CHECK-LABEL: define void @store(
; CHECK: [[X:%.+]] = select i1 {{.*}}, i64 {{.*}}, i64 0
; CHECK: call void @__lostbits_reals_store_double(ptr %p, i64 [[X]], double %x)
; CHECK: store double %x, ptr %p
define void @store(double %x, ptr %p) {
  store double %x, ptr %p
  ret void
}

; CHECK-LABEL: define double @load(
; CHECK: %x = load double, ptr %p
; CHECK: call i64 @__lostbits_reals_load_double(i64 {{.*}}, ptr %p, double %x)
define double @load(ptr %p) {
  %x = load double, ptr %p
  ret double %x
}

; The program continues with the outcome that the runtime returns.
; CHECK-LABEL: define i32 @convert(
; CHECK: [[WIDE:%.+]] = call i64 @__lostbits_reals_integer(
; CHECK: [[INTEGER:%.+]] = trunc i64 [[WIDE]] to i32
; CHECK: ret i32 [[INTEGER]]
; Mode `explain-reals` leaves decisions alone.
; EXPLAIN-LABEL: define i32 @convert(
; EXPLAIN: call void @__lostbits_explain_reals_integer(
; EXPLAIN: ret i32 %i
define i32 @convert(double %x) {
  %i = fptosi double %x to i32
  ret i32 %i
}
