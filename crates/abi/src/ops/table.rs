//! The rows of the operation table.

/// Hands all rows of the operation table to the macro named. A row reads
///
/// ```text
/// number Variant = evaluation {
///     name, [operands] -> outcome, opcode: […], intrinsics: […],
///     library: […], fortran: […], fpcore: […],
///     condition: formula, stability
/// }
/// ```
///
/// - number: stable for ever, also when a row is withdrawn.
/// - evaluation: `unary::f`, `binary::f`, `ternary::f` is MPFR's function `f` of one, two or three operands;
///   `special::f` one of our own, made from several; `special::undefined` where the real numbers give
///   the operation no meaning.
/// - outcome: may go on with `and Op` (which operation gives the second result) or `folding Op` (a
///   vector reduced by that operation).
/// - opcode, intrinsics: LLVM's names, the latter without `llvm.` and types.
/// - library: C's names for `double`; those of other formats are derived.
/// - fortran: names in flang's runtime without `_FortranA` and kind.
/// - condition: a function of the module `condition`.
///
/// A macro that needs only the first line matches
/// `$($number:literal $variant:ident = $source:ident :: $function:ident { $($rest:tt)* })*`.
#[macro_export]
macro_rules! operations {
    ($callback:ident) => {
        $callback! {
            // Instructions.
            1 Add = binary::add {
                "add", [Real Real] -> Real, opcode: ["fadd"], intrinsics: [],
                library: [], fortran: [], fpcore: ["+"],
                condition: add, unstable("x near -y", &[1.0, -0.999_999])
            }
            2 Sub = binary::sub {
                "sub", [Real Real] -> Real, opcode: ["fsub"], intrinsics: [],
                library: [], fortran: [], fpcore: ["-"],
                condition: sub, unstable("x near y", &[1.0, 0.999_999])
            }
            3 Mul = binary::mul {
                "mul", [Real Real] -> Real, opcode: ["fmul"], intrinsics: [],
                library: [], fortran: [], fpcore: ["*"],
                condition: both, stable(1.0)
            }
            4 Div = binary::div {
                "div", [Real Real] -> Real, opcode: ["fdiv"], intrinsics: [],
                library: [], fortran: [], fpcore: ["/"],
                condition: both, stable(1.0)
            }
            5 Rem = binary::fmod {
                "fmod", [Real Real] -> Real, opcode: ["frem"], intrinsics: [],
                library: ["fmod"], fortran: ["ModReal"], fpcore: ["fmod"],
                condition: fmod, exact_but("x near a multiple of y, or x much larger than y", &[10.000_001, 2.0])
            }
            6 Neg = unary::neg {
                "neg", [Real] -> Real, opcode: ["fneg"], intrinsics: [],
                library: [], fortran: [], fpcore: ["-"],
                condition: passed, exact()
            }
            7 Compare = special::undefined {
                "compare", [Real Real] -> Truth, opcode: ["fcmp"], intrinsics: ["experimental.constrained.fcmps"],
                library: [], fortran: [], fpcore: [],
                condition: compare, exact_but("x equal to y", &[1.0, 1.0])
            }
            8 Extend = unary::set {
                "extend", [Real] -> Real, opcode: ["fpext"], intrinsics: [],
                library: [], fortran: [], fpcore: [],
                condition: passed, exact()
            }
            9 Truncate = unary::set {
                "narrow", [Real] -> Real, opcode: ["fptrunc"], intrinsics: ["fptrunc.round"],
                library: [], fortran: [], fpcore: ["cast"],
                condition: passed, stable(1.0)
            }
            10 FromSigned = unary::set {
                "from signed", [Integer] -> Real, opcode: ["sitofp"], intrinsics: [],
                library: [], fortran: [], fpcore: [],
                condition: passed, stable(1.0)
            }
            11 FromUnsigned = unary::set {
                "from unsigned", [Integer] -> Real, opcode: ["uitofp"], intrinsics: [],
                library: [], fortran: [], fpcore: [],
                condition: passed, stable(1.0)
            }
            12 ToSigned = unary::rint_trunc {
                "to signed", [Real] -> Integer, opcode: ["fptosi"], intrinsics: ["fptosi.sat"],
                library: [], fortran: [], fpcore: [],
                condition: jumps_at_integers, exact_but("x at a whole number", &[3.0])
            }
            13 ToUnsigned = unary::rint_trunc {
                "to unsigned", [Real] -> Integer, opcode: ["fptoui"], intrinsics: ["fptoui.sat"],
                library: [], fortran: [], fpcore: [],
                condition: jumps_at_integers, exact_but("x at a whole number", &[3.0])
            }

            // Fused operations, roots, distances.
            14 Fma = ternary::fma {
                "fma", [Real Real Real] -> Real, opcode: [], intrinsics: ["fma"],
                library: ["fma"], fortran: [], fpcore: ["fma"],
                condition: fma, unstable("x·y near -z", &[2.0, 3.0, -5.999_99])
            }
            15 MulAdd = ternary::fma {
                "muladd", [Real Real Real] -> Real, opcode: [], intrinsics: ["fmuladd"],
                library: [], fortran: [], fpcore: [],
                condition: fma, unstable("x·y near -z", &[2.0, 3.0, -5.999_99])
            }
            16 Sqrt = unary::sqrt {
                "sqrt", [Real] -> Real, opcode: [], intrinsics: ["sqrt"],
                library: ["sqrt"], fortran: [], fpcore: ["sqrt"],
                condition: sqrt, stable(0.5)
            }
            17 Rsqrt = special::rsqrt {
                "rsqrt", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["rsqrt"], fortran: [], fpcore: [],
                condition: sqrt, stable(0.5)
            }
            18 Cbrt = unary::cbrt {
                "cbrt", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["cbrt"], fortran: [], fpcore: ["cbrt"],
                condition: cbrt, stable(0.334)
            }
            19 Hypot = binary::hypot {
                "hypot", [Real Real] -> Real, opcode: [], intrinsics: [],
                library: ["hypot"], fortran: [], fpcore: ["hypot"],
                condition: hypot, stable(1.0)
            }

            // Trigonometric functions.
            20 Sin = unary::sin {
                "sin", [Real] -> Real, opcode: [], intrinsics: ["sin"],
                library: ["sin"], fortran: [], fpcore: ["sin"],
                condition: sin, unstable("x near nπ, n ≠ 0", &[22.0 / 7.0])
            }
            21 Cos = unary::cos {
                "cos", [Real] -> Real, opcode: [], intrinsics: ["cos"],
                library: ["cos"], fortran: [], fpcore: ["cos"],
                condition: cos, unstable("x near (n + 1/2)π", &[11.0 / 7.0])
            }
            22 Tan = unary::tan {
                "tan", [Real] -> Real, opcode: [], intrinsics: ["tan"],
                library: ["tan"], fortran: [], fpcore: ["tan"],
                condition: tan, unstable("x near nπ/2, n ≠ 0", &[11.0 / 7.0])
            }
            23 Asin = unary::asin {
                "asin", [Real] -> Real, opcode: [], intrinsics: ["asin"],
                library: ["asin"], fortran: [], fpcore: ["asin"],
                condition: asin, unstable("x near ±1", &[0.999_999_9])
            }
            24 Acos = unary::acos {
                "acos", [Real] -> Real, opcode: [], intrinsics: ["acos"],
                library: ["acos"], fortran: [], fpcore: ["acos"],
                condition: acos, unstable("x near ±1", &[0.999_999])
            }
            25 Atan = unary::atan {
                "atan", [Real] -> Real, opcode: [], intrinsics: ["atan"],
                library: ["atan"], fortran: [], fpcore: ["atan"],
                condition: atan, stable(1.0)
            }
            26 Atan2 = binary::atan2 {
                "atan2", [Real Real] -> Real, opcode: [], intrinsics: ["atan2"],
                library: ["atan2"], fortran: [], fpcore: ["atan2"],
                condition: atan2, stable(1.0)
            }
            27 Sincos = unary::sin {
                "sincos", [Real] -> Real and Cos, opcode: [], intrinsics: ["sincos"],
                library: ["sincos"], fortran: [], fpcore: [],
                condition: sin, unstable("x near nπ, n ≠ 0 (sine) or (n + 1/2)π (cosine)", &[22.0 / 7.0])
            }
            28 SinPi = unary::sinpi {
                "sinpi", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["sinpi"], fortran: [], fpcore: [],
                condition: sinpi, unstable("x near n, n ≠ 0", &[1.000_001])
            }
            29 CosPi = unary::cospi {
                "cospi", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["cospi"], fortran: [], fpcore: [],
                condition: cospi, unstable("x near n + 1/2", &[0.500_001])
            }
            30 TanPi = unary::tanpi {
                "tanpi", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["tanpi"], fortran: [], fpcore: [],
                condition: tanpi, unstable("x near n/2, n ≠ 0", &[0.500_001])
            }
            31 AsinPi = unary::asinpi {
                "asinpi", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["asinpi"], fortran: [], fpcore: [],
                condition: asin, unstable("x near ±1", &[0.999_999_9])
            }
            32 AcosPi = unary::acospi {
                "acospi", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["acospi"], fortran: [], fpcore: [],
                condition: acos, unstable("x near ±1", &[0.999_999])
            }
            33 AtanPi = unary::atanpi {
                "atanpi", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["atanpi"], fortran: [], fpcore: [],
                condition: atan, stable(1.0)
            }
            34 Atan2Pi = binary::atan2pi {
                "atan2pi", [Real Real] -> Real, opcode: [], intrinsics: [],
                library: ["atan2pi"], fortran: [], fpcore: [],
                condition: atan2, stable(1.0)
            }
            35 SincosPi = unary::sinpi {
                "sincospi", [Real] -> Real and CosPi, opcode: [], intrinsics: ["sincospi"],
                library: ["sincospi"], fortran: [], fpcore: [],
                condition: sinpi, unstable("x near n, n ≠ 0 (sine) or n + 1/2 (cosine)", &[1.000_001])
            }

            // Hyperbolic functions.
            36 Sinh = unary::sinh {
                "sinh", [Real] -> Real, opcode: [], intrinsics: ["sinh"],
                library: ["sinh"], fortran: [], fpcore: ["sinh"],
                condition: sinh, unstable("large |x|", &[5000.0])
            }
            37 Cosh = unary::cosh {
                "cosh", [Real] -> Real, opcode: [], intrinsics: ["cosh"],
                library: ["cosh"], fortran: [], fpcore: ["cosh"],
                condition: cosh, unstable("large |x|", &[5000.0])
            }
            38 Tanh = unary::tanh {
                "tanh", [Real] -> Real, opcode: [], intrinsics: ["tanh"],
                library: ["tanh"], fortran: [], fpcore: ["tanh"],
                condition: tanh, stable(1.0)
            }
            39 Asinh = unary::asinh {
                "asinh", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["asinh"], fortran: [], fpcore: ["asinh"],
                condition: asinh, stable(1.0)
            }
            40 Acosh = unary::acosh {
                "acosh", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["acosh"], fortran: [], fpcore: ["acosh"],
                condition: acosh, unstable("x near 1", &[1.000_1])
            }
            41 Atanh = unary::atanh {
                "atanh", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["atanh"], fortran: [], fpcore: ["atanh"],
                condition: atanh, unstable("x near ±1", &[0.999_999])
            }

            // Exponentials, logarithms, powers.
            42 Exp = unary::exp {
                "exp", [Real] -> Real, opcode: [], intrinsics: ["exp"],
                library: ["exp"], fortran: [], fpcore: ["exp"],
                condition: exp, unstable("large |x|", &[5000.0])
            }
            43 Exp2 = unary::exp2 {
                "exp2", [Real] -> Real, opcode: [], intrinsics: ["exp2"],
                library: ["exp2"], fortran: [], fpcore: ["exp2"],
                condition: exp2, unstable("large |x|", &[5000.0])
            }
            44 Exp10 = unary::exp10 {
                "exp10", [Real] -> Real, opcode: [], intrinsics: ["exp10"],
                library: ["exp10" "pow10"], fortran: [], fpcore: [],
                condition: exp10, unstable("large |x|", &[5000.0])
            }
            45 Expm1 = unary::expm1 {
                "expm1", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["expm1"], fortran: [], fpcore: ["expm1"],
                condition: expm1, unstable("large x", &[5000.0])
            }
            46 Exp2m1 = unary::exp2m1 {
                "exp2m1", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["exp2m1"], fortran: [], fpcore: [],
                condition: exp2m1, unstable("large x", &[5000.0])
            }
            47 Exp10m1 = unary::exp10m1 {
                "exp10m1", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["exp10m1"], fortran: [], fpcore: [],
                condition: exp10m1, unstable("large x", &[5000.0])
            }
            48 Log = unary::log {
                "log", [Real] -> Real, opcode: [], intrinsics: ["log"],
                library: ["log"], fortran: [], fpcore: ["log"],
                condition: log, unstable("x near 1", &[1.000_01])
            }
            49 Log2 = unary::log2 {
                "log2", [Real] -> Real, opcode: [], intrinsics: ["log2"],
                library: ["log2"], fortran: [], fpcore: ["log2"],
                condition: log, unstable("x near 1", &[1.000_01])
            }
            50 Log10 = unary::log10 {
                "log10", [Real] -> Real, opcode: [], intrinsics: ["log10"],
                library: ["log10"], fortran: [], fpcore: ["log10"],
                condition: log, unstable("x near 1", &[1.000_01])
            }
            51 Log1p = unary::log1p {
                "log1p", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["log1p" "logp1"], fortran: [], fpcore: ["log1p"],
                condition: log1p, unstable("x near -1", &[-0.999_99])
            }
            52 Log2p1 = unary::log2p1 {
                "log2p1", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["log2p1"], fortran: [], fpcore: [],
                condition: log1p, unstable("x near -1", &[-0.999_99])
            }
            53 Log10p1 = unary::log10p1 {
                "log10p1", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["log10p1"], fortran: [], fpcore: [],
                condition: log1p, unstable("x near -1", &[-0.999_99])
            }
            54 Pow = binary::pow {
                "pow", [Real Real] -> Real, opcode: [], intrinsics: ["pow"],
                library: ["pow"], fortran: [], fpcore: ["pow"],
                condition: pow, unstable("large |y|, or x near 0 or infinity", &[2.0, 5000.0])
            }
            55 Powi = binary::pow {
                "powi", [Real Integer] -> Real, opcode: [], intrinsics: ["powi"],
                library: ["__powidf2"], fortran: ["FPow"], fpcore: [],
                condition: powi, unstable("large |y|", &[1.000_1, 5000.0])
            }

            // Error and gamma functions, Bessel functions.
            56 Erf = unary::erf {
                "erf", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["erf"], fortran: [], fpcore: ["erf"],
                condition: erf, stable(1.0)
            }
            57 Erfc = unary::erfc {
                "erfc", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["erfc"], fortran: [], fpcore: ["erfc"],
                condition: erfc, unstable("large x", &[26.0])
            }
            58 ErfcScaled = special::erfc_scaled {
                "erfc_scaled", [Real] -> Real, opcode: [], intrinsics: [],
                library: [], fortran: ["ErfcScaled"], fpcore: [],
                condition: erfc_scaled, unstable("large negative x", &[-26.0])
            }
            59 Lgamma = special::lgamma {
                "lgamma", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["lgamma" "gamma" "lgamma_r"], fortran: [], fpcore: ["lgamma"],
                condition: lgamma, unstable("x near 1 or 2, or, below 0, near a whole number or a zero", &[1.000_01])
            }
            60 Tgamma = unary::gamma {
                "tgamma", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["tgamma"], fortran: [], fpcore: ["tgamma"],
                condition: tgamma, unstable("x near a whole number below 0; large x", &[-2.999_99])
            }
            61 J0 = unary::j0 {
                "j0", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["j0"], fortran: [], fpcore: [],
                condition: j0, unstable("x near a zero other than 0; large x", &[2.404_826])
            }
            62 J1 = unary::j1 {
                "j1", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["j1"], fortran: [], fpcore: [],
                condition: j1, unstable("x near a zero other than 0; large x", &[3.831_706])
            }
            63 Y0 = unary::y0 {
                "y0", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["y0"], fortran: [], fpcore: [],
                condition: y0, unstable("x near a zero; large x", &[0.893_577])
            }
            64 Y1 = unary::y1 {
                "y1", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["y1"], fortran: [], fpcore: [],
                condition: y1, unstable("x near a zero; large x", &[2.197_141])
            }
            65 Jn = special::jn {
                "jn", [Integer Real] -> Real, opcode: [], intrinsics: [],
                library: ["jn"], fortran: [], fpcore: [],
                condition: jn, unstable("y near a zero other than 0; large y", &[2.0, 5.135_622])
            }
            66 Yn = special::yn {
                "yn", [Integer Real] -> Real, opcode: [], intrinsics: [],
                library: ["yn"], fortran: [], fpcore: [],
                condition: yn, unstable("y near a zero; large y", &[2.0, 3.384_242])
            }

            // Remainders, differences, extremes.
            67 Remainder = binary::remainder {
                "remainder", [Real Real] -> Real, opcode: [], intrinsics: [],
                library: ["remainder" "drem" "remquo"], fortran: [], fpcore: ["remainder"],
                condition: remainder, exact_but("x near a multiple of y, or x much larger than y", &[10.000_001, 2.0])
            }
            68 Modulo = special::modulo {
                "modulo", [Real Real] -> Real, opcode: [], intrinsics: [],
                library: [], fortran: ["ModuloReal"], fpcore: [],
                condition: modulo, unstable("x near a multiple of y, or x much larger than y", &[10.000_001, 2.0])
            }
            69 Fdim = binary::dim {
                "fdim", [Real Real] -> Real, opcode: [], intrinsics: [],
                library: ["fdim"], fortran: [], fpcore: ["fdim"],
                condition: fdim, unstable("x near y, x > y", &[1.0, 0.999_999])
            }
            70 Fmin = binary::min {
                "fmin", [Real Real] -> Real, opcode: [], intrinsics: ["minnum"],
                library: ["fmin"], fortran: [], fpcore: ["fmin"],
                condition: min, exact()
            }
            71 Fmax = binary::max {
                "fmax", [Real Real] -> Real, opcode: [], intrinsics: ["maxnum"],
                library: ["fmax"], fortran: [], fpcore: ["fmax"],
                condition: max, exact()
            }
            72 Minimum = special::minimum {
                "minimum", [Real Real] -> Real, opcode: [], intrinsics: ["minimum"],
                library: ["fminimum"], fortran: [], fpcore: [],
                condition: min, exact()
            }
            73 Maximum = special::maximum {
                "maximum", [Real Real] -> Real, opcode: [], intrinsics: ["maximum"],
                library: ["fmaximum"], fortran: [], fpcore: [],
                condition: max, exact()
            }
            74 MinimumNum = binary::min {
                "minimum_num", [Real Real] -> Real, opcode: [], intrinsics: ["minimumnum"],
                library: ["fminimum_num"], fortran: [], fpcore: [],
                condition: min, exact()
            }
            75 MaximumNum = binary::max {
                "maximum_num", [Real Real] -> Real, opcode: [], intrinsics: ["maximumnum"],
                library: ["fmaximum_num"], fortran: [], fpcore: [],
                condition: max, exact()
            }

            // Rounding to whole numbers.
            76 Floor = unary::rint_floor {
                "floor", [Real] -> Real, opcode: [], intrinsics: ["floor"],
                library: ["floor"], fortran: [], fpcore: ["floor"],
                condition: jumps_at_integers, exact_but("x at a whole number", &[3.0])
            }
            77 Ceil = unary::rint_ceil {
                "ceil", [Real] -> Real, opcode: [], intrinsics: ["ceil"],
                library: ["ceil"], fortran: [], fpcore: ["ceil"],
                condition: jumps_at_integers, exact_but("x at a whole number", &[3.0])
            }
            78 Trunc = unary::rint_trunc {
                "trunc", [Real] -> Real, opcode: [], intrinsics: ["trunc" "vp.roundtozero"],
                library: ["trunc"], fortran: [], fpcore: ["trunc"],
                condition: jumps_at_integers, exact_but("x at a whole number", &[3.0])
            }
            79 Round = unary::rint_round {
                "round", [Real] -> Real, opcode: [], intrinsics: ["round"],
                library: ["round"], fortran: [], fpcore: ["round"],
                condition: jumps_at_halves, exact_but("x halfway between whole numbers", &[2.5])
            }
            80 RoundEven = unary::rint_roundeven {
                "roundeven", [Real] -> Real, opcode: [], intrinsics: ["roundeven"],
                library: ["roundeven"], fortran: [], fpcore: [],
                condition: jumps_at_halves, exact_but("x halfway between whole numbers", &[2.5])
            }
            81 Rint = unary::rint_roundeven {
                "rint", [Real] -> Real, opcode: [], intrinsics: ["rint"],
                library: ["rint"], fortran: [], fpcore: [],
                condition: jumps_at_halves, exact_but("x halfway between whole numbers", &[2.5])
            }
            82 Nearbyint = unary::rint_roundeven {
                "nearbyint", [Real] -> Real, opcode: [], intrinsics: ["nearbyint"],
                library: ["nearbyint"], fortran: [], fpcore: ["nearbyint"],
                condition: jumps_at_halves, exact_but("x halfway between whole numbers", &[2.5])
            }
            83 Lround = unary::rint_round {
                "lround", [Real] -> Integer, opcode: [], intrinsics: ["lround"],
                library: ["lround"], fortran: ["Nint"], fpcore: [],
                condition: jumps_at_halves, exact_but("x halfway between whole numbers", &[2.5])
            }
            84 Llround = unary::rint_round {
                "llround", [Real] -> Integer, opcode: [], intrinsics: ["llround"],
                library: ["llround"], fortran: [], fpcore: [],
                condition: jumps_at_halves, exact_but("x halfway between whole numbers", &[2.5])
            }
            85 Lrint = unary::rint_roundeven {
                "lrint", [Real] -> Integer, opcode: [], intrinsics: ["lrint"],
                library: ["lrint"], fortran: [], fpcore: [],
                condition: jumps_at_halves, exact_but("x halfway between whole numbers", &[2.5])
            }
            86 Llrint = unary::rint_roundeven {
                "llrint", [Real] -> Integer, opcode: [], intrinsics: ["llrint"],
                library: ["llrint"], fortran: [], fpcore: [],
                condition: jumps_at_halves, exact_but("x halfway between whole numbers", &[2.5])
            }

            // Signs, parts, neighbours, classes.
            87 Abs = unary::abs {
                "fabs", [Real] -> Real, opcode: [], intrinsics: ["fabs"],
                library: ["fabs"], fortran: [], fpcore: ["fabs"],
                condition: passed, exact()
            }
            88 CopySign = binary::copysign {
                "copysign", [Real Real] -> Real, opcode: [], intrinsics: ["copysign"],
                library: ["copysign"], fortran: [], fpcore: ["copysign"],
                condition: first, exact()
            }
            89 Canonicalize = unary::set {
                "canonicalize", [Real] -> Real, opcode: [], intrinsics: ["canonicalize"],
                library: [], fortran: [], fpcore: [],
                condition: passed, exact()
            }
            90 Ldexp = special::ldexp {
                "ldexp", [Real Integer] -> Real, opcode: [], intrinsics: ["ldexp"],
                library: ["ldexp"], fortran: [], fpcore: [],
                condition: first, exact()
            }
            91 Scalbn = special::ldexp {
                "scalbn", [Real Integer] -> Real, opcode: [], intrinsics: [],
                library: ["scalbn" "scalbln"], fortran: ["Scale"], fpcore: [],
                condition: first, exact()
            }
            92 Frexp = special::fraction {
                "frexp", [Real] -> Real, opcode: [], intrinsics: ["frexp"],
                library: ["frexp"], fortran: ["Fraction"], fpcore: [],
                condition: frexp, exact_but("x at a power of 2, where the fraction jumps and the exponent makes up for it", &[4.0])
            }
            93 Modf = unary::frac {
                "modf", [Real] -> Real and Trunc, opcode: [], intrinsics: ["modf"],
                library: ["modf"], fortran: [], fpcore: [],
                condition: modf, exact_but("x near a whole number, or large", &[3.000_001])
            }
            94 Ilogb = special::logb {
                "ilogb", [Real] -> Integer, opcode: [], intrinsics: [],
                library: ["ilogb" "llogb"], fortran: [], fpcore: [],
                condition: jumps_at_powers, exact_but("x at a power of 2", &[4.0])
            }
            95 Logb = special::logb {
                "logb", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["logb"], fortran: [], fpcore: [],
                condition: jumps_at_powers, exact_but("x at a power of 2", &[4.0])
            }
            96 Nextafter = special::undefined {
                "nextafter", [Real Real] -> Real, opcode: [], intrinsics: [],
                library: ["nextafter" "nexttoward"], fortran: [], fpcore: [],
                condition: first, exact()
            }
            97 Nextup = special::undefined {
                "nextup", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["nextup"], fortran: [], fpcore: [],
                condition: passed, exact()
            }
            98 Nextdown = special::undefined {
                "nextdown", [Real] -> Real, opcode: [], intrinsics: [],
                library: ["nextdown"], fortran: [], fpcore: [],
                condition: passed, exact()
            }
            99 IsClass = special::undefined {
                "class", [Real] -> Truth, opcode: [], intrinsics: ["is.fpclass"],
                library: ["isnan" "isinf" "finite" "__isnan" "__isinf" "__finite" "__fpclassify" "__signbit"], fortran: [], fpcore: [],
                condition: constant, exact()
            }

            // Reductions of a vector. Operands: the start value (sum and product), then the lanes.
            100 ReduceAdd = special::sum {
                "reduce add", [Real Real] -> Real folding Add, opcode: [], intrinsics: ["vector.reduce.fadd"],
                library: [], fortran: [], fpcore: [],
                condition: reduce_add, unstable("a sum small beside one of its terms", &[0.0, 1.0, -0.999_9, 1e-8])
            }
            101 ReduceMul = special::product {
                "reduce mul", [Real Real] -> Real folding Mul, opcode: [], intrinsics: ["vector.reduce.fmul"],
                library: [], fortran: [], fpcore: [],
                condition: reduce_mul, stable(1.0)
            }
            102 ReduceMin = special::minimum_lane {
                "reduce min", [Real] -> Real folding Fmin, opcode: [], intrinsics: ["vector.reduce.fmin"],
                library: [], fortran: [], fpcore: [],
                condition: reduce_extreme, exact()
            }
            103 ReduceMax = special::maximum_lane {
                "reduce max", [Real] -> Real folding Fmax, opcode: [], intrinsics: ["vector.reduce.fmax"],
                library: [], fortran: [], fpcore: [],
                condition: reduce_extreme, exact()
            }
            104 ReduceMinimum = special::strict_minimum_lane {
                "reduce minimum", [Real] -> Real folding Minimum, opcode: [], intrinsics: ["vector.reduce.fminimum"],
                library: [], fortran: [], fpcore: [],
                condition: reduce_extreme, exact()
            }
            105 ReduceMaximum = special::strict_maximum_lane {
                "reduce maximum", [Real] -> Real folding Maximum, opcode: [], intrinsics: ["vector.reduce.fmaximum"],
                library: [], fortran: [], fpcore: [],
                condition: reduce_extreme, exact()
            }

            // Functions of the program's own that are to be seen as one operation, by their operands.
            106 Call1 = special::undefined {
                "call", [Real] -> Real, opcode: [], intrinsics: [],
                library: [], fortran: [], fpcore: [],
                condition: passed, stable(1.0)
            }
            107 Call2 = special::undefined {
                "call of two", [Real Real] -> Real, opcode: [], intrinsics: [],
                library: [], fortran: [], fpcore: [],
                condition: both, stable(1.0)
            }
            108 Call3 = special::undefined {
                "call of three", [Real Real Real] -> Real, opcode: [], intrinsics: [],
                library: [], fortran: [], fpcore: [],
                condition: all_three, stable(1.0)
            }

            // A part of what a function of complex numbers gives, of the same computed once more.
            109 ComplexPart = unary::set {
                "complex", [Real] -> Real, opcode: [], intrinsics: [],
                library: [], fortran: [], fpcore: [],
                condition: passed, stable(1.0)
            }
        }
    };
}
