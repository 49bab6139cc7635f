; Mode `explain`: how the residues of operands become the residue of a result.
; RUN: explain O0

; The residue of y is subtracted, and the rounding error of the difference is added. A run can leave out either.
; CHECK-LABEL: define double @difference(
; CHECK: [[YCELL:%.+]] = load volatile double, ptr
; CHECK: [[YR:%.+]] = phi double [ [[YCELL]],
; CHECK: [[XCELL:%.+]] = load volatile double, ptr
; CHECK: [[XR:%.+]] = phi double [ [[XCELL]],
; CHECK: %d = fsub double %x, %y
; CHECK: [[MINUSYR:%.+]] = fneg double [[YR]]
; CHECK: [[ERROR:%.+]] = fadd double
; CHECK: [[INHERITED:%.+]] = fadd double [[XR]], [[MINUSYR]]
; CHECK-DAG: [[INHERITEDIF:%.+]] = select i1 {{%.+}}, double 0.000000e+00, double [[INHERITED]]
; CHECK-DAG: [[ERRORIF:%.+]] = select i1 {{%.+}}, double 0.000000e+00, double [[ERROR]]
; CHECK: fadd double [[INHERITEDIF]], [[ERRORIF]]
define double @difference(double %x, double %y) {
  %d = fsub double %x, %y
  ret double %d
}

; The rounding error of a product is computed from its halves, and added to what the residues bring.
; CHECK-LABEL: define double @product(
; CHECK: [[YCELL:%.+]] = load volatile double, ptr
; CHECK: [[YR:%.+]] = phi double [ [[YCELL]],
; CHECK: [[XCELL:%.+]] = load volatile double, ptr
; CHECK: [[XR:%.+]] = phi double [ [[XCELL]],
; CHECK: %p = fmul double %x, %y
; CHECK: [[XSCALED:%.+]] = fmul double %x, 0x41A0000002000000
; CHECK-NEXT: [[XREST:%.+]] = fsub double [[XSCALED]], %x
; CHECK-NEXT: [[XH:%.+]] = fsub double [[XSCALED]], [[XREST]]
; CHECK-NEXT: [[XL:%.+]] = fsub double %x, [[XH]]
; CHECK-NEXT: [[YSCALED:%.+]] = fmul double %y, 0x41A0000002000000
; CHECK-NEXT: [[YREST:%.+]] = fsub double [[YSCALED]], %y
; CHECK-NEXT: [[YH:%.+]] = fsub double [[YSCALED]], [[YREST]]
; CHECK-NEXT: [[YL:%.+]] = fsub double %y, [[YH]]
; CHECK-NEXT: [[HH:%.+]] = fmul double [[XH]], [[YH]]
; CHECK-NEXT: [[E0:%.+]] = fsub double [[HH]], %p
; CHECK-NEXT: [[HL:%.+]] = fmul double [[XH]], [[YL]]
; CHECK-NEXT: [[E1:%.+]] = fadd double [[E0]], [[HL]]
; CHECK-NEXT: [[LH:%.+]] = fmul double [[XL]], [[YH]]
; CHECK-NEXT: [[E2:%.+]] = fadd double [[E1]], [[LH]]
; CHECK-NEXT: [[LL:%.+]] = fmul double [[XL]], [[YL]]
; CHECK-NEXT: [[ERROR:%.+]] = fadd double [[E2]], [[LL]]
; CHECK: [[YEXACT:%.+]] = fadd double %y, [[YR]]
; CHECK: [[OFY:%.+]] = fmul double %x, [[YR]]
; CHECK: [[OFX:%.+]] = fmul double [[XR]], [[YEXACT]]
; CHECK: [[INHERITED:%.+]] = fadd double [[OFY]], [[OFX]]
; CHECK-DAG: [[INHERITEDIF:%.+]] = select i1 {{%.+}}, double 0.000000e+00, double [[INHERITED]]
; CHECK: fadd double [[INHERITEDIF]], {{%.+}}
define double @product(double %x, double %y) {
  %p = fmul double %x, %y
  ret double %p
}

; Where the sign of the value changes, so does that of the residue.
; CHECK-LABEL: define double @negation(
; CHECK: [[CELL:%.+]] = load volatile double, ptr
; CHECK: [[R:%.+]] = phi double [ [[CELL]],
; CHECK: %n = fneg double %x
; CHECK: [[TURNED:%.+]] = icmp slt i64 {{%.+}}, 0
; CHECK-NEXT: [[MINUS:%.+]] = fneg double [[R]]
; CHECK-NEXT: [[RESIDUE:%.+]] = select i1 [[TURNED]], double [[MINUS]], double [[R]]
; CHECK: [[REPORTED:%.+]] = phi double [ [[RESIDUE]],
; CHECK: [[TRACED:%.+]] = phi double [ [[RESIDUE]], {{%.+}} ], [ [[REPORTED]],
; CHECK: [[RETURNED:%.+]] = phi double [ [[RESIDUE]], {{%.+}} ], [ [[TRACED]],
; CHECK: store volatile double [[RETURNED]], ptr
define double @negation(double %x) {
  %n = fneg double %x
  ret double %n
}

; An inserted lane takes its residue, its bound and its meta word along.
; CHECK-LABEL: define <2 x double> @lane(
; CHECK: [[LANECELL:%.+]] = load volatile double, ptr
; CHECK: [[LANEMETA:%.+]] = phi i64
; CHECK-NEXT: [[LANEBOUND:%.+]] = phi double
; CHECK-NEXT: [[LANER:%.+]] = phi double [ [[LANECELL]],
; CHECK: [[META:%.+]] = phi <2 x i64>
; CHECK-NEXT: [[BOUND:%.+]] = phi <2 x double>
; CHECK-NEXT: [[R:%.+]] = phi <2 x double>
; CHECK: %w = insertelement <2 x double> %v, double %x, i32 1
; CHECK-NEXT: [[NEWR:%.+]] = insertelement <2 x double> [[R]], double [[LANER]], i32 1
; CHECK-NEXT: insertelement <2 x double> [[BOUND]], double [[LANEBOUND]], i32 1
; CHECK-NEXT: [[NEWMETA:%.+]] = insertelement <2 x i64> [[META]], i64 [[LANEMETA]], i32 1
; CHECK: store volatile <2 x double> [[NEWR]], ptr
; CHECK: store volatile <2 x i64> [[NEWMETA]], ptr
define <2 x double> @lane(<2 x double> %v, double %x) {
  %w = insertelement <2 x double> %v, double %x, i32 1
  ret <2 x double> %w
}
