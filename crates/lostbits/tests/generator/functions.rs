//! The program as a whole: types, globals, functions in an order in which each calls only earlier ones,
//! and `main`.

use super::{
    Generator,
    feature::Feature,
    tree::Node,
    types::{
        Aggregate, Array, Field, FieldType, Function, Outcome, Parameter, Real, Scalar, Scope,
        StructType,
    },
};

/// Elements an array parameter promises.
const PARAMETER_LENGTH: usize = 16;

impl Generator {
    pub(super) fn program(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        for _ in 0..self.rng.between(2, 4) {
            nodes.push(self.struct_type());
        }
        nodes.push(Node::line(VARIANT));
        let mut start = Vec::new();
        nodes.extend(self.globals(&mut start));
        nodes.push(self.shapes());
        nodes.extend(self.variadic_functions());
        nodes.push(Node::line(VECTORS));
        for _ in 0..self.rng.between(3, 5) {
            let node = if self.rng.chance(20) {
                self.recursive_function()
            } else {
                self.function()
            };
            nodes.push(node);
        }
        nodes.push(self.main_function(start));
        nodes
    }

    fn struct_type(&mut self) -> Node {
        let number = self.structs.len();
        let mut fields = Vec::new();
        let mut leaves = Vec::new();
        for _ in 0..self.rng.between(1, 5) {
            let name = self.fresh("m");
            let r#type = match self.rng.below(10) {
                0 => FieldType::Integer(self.rng.pick(&["int", "char", "int64_t", "short"])),
                1..=2 => FieldType::Array(self.any_real(), self.rng.element(&[2, 3, 4])),
                3..=4 if number > 0 => FieldType::Struct(self.rng.below(number)),
                _ => FieldType::Real(self.any_real()),
            };
            match &r#type {
                FieldType::Real(of) => leaves.push((format!(".{name}"), *of)),
                FieldType::Array(of, length) => {
                    leaves.extend((0..*length).map(|index| (format!(".{name}[{index}]"), *of)));
                }
                FieldType::Struct(of) => leaves.extend(
                    self.structs[*of]
                        .leaves
                        .iter()
                        .map(|(path, leaf)| (format!(".{name}{path}"), *leaf)),
                ),
                FieldType::Integer(_) => {}
            }
            fields.push(Field { name, r#type });
        }
        if leaves.is_empty() {
            let name = self.fresh("m");
            leaves.push((format!(".{name}"), Real::Double));
            fields.push(Field {
                name,
                r#type: FieldType::Real(Real::Double),
            });
        }
        let name = format!("S{number}");
        let lines = fields
            .iter()
            .map(|field| Node::line(self.field_declaration(field)))
            .collect();
        let nested = fields
            .iter()
            .any(|field| matches!(field.r#type, FieldType::Struct(_)));
        let node = Node::closed(format!("struct {name} {{"), lines, "};");
        self.structs.push(StructType {
            name,
            leaves,
            nested,
        });
        node
    }

    fn field_declaration(&self, field: &Field) -> String {
        match &field.r#type {
            FieldType::Real(of) => format!("{} {};", of.c(), field.name),
            FieldType::Array(of, length) => format!("{} {}[{length}];", of.c(), field.name),
            FieldType::Struct(of) => format!("struct {} {};", self.structs[*of].name, field.name),
            FieldType::Integer(of) => format!("{of} {};", field.name),
        }
    }

    /// Global variables; `start` receives the statements of `main` that give them values.
    fn globals(&mut self, start: &mut Vec<Node>) -> Vec<Node> {
        self.mark(Feature::GlobalArray);
        let mut nodes = Vec::new();
        for of in Real::ALL {
            let (kind, letter) = (of.c(), of.letter());
            let length = self.rng.element(&[16, 32, 64]);
            let values: Vec<String> = (0..16).map(|_| self.constant(of)).collect();
            let storage = if self.rng.chance(60) { "static " } else { "" };
            nodes.push(Node::line(format!(
                "{storage}{kind} g_{letter}[{length}], x_{letter}, out_{letter};"
            )));
            nodes.push(Node::line(format!(
                "static const {kind} t_{letter}[16] = {{{}}};",
                values.join(", ")
            )));
            start.push(Node::line(format!(
                "for (int i = 0; i < {length}; i++) g_{letter}[i] = ({kind})draw();"
            )));
            start.push(Node::line(format!("x_{letter} = ({kind})draw();")));
            let array = |name: &str, length, constant| Array {
                r#type: of,
                name: format!("{name}_{letter}"),
                length,
                constant,
            };
            self.scope
                .arrays
                .extend([array("g", length, false), array("t", 16, true)]);
            self.scope.scalars.push(Scalar {
                r#type: of,
                name: format!("x_{letter}"),
            });
        }
        for (index, of) in self.structs.iter().enumerate() {
            nodes.push(Node::line(format!("struct {} s{index};", of.name)));
            for (path, leaf) in &of.leaves {
                start.push(Node::line(format!(
                    "s{index}{path} = ({})draw();",
                    leaf.c()
                )));
            }
            self.scope.aggregates.push(Aggregate {
                r#type: index,
                name: format!("s{index}"),
            });
        }
        nodes
    }

    /// Functions of one double, called through a table.
    fn shapes(&mut self) -> Node {
        let own: Vec<Node> = (0..2)
            .map(|number| {
                let (a, b) = (self.constant(Real::Double), self.constant(Real::Double));
                let body = match self.rng.below(3) {
                    0 => format!("x * {a} + {b}"),
                    1 => format!("x < {a} ? x - {b} : sin(x)"),
                    _ => format!("(double)((float)x * (float)x) - {b}"),
                };
                Node::line(format!(
                    "static double shape{number}(double x) {{ return {body}; }}"
                ))
            })
            .collect();
        let library = self.rng.pick(&["sin", "floor", "fabs", "atan"]);
        Node::closed(
            "",
            own,
            format!(
                "static double (*volatile table_of_functions[4])(double) = {{shape0, shape1, {library}, shape0}};"
            ),
        )
    }

    fn variadic_functions(&mut self) -> Vec<Node> {
        let first = self.structs[0].clone();
        let terms: Vec<String> = first
            .leaves
            .iter()
            .map(|(path, _)| format!("(double)taken{path}"))
            .collect();
        vec![
            Node::line(VARIADIC_SUM),
            Node::line(format!(
                "static double variadic_structs(int count, ...) {{\n    \
                 va_list list;\n    double sum = 0;\n    va_start(list, count);\n    \
                 while (count-- > 0) {{\n        struct S0 taken = va_arg(list, struct S0);\n        \
                 sum += {} - va_arg(list, double);\n    }}\n    va_end(list);\n    return sum;\n}}",
                terms.join(" + ")
            )),
        ]
    }

    fn parameters(&mut self) -> Vec<Parameter> {
        (0..self.rng.between(1, 7))
            .map(|_| {
                let of = self.any_real();
                match self.rng.below(12) {
                    0..=5 => Parameter::Real(of),
                    6..=7 => Parameter::Struct(self.rng.below(self.structs.len())),
                    8 => Parameter::StructPointer(self.rng.below(self.structs.len())),
                    9 => Parameter::OutReal(of),
                    10 => Parameter::Complex(of),
                    _ => Parameter::Array(of, PARAMETER_LENGTH),
                }
            })
            .collect()
    }

    fn parameter_declaration(&self, parameter: Parameter, name: &str) -> String {
        match parameter {
            Parameter::Real(of) => format!("{} {name}", of.c()),
            Parameter::Complex(of) => format!("{} _Complex {name}", of.c()),
            Parameter::Struct(of) => format!("struct {} {name}", self.structs[of].name),
            Parameter::StructPointer(of) => format!("struct {} *{name}", self.structs[of].name),
            Parameter::OutReal(of) | Parameter::Array(of, _) => format!("{} *{name}", of.c()),
        }
    }

    fn outcome(&mut self) -> Outcome {
        match self.rng.below(10) {
            0..=5 => Outcome::Real(self.any_real()),
            6..=8 => Outcome::Struct(self.rng.below(self.structs.len())),
            _ => Outcome::Complex(self.any_real()),
        }
    }

    fn outcome_type(&self, outcome: Outcome) -> String {
        match outcome {
            Outcome::Real(of) => of.c().to_owned(),
            Outcome::Complex(of) => format!("{} _Complex", of.c()),
            Outcome::Struct(of) => format!("struct {}", self.structs[of].name),
        }
    }

    /// The value a function gives back, from what is in scope at its end.
    fn result(&mut self, outcome: Outcome) -> String {
        match outcome {
            Outcome::Real(of) => format!("tame_{}({})", of.letter(), self.real(of, 3)),
            Outcome::Complex(of) => {
                let (re, im) = (self.real(of, 2), self.real(of, 1));
                format!("__builtin_complex({re}, {im})")
            }
            Outcome::Struct(of) => self.aggregate(of),
        }
    }

    fn function(&mut self) -> Node {
        let outer = std::mem::take(&mut self.cost);
        let parameters = self.parameters();
        let outcome = self.outcome();
        let is_static = self.rng.chance(60);
        let name = self.fresh("f");
        let names: Vec<String> = parameters.iter().map(|_| self.fresh("p")).collect();
        let (body, result) = self.inside(1, |this| {
            this.depth = 0;
            for (parameter, name) in parameters.iter().zip(&names) {
                this.bring_in(*parameter, name);
            }
            let count = this.rng.between(3, 8);
            let body = this.statements(count);
            this.depth = 1;
            (body, this.result(outcome))
        });
        self.depth = 0;
        let declared: Vec<String> = parameters
            .iter()
            .zip(&names)
            .map(|(parameter, name)| self.parameter_declaration(*parameter, name))
            .collect();
        let how = match (is_static, self.rng.below(3)) {
            (true, 0) => "static inline ",
            (true, 1) => "static __attribute__((noinline)) ",
            (true, _) => "static ",
            (false, 0) => "__attribute__((noinline)) ",
            (false, _) => "",
        };
        let head = format!(
            "{how}{} {name}({}) {{",
            self.outcome_type(outcome),
            declared.join(", ")
        );
        let cost = self.cost + 1;
        self.functions.push(Function {
            name,
            parameters,
            outcome,
            cost,
            is_static,
        });
        self.cost = outer;
        Node::closed(head, body, format!("    return {result};\n}}"))
    }

    /// A function that calls itself twice on a smaller depth, a struct carried along by value.
    fn recursive_function(&mut self) -> Node {
        self.mark(Feature::Recursion);
        let outer = std::mem::take(&mut self.cost);
        let of = self.any_real();
        let carried = self.rng.below(self.structs.len());
        let (inner, name) = (self.fresh("r"), self.fresh("f"));
        let (kind, letter) = (of.c(), of.letter());
        let carried_kind = self.structs[carried].name.clone();
        let functions = std::mem::take(&mut self.functions);
        let (body, base, first, second) = self.inside(1, |this| {
            this.scope.scalars.push(Scalar {
                r#type: of,
                name: "x".to_owned(),
            });
            this.scope.aggregates.push(Aggregate {
                r#type: carried,
                name: "carried".to_owned(),
            });
            let body = vec![this.assignment(), this.assignment()];
            (body, this.real(of, 2), this.real(of, 2), this.real(of, 1))
        });
        self.functions = functions;
        let node = Node::closed(
            format!(
                "static {kind} {inner}(int depth, {kind} x, struct {carried_kind} carried) {{\n    \
                 if (depth <= 0) return tame_{letter}({base});"
            ),
            body,
            format!(
                "    {kind} left = {inner}(depth - 1, tame_{letter}({first}), carried);\n    \
                 return tame_{letter}(left - {inner}(depth - 2, tame_{letter}({second}), carried));\n}}\n\
                 static {kind} {name}({kind} x, struct {carried_kind} carried) {{ return {inner}(6, x, carried); }}"
            ),
        );
        self.functions.push(Function {
            name,
            parameters: vec![Parameter::Real(of), Parameter::Struct(carried)],
            outcome: Outcome::Real(of),
            cost: 40 * (self.cost + 2),
            is_static: true,
        });
        self.cost = outer;
        node
    }

    fn main_function(&mut self, start: Vec<Node>) -> Node {
        self.cost = 0;
        let mut body = start;
        let globals: Scope = self.scope.clone();
        let rounds = self.rng.between(2, 4);
        let calls = self.inside(1, |this| {
            this.scope.indices.push("turn".to_owned());
            let count = this.rng.between(8, 14);
            let mut nodes = this.statements(count);
            for index in 0..this.functions.len() {
                let call = this.call(index, 2);
                let kept = match this.functions[index].outcome {
                    Outcome::Real(of) => format!("show_{}(\"call {index}\", {call});", of.letter()),
                    Outcome::Struct(of) => format!("s{of} = {call};"),
                    Outcome::Complex(of) => {
                        format!(
                            "show_{}(\"call {index}\", cabs{}({call}));",
                            of.letter(),
                            of.library_suffix()
                        )
                    }
                };
                nodes.push(Node::line(kept));
            }
            nodes
        });
        body.push(Node::block(
            format!("for (int turn = 0; turn < {rounds}; turn++) {{"),
            calls,
        ));
        body.extend(self.observe_everything(globals));
        Node::closed(
            "int main(void) {\n    entropy = 20240229;",
            body,
            "    printf(\"checksum %016llx\\n\", (unsigned long long)checksum);\n    return (int)(checksum & 31);\n}",
        )
    }

    fn observe_everything(&mut self, globals: Scope) -> Vec<Node> {
        let mut nodes = Vec::new();
        for scalar in globals.scalars {
            nodes.push(Node::line(format!(
                "show_{}(\"{1}\", {1});",
                scalar.r#type.letter(),
                scalar.name
            )));
        }
        for array in globals.arrays.iter().filter(|array| !array.constant) {
            nodes.push(Node::line(format!(
                "for (int i = 0; i < {0}; i++) show_{1}(\"{2}\", {2}[i]);",
                array.length,
                array.r#type.letter(),
                array.name
            )));
        }
        for Aggregate { r#type, name } in globals.aggregates {
            for (path, leaf) in &self.structs[r#type].leaves {
                nodes.push(Node::line(format!(
                    "show_{}(\"{name}{path}\", {name}{path});",
                    leaf.letter()
                )));
            }
        }
        nodes
    }
}

const VARIANT: &str = "struct variant {
    int tag;
    union { float f; double d; long double l; struct S0 s; } as;
};
static __attribute__((noinline)) struct variant passed_on(struct variant given) { return given; }";

const VARIADIC_SUM: &str = "static double variadic_sum(int count, ...) {
    va_list list;
    double sum = 0;
    va_start(list, count);
    while (count-- > 0) {
        int weight = va_arg(list, int);
        sum += weight * 0.25 * tame_d(va_arg(list, double));
        sum -= (double)tame_l(va_arg(list, long double));
    }
    va_end(list);
    return tame_d(sum);
}";

const VECTORS: &str =
    "static __attribute__((noinline)) pair_d turned_pair_d(pair_d v) { return (pair_d){v[1], -v[0]}; }
static __attribute__((noinline)) quad_f turned_quad_f(quad_f v) { return (quad_f){v[3], v[0], -v[1], v[2]}; }";
