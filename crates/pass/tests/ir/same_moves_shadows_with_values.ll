; Whatever moves a value moves its shadow along: selects, phis, lanes, memory, copies of memory, calls and returns.
; RUN: same O0

; CHECK-LABEL: define double @choose(
; CHECK: [[Y:%.+]] = select i1 {{.*}}, double {{.*}}, double %y
; CHECK: [[X:%.+]] = select i1 {{.*}}, double {{.*}}, double %x
; CHECK: %s = select i1 %c, double %x, double %y
; CHECK: select i1 %c, double [[X]], double [[Y]]
define double @choose(i1 %c, double %x, double %y) {
  %s = select i1 %c, double %x, double %y
  ret double %s
}

; CHECK-LABEL: define double @join(
; CHECK: [[Y:%.+]] = select i1 {{.*}}, double {{.*}}, double %y
; CHECK: [[X:%.+]] = select i1 {{.*}}, double {{.*}}, double %x
; CHECK: phi double [ [[X]], %a ], [ [[Y]], %b ]
; CHECK: %s = phi double [ %x, %a ], [ %y, %b ]
define double @join(i1 %c, double %x, double %y) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %end
b:
  br label %end
end:
  %s = phi double [ %x, %a ], [ %y, %b ]
  ret double %s
}

; CHECK-LABEL: define <2 x double> @insert(
; CHECK: [[X:%.+]] = select i1 {{.*}}, double {{.*}}, double %x
; CHECK: [[V:%.+]] = select <2 x i1> {{.*}}, <2 x double> {{.*}}, <2 x double> %v
; CHECK: insertelement <2 x double> [[V]], double [[X]], i32 1
define <2 x double> @insert(<2 x double> %v, double %x) {
  %s = insertelement <2 x double> %v, double %x, i32 1
  ret <2 x double> %s
}

; The first cell holds the value, the second the shadow, both at constant distances from the program's address.
; CHECK-LABEL: define void @store(
; CHECK: [[X:%.+]] = select i1 {{.*}}, double {{.*}}, double %x
; CHECK: [[VALUE:%.+]] = getelementptr i8, ptr inttoptr (i64 -{{[0-9]+}} to ptr), i64
; CHECK-NEXT: store double %x, ptr [[VALUE]]
; CHECK: [[SHADOW:%.+]] = getelementptr i8, ptr inttoptr (i64 -{{[0-9]+}} to ptr), i64
; CHECK-NEXT: store double [[X]], ptr [[SHADOW]]
; CHECK-NEXT: store double %x, ptr %p
define void @store(double %x, ptr %p) {
  store double %x, ptr %p
  ret void
}

; A shadow counts only beside the value it was stored with.
; CHECK-LABEL: define double @load(
; CHECK: %x = load double, ptr %p
; CHECK: [[VALUE:%.+]] = load double, ptr
; CHECK: [[SHADOW:%.+]] = load double, ptr
; CHECK: [[NOW:%.+]] = bitcast double %x to i64
; CHECK: [[THEN:%.+]] = bitcast double [[VALUE]] to i64
; CHECK: [[FITS:%.+]] = icmp eq i64 [[NOW]], [[THEN]]
; CHECK: select i1 [[FITS]], double [[SHADOW]], double %x
define double @load(ptr %p) {
  %x = load double, ptr %p
  ret double %x
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
; CHECK-LABEL: define void @copy(
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 1 {{.*}}, i64 64, i1 false)
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 1 {{.*}}, i64 64, i1 false)
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 64, i1 false)
define void @copy(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 64, i1 false)
  ret void
}

; CHECK-LABEL: define void @copy_large(
; CHECK: call void @__lostbits_shadow_copy(ptr %to, ptr %from, i64 4096)
define void @copy_large(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 4096, i1 false)
  ret void
}

; The argument's cells are written before the call; the result's are read after it and cleared.
declare double @callee(double)
; CHECK-LABEL: define double @call(
; CHECK: [[RESULT:%.+]] = call ptr @llvm.threadlocal.address.p0(ptr @__lostbits_return_same)
; CHECK: [[ARGUMENTS:%.+]] = call ptr @llvm.threadlocal.address.p0(ptr @__lostbits_arguments_same)
; CHECK: [[X:%.+]] = select i1 {{.*}}, double {{.*}}, double %x
; CHECK: store volatile double %x, ptr [[ARGUMENTS]]
; CHECK: store volatile double [[X]], ptr
; CHECK: %s = call double @callee(double %x)
; CHECK: load volatile double, ptr [[RESULT]]
; CHECK: store volatile double 0.000000e+00, ptr [[RESULT]]
; CHECK: store volatile double %s, ptr [[RESULT]]
; CHECK: ret double %s
define double @call(double %x) {
  %s = call double @callee(double %x)
  ret double %s
}
