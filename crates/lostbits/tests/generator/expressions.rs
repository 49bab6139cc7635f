//! Expressions. Each is parenthesised, has no undefined behaviour, and names only what is in scope.

use super::{
    Generator,
    feature::Feature,
    types::{Aggregate, Array, Outcome, Parameter, Real, Scalar},
};

/// Functions of one argument that take any number.
const ANY_ARGUMENT: &[&str] = &[
    "sin", "cos", "atan", "tanh", "cbrt", "asinh", "erf", "erfc", "exp", "expm1", "exp2", "sinh",
    "cosh", "tan",
];
const UNIT_ARGUMENT: &[&str] = &["asin", "acos", "atanh", "log1p"];
const POSITIVE_ARGUMENT: &[&str] = &["sqrt", "log", "log2", "log10", "tgamma", "lgamma", "logb"];
const ROUNDINGS: &[&str] = &["floor", "ceil", "trunc", "round", "rint", "nearbyint"];
const COMPARISONS: &[&str] = &["<", "<=", ">", ">=", "==", "!="];

impl Generator {
    pub(super) fn any_real(&mut self) -> Real {
        match self.rng.below(10) {
            0..=4 => Real::Double,
            5..=7 => Real::Float,
            _ => Real::LongDouble,
        }
    }

    /// An expression of that type, `depth` operations deep at most.
    pub(super) fn real(&mut self, r#type: Real, depth: usize) -> String {
        self.mark(match r#type {
            Real::Float => Feature::Float,
            Real::Double => Feature::Double,
            Real::LongDouble => Feature::LongDouble,
        });
        if depth == 0 {
            return self.leaf(r#type);
        }
        match self.rng.below(40) {
            0..=12 => self.arithmetic(r#type, depth),
            13..=14 => format!("(-{})", self.real(r#type, depth - 1)),
            15..=16 => self.ternary(r#type, depth),
            17..=18 => self.sign_operation(r#type, depth),
            19 => self.minimum_or_maximum(r#type, depth),
            20 => self.fused(r#type, depth),
            21 => self.rounded(r#type, depth),
            22..=24 => self.library_call(r#type, depth),
            25..=27 => self.converted(r#type, depth),
            28..=29 => self.integer_converted(r#type),
            30 => self.bit_trick(r#type, depth),
            31..=32 => self.call_of(r#type, depth),
            33 => self.part_of_complex(r#type, depth),
            34 => self.classified(r#type, depth),
            35 => self.rare(r#type, depth),
            _ => self.leaf(r#type),
        }
    }

    fn leaf(&mut self, r#type: Real) -> String {
        match self.rng.below(10) {
            0..=3 => self.scalar(r#type).unwrap_or_else(|| self.constant(r#type)),
            4..=6 => self.element(r#type),
            7..=8 => self.member(r#type).unwrap_or_else(|| self.constant(r#type)),
            _ => self.constant(r#type),
        }
    }

    pub(super) fn constant(&mut self, r#type: Real) -> String {
        let suffix = r#type.literal_suffix();
        match self.rng.below(6) {
            0 => format!(
                "{}.{}{suffix}",
                self.rng.below(9),
                self.rng.pick(&["0", "5", "25"])
            ),
            1 => format!(
                "0x1.{:x}p{}{suffix}",
                self.rng.below(1 << 20),
                self.rng.between(0, 4)
            ),
            2 => format!(
                "{}e-{}{suffix}",
                self.rng.between(1, 99),
                self.rng.between(1, 6)
            ),
            _ => format!(
                "{}.{}{suffix}",
                self.rng.below(4),
                self.rng.between(1, 9999)
            ),
        }
    }

    fn scalar(&mut self, r#type: Real) -> Option<String> {
        let candidates: Vec<&Scalar> = self
            .scope
            .scalars
            .iter()
            .filter(|scalar| scalar.r#type == r#type)
            .collect();
        (!candidates.is_empty()).then(|| self.rng.pick(&candidates).name.clone())
    }

    /// An array of the type that is in scope; each type has a global one.
    pub(super) fn array(&mut self, r#type: Real, assigned: bool) -> Array {
        let candidates: Vec<&Array> = self
            .scope
            .arrays
            .iter()
            .filter(|array| array.r#type == r#type && !(assigned && array.constant))
            .collect();
        let array = self.rng.pick(&candidates).clone();
        if array.constant {
            self.mark(Feature::ConstantTable);
        }
        array
    }

    fn element(&mut self, r#type: Real) -> String {
        let array = self.array(r#type, false);
        let index = self.index(array.length);
        format!("{}[{index}]", array.name)
    }

    /// An index into an array of that length.
    pub(super) fn index(&mut self, length: usize) -> String {
        match self.rng.below(8) {
            0..=2 => self.rng.below(length).to_string(),
            3 => {
                self.mark(Feature::FpToInteger);
                let from = self.any_real();
                let value = self.real(from, 0);
                format!("to_unsigned_{}({value}) & {}u", from.letter(), length - 1)
            }
            _ => format!("{} & {}u", self.natural(), length - 1),
        }
    }

    /// An unsigned integer expression.
    fn natural(&mut self) -> String {
        if self.scope.indices.is_empty() {
            return format!("{}u", self.rng.below(1000));
        }
        let index = self.rng.element(&self.scope.indices);
        match self.rng.below(3) {
            0 => format!("(unsigned){index}"),
            1 => format!("({index} + {}u)", self.rng.below(9)),
            _ => format!(
                "({index} * {}u + {}u)",
                self.rng.between(1, 5),
                self.rng.below(9)
            ),
        }
    }

    /// An aggregate of the type that is in scope; each type has a global one.
    pub(super) fn aggregate(&mut self, r#type: usize) -> String {
        let candidates: Vec<&Aggregate> = self
            .scope
            .aggregates
            .iter()
            .filter(|aggregate| aggregate.r#type == r#type)
            .collect();
        self.rng.pick(&candidates).name.clone()
    }

    pub(super) fn member(&mut self, r#type: Real) -> Option<String> {
        let Aggregate { r#type: of, name } = self.rng.element(&self.scope.aggregates);
        let fitting: Vec<String> = self.structs[of]
            .leaves
            .iter()
            .filter(|(_, leaf)| *leaf == r#type)
            .map(|(path, _)| path.clone())
            .collect();
        (!fitting.is_empty()).then(|| format!("{name}{}", self.rng.element(&fitting)))
    }

    fn arithmetic(&mut self, r#type: Real, depth: usize) -> String {
        let left = self.real(r#type, depth - 1);
        let right = self.real(r#type, depth - 1);
        match self.rng.below(10) {
            0..=2 => format!("({left} + {right})"),
            3..=5 => format!("({left} - {right})"),
            6..=7 => format!("({left} * {right})"),
            8 => format!("({left} / (1 + fabs{}({right})))", r#type.library_suffix()),
            _ => format!("({left} / {right})"),
        }
    }

    /// A comparison or a combination of two.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        let r#type = self.any_real();
        let left = self.real(r#type, depth);
        let right = self.real(r#type, depth);
        let comparison = format!("{left} {} {right}", self.rng.pick(COMPARISONS));
        match self.rng.below(8) {
            0 => format!("({comparison}) && ({})", self.condition(0)),
            1 => format!("({comparison}) || !({})", self.condition(0)),
            _ => comparison,
        }
    }

    fn ternary(&mut self, r#type: Real, depth: usize) -> String {
        self.mark(Feature::Ternary);
        let left = self.real(r#type, depth - 1);
        let right = self.real(r#type, depth - 1);
        match self.rng.below(4) {
            // The forms that become min, max and absolute values.
            0 => {
                let (a, b) = (self.leaf(r#type), self.leaf(r#type));
                format!("({a} {} {b} ? {a} : {b})", self.rng.pick(&["<", ">"]))
            }
            1 => {
                let a = self.leaf(r#type);
                format!("({a} < 0 ? -{a} : {a})")
            }
            _ => format!("({} ? {left} : {right})", self.condition(0)),
        }
    }

    fn sign_operation(&mut self, r#type: Real, depth: usize) -> String {
        self.mark(Feature::SignOperation);
        let suffix = r#type.library_suffix();
        let value = self.real(r#type, depth - 1);
        if self.rng.chance(60) {
            return format!("fabs{suffix}({value})");
        }
        let sign = self.real(r#type, 0);
        format!(
            "copysign{suffix}({value}, number_{}({sign}))",
            r#type.letter()
        )
    }

    /// Adding zero hides which zero was taken, because the standard does not say.
    fn minimum_or_maximum(&mut self, r#type: Real, depth: usize) -> String {
        self.mark(Feature::MinMax);
        let name = self.rng.pick(&["fmin", "fmax", "fdim"]);
        let (left, right) = (self.real(r#type, depth - 1), self.real(r#type, 0));
        format!("({name}{}({left}, {right}) + 0)", r#type.library_suffix())
    }

    fn fused(&mut self, r#type: Real, depth: usize) -> String {
        self.mark(Feature::Fma);
        let [a, b, c] = [0; 3].map(|_| self.real(r#type, depth - 1));
        format!("fma{}({a}, {b}, {c})", r#type.library_suffix())
    }

    fn rounded(&mut self, r#type: Real, depth: usize) -> String {
        self.mark(Feature::Rounding);
        let value = self.real(r#type, depth - 1);
        format!(
            "{}{}({value})",
            self.rng.pick(ROUNDINGS),
            r#type.library_suffix()
        )
    }

    fn library_call(&mut self, r#type: Real, depth: usize) -> String {
        self.mark(Feature::Library);
        let (suffix, letter) = (r#type.library_suffix(), r#type.letter());
        // Not a constant: the compiler may fold a function of one to another last bit than the library's.
        let value = format!("({} + nothing_{letter})", self.real(r#type, depth - 1));
        let tame = format!("tame_{letter}({value})");
        let positive = format!("(fabs{suffix}({tame}) + 0.0625{})", r#type.literal_suffix());
        match self.rng.below(8) {
            0..=2 => format!("{}{suffix}({tame})", self.rng.pick(ANY_ARGUMENT)),
            3 => format!(
                "{}{suffix}(unit_{letter}({value}))",
                self.rng.pick(UNIT_ARGUMENT)
            ),
            4 => format!("{}{suffix}({positive})", self.rng.pick(POSITIVE_ARGUMENT)),
            5 => format!(
                "pow{suffix}({positive}, unit_{letter}({}))",
                self.real(r#type, 0)
            ),
            6 => {
                let name = self.rng.pick(&["atan2", "hypot", "fmod", "remainder"]);
                format!(
                    "{name}{suffix}(number_{letter}({value}), number_{letter}({}))",
                    self.real(r#type, 0)
                )
            }
            _ => {
                let name = self.rng.pick(&["ldexp", "scalbn"]);
                format!(
                    "{name}{suffix}({value}, {})",
                    self.rng.between(0, 9) as i32 - 5
                )
            }
        }
    }

    fn converted(&mut self, r#type: Real, depth: usize) -> String {
        self.mark(Feature::FormatConversion);
        let from = self.rng.element(&Real::ALL);
        let value = self.real(from, depth - 1);
        if from == Real::Float && self.rng.chance(25) {
            self.mark(Feature::Half);
            return format!("(({})(_Float16)tame_f({value}))", r#type.c());
        }
        format!("(({}){value})", r#type.c())
    }

    fn integer_converted(&mut self, r#type: Real) -> String {
        self.mark(Feature::IntegerToFp);
        let natural = self.natural();
        let integer = match self.rng.below(6) {
            0 => format!("(int){natural}"),
            1 => format!("(uint64_t){natural}"),
            2 => format!("(short)({natural} & 1023u)"),
            3 => format!("(signed char)({natural} & 127u)"),
            4 => {
                self.mark(Feature::FpToInteger);
                let from = self.any_real();
                let name = self
                    .rng
                    .pick(&["to_int", "to_unsigned", "to_long", "to_ulong"]);
                format!("{name}_{}({})", from.letter(), self.real(from, 0))
            }
            _ => natural,
        };
        format!(
            "(({})({integer}) * 0.03125{})",
            r#type.c(),
            r#type.literal_suffix()
        )
    }

    fn bit_trick(&mut self, r#type: Real, depth: usize) -> String {
        self.mark(Feature::BitTrick);
        let value = self.real(r#type, depth - 1);
        match r#type {
            Real::Float => format!(
                "{}_f({value})",
                self.rng.pick(&["flip", "magnitude", "mantissa"])
            ),
            Real::Double => {
                format!(
                    "{}_d({value})",
                    self.rng.pick(&["flip", "magnitude", "mantissa", "head"])
                )
            }
            Real::LongDouble => format!("((long double)flip_d((double){value}))"),
        }
    }

    fn part_of_complex(&mut self, r#type: Real, depth: usize) -> String {
        if self.scope.complexes.is_empty() {
            return self.leaf(r#type);
        }
        let of = self.rng.element(&self.scope.complexes).r#type;
        let value = self.complex(of, depth.min(2));
        let function = self.rng.pick(&["creal", "cimag", "cabs"]);
        format!(
            "(({}){function}{}({value}))",
            r#type.c(),
            of.library_suffix()
        )
    }

    /// A complex expression; there must be a complex variable of the type in scope.
    pub(super) fn complex(&mut self, r#type: Real, depth: usize) -> String {
        self.mark(Feature::Complex);
        let candidates: Vec<&Scalar> = self
            .scope
            .complexes
            .iter()
            .filter(|variable| variable.r#type == r#type)
            .collect();
        let variable = self.rng.pick(&candidates).name.clone();
        if depth == 0 {
            return variable;
        }
        match self.rng.below(6) {
            0..=2 => {
                let operator = self.rng.pick(&["+", "-", "*", "/"]);
                format!(
                    "({variable} {operator} {})",
                    self.complex(r#type, depth - 1)
                )
            }
            3 => format!("({variable} * {})", self.real(r#type, 0)),
            4 => format!("conj{}({variable})", r#type.library_suffix()),
            _ => {
                let (re, im) = (self.real(r#type, depth - 1), self.real(r#type, 0));
                format!("__builtin_complex({re}, {im})")
            }
        }
    }

    fn classified(&mut self, r#type: Real, depth: usize) -> String {
        self.mark(Feature::Classification);
        let value = self.real(r#type, 0);
        let (yes, no) = (self.real(r#type, depth - 1), self.real(r#type, 0));
        match self.rng.below(4) {
            0 => format!("(isnan({value}) ? {no} : {yes})"),
            1 => format!("(isfinite({value}) ? {yes} : {no})"),
            2 => format!("(isgreater({value}, {no}) ? {yes} : {no})"),
            _ => format!(
                "(signbit(number_{}({value})) ? {yes} : {no})",
                r#type.letter()
            ),
        }
    }

    fn rare(&mut self, r#type: Real, depth: usize) -> String {
        match self.rng.below(3) {
            0 if self.repeats < 40 => {
                self.mark(Feature::TextConversion);
                self.cost += 20 * self.repeats;
                format!("(({})reread((double){}))", r#type.c(), self.real(r#type, 0))
            }
            1 => {
                self.mark(Feature::FunctionPointer);
                let index = self.index(4);
                let value = self.real(Real::Double, depth - 1);
                format!(
                    "(({})table_of_functions[{index}](tame_d({value})))",
                    r#type.c()
                )
            }
            _ => {
                self.mark(Feature::VariadicCall);
                let count = self.rng.between(1, 6);
                let values: Vec<String> = (0..count)
                    .map(|_| {
                        let word = format!("(int)({} & 63u)", self.natural());
                        let [double, long] =
                            [Real::Double, Real::LongDouble].map(|of| self.real(of, 0));
                        format!("{word}, {double}, (long double){long}")
                    })
                    .collect();
                format!(
                    "(({})variadic_sum({count}, {}))",
                    r#type.c(),
                    values.join(", ")
                )
            }
        }
    }

    /// A call that gives a value of the type, if a function can be afforded here.
    fn call_of(&mut self, r#type: Real, depth: usize) -> String {
        let affordable: Vec<usize> = (0..self.functions.len())
            .filter(|index| self.repeats * self.functions[*index].cost < 3000)
            .filter(|index| self.cost + self.repeats * self.functions[*index].cost < 12_000)
            .collect();
        if affordable.is_empty() {
            return self.leaf(r#type);
        }
        let index = self.rng.element(&affordable);
        let call = self.call(index, depth.min(2) - 1);
        match self.functions[index].outcome {
            Outcome::Real(_) => format!("(({}){call})", r#type.c()),
            Outcome::Complex(of) => {
                format!("(({})creal{}({call}))", r#type.c(), of.library_suffix())
            }
            Outcome::Struct(of) => {
                let (path, _) = self.rng.element(&self.structs[of].leaves);
                format!("(({}){call}{path})", r#type.c())
            }
        }
    }

    /// A call of that function with arguments from the scope.
    pub(super) fn call(&mut self, index: usize, depth: usize) -> String {
        let function = self.functions[index].clone();
        self.cost += self.repeats * function.cost;
        self.mark(if function.is_static {
            Feature::StaticCall
        } else {
            Feature::ExternCall
        });
        if matches!(function.outcome, Outcome::Struct(_)) {
            self.mark(Feature::StructReturned);
        }
        let arguments: Vec<String> = function
            .parameters
            .iter()
            .map(|parameter| self.argument(*parameter, depth))
            .collect();
        format!("{}({})", function.name, arguments.join(", "))
    }

    fn argument(&mut self, parameter: Parameter, depth: usize) -> String {
        match parameter {
            Parameter::Real(of) => format!("tame_{}({})", of.letter(), self.real(of, depth)),
            Parameter::Complex(of) => {
                let (re, im) = (self.real(of, depth), self.real(of, 0));
                format!("__builtin_complex({re}, {im})")
            }
            Parameter::Struct(of) => {
                self.mark(Feature::StructByValue);
                self.aggregate(of)
            }
            Parameter::StructPointer(of) => {
                self.mark(Feature::StructByPointer);
                format!("&{}", self.aggregate(of))
            }
            Parameter::OutReal(of) => {
                self.mark(Feature::OutParameter);
                format!("&out_{}", of.letter())
            }
            Parameter::Array(of, length) => {
                let array = self.array(of, true);
                let spare = array.length - length;
                if spare > 0 && self.rng.chance(40) {
                    format!("{} + {}", array.name, self.rng.below(spare + 1))
                } else {
                    array.name
                }
            }
        }
    }
}
