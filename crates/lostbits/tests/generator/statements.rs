//! Statements other than loops and operations on memory.

use super::{
    Generator,
    feature::Feature,
    tree::Node,
    types::{Aggregate, Outcome, Parameter, Real, Scalar},
};

impl Generator {
    /// Several statements, one after another in the same scope.
    pub(super) fn statements(&mut self, count: usize) -> Vec<Node> {
        (0..count).flat_map(|_| self.statement()).collect()
    }

    fn statement(&mut self) -> Vec<Node> {
        self.cost += self.repeats;
        let nests = self.depth < 4 && self.cost < 4000;
        match self.rng.below(if nests { 43 } else { 26 }) {
            0..=4 => vec![self.assignment()],
            5 => vec![self.declaration()],
            6 => vec![self.observation()],
            7 => vec![self.volatile_use()],
            8 => vec![self.static_local()],
            9 => vec![self.struct_assignment()],
            10 => vec![self.struct_through_pointer()],
            11 => vec![self.call_statement()],
            12 => self.complex_statement(),
            13 => vec![self.vector_type()],
            14 => vec![self.union_pun()],
            15 => vec![self.tagged_union()],
            16 => vec![self.library_out_parameter()],
            17 => vec![self.atomic()],
            18..=23 => vec![self.memory_statement()],
            24 => vec![self.goto_forward()],
            25 => vec![self.variadic_struct()],
            26..=29 => vec![self.branch()],
            30 => vec![self.switch()],
            _ => vec![self.loop_statement()],
        }
    }

    /// Something that can be assigned: a variable, an element or a member.
    pub(super) fn target(&mut self, r#type: Real) -> String {
        let scalars: Vec<&Scalar> = self
            .scope
            .scalars
            .iter()
            .filter(|scalar| scalar.r#type == r#type)
            .collect();
        if !scalars.is_empty() && self.rng.chance(50) {
            return self.rng.pick(&scalars).name.clone();
        }
        if let (true, Some(member)) = (self.rng.chance(40), self.member(r#type)) {
            return member;
        }
        let array = self.array(r#type, true);
        format!("{}[{}]", array.name, self.index(array.length))
    }

    /// Keeps values from running away, most of all in loops.
    pub(super) fn tamed(&mut self, r#type: Real, value: String) -> String {
        let share = if self.repeats > 1 { 60 } else { 25 };
        if self.rng.chance(share) {
            format!("tame_{}({value})", r#type.letter())
        } else {
            value
        }
    }

    pub(super) fn assignment(&mut self) -> Node {
        let r#type = self.any_real();
        let target = self.target(r#type);
        let value = self.real(r#type, 4);
        let value = self.tamed(r#type, value);
        let operator = self.rng.pick(&["=", "=", "=", "=", "+=", "-=", "*=", "/="]);
        if operator == "/=" {
            return Node::line(format!(
                "{target} /= 1 + fabs{}({value});",
                r#type.library_suffix()
            ));
        }
        Node::line(format!("{target} {operator} {value};"))
    }

    fn declaration(&mut self) -> Node {
        let r#type = self.any_real();
        let value = self.real(r#type, 3);
        let name = self.fresh("x");
        self.scope.scalars.push(Scalar {
            r#type,
            name: name.clone(),
        });
        Node::line(format!("{} {name} = {value};", r#type.c()))
    }

    fn observation(&mut self) -> Node {
        let r#type = self.any_real();
        let value = self.real(r#type, 2);
        let observer = if self.depth == 0 && self.rng.chance(30) {
            "show"
        } else {
            "absorb"
        };
        Node::line(match observer {
            "show" => format!("show_{}(\"at {}\", {value});", r#type.letter(), self.names),
            _ => format!("absorb_{}({value});", r#type.letter()),
        })
    }

    fn volatile_use(&mut self) -> Node {
        self.mark(Feature::Volatile);
        let r#type = self.any_real();
        let (name, value, target) = (self.fresh("v"), self.real(r#type, 2), self.target(r#type));
        Node::block(
            "{",
            vec![
                Node::line(format!("volatile {} {name} = {value};", r#type.c())),
                Node::line(format!(
                    "{target} = {name} * 0.5{0} + {name};",
                    r#type.literal_suffix()
                )),
            ],
        )
    }

    fn static_local(&mut self) -> Node {
        self.mark(Feature::StaticLocal);
        let r#type = self.any_real();
        let name = self.fresh("kept");
        let (start, value, target) = (
            self.constant(r#type),
            self.real(r#type, 2),
            self.target(r#type),
        );
        Node::block(
            "{",
            vec![
                Node::line(format!("static {} {name} = {start};", r#type.c())),
                Node::line(format!(
                    "{name} = tame_{}({name} + {value});",
                    r#type.letter()
                )),
                Node::line(format!("{target} = {name};")),
            ],
        )
    }

    fn struct_assignment(&mut self) -> Node {
        let of = self.rng.below(self.structs.len());
        let (left, right) = (self.aggregate(of), self.aggregate(of));
        if self.structs[of].nested {
            self.mark(Feature::NestedStructCopy);
        }
        match self.rng.below(3) {
            0 => {
                self.mark(Feature::Memcpy);
                Node::line(format!("memmove(&{left}, &{right}, sizeof {left});"))
            }
            1 => {
                let name = self.fresh("s");
                let kind = self.structs[of].name.clone();
                self.scope.aggregates.push(Aggregate {
                    r#type: of,
                    name: name.clone(),
                });
                Node::line(format!("struct {kind} {name} = {right};"))
            }
            _ => Node::line(format!("{left} = {right};")),
        }
    }

    fn struct_through_pointer(&mut self) -> Node {
        self.mark(Feature::StructByPointer);
        let of = self.rng.below(self.structs.len());
        let (path, leaf) = self.rng.element(&self.structs[of].leaves);
        let (name, target) = (self.fresh("p"), self.aggregate(of));
        let value = self.real(leaf, 2);
        let value = self.tamed(leaf, value);
        let member = path.trim_start_matches('.');
        let kind = self.structs[of].name.clone();
        Node::block(
            "{",
            vec![
                Node::line(format!("struct {kind} *{name} = &{target};")),
                Node::line(format!("{name}->{member} = {value};")),
            ],
        )
    }

    fn call_statement(&mut self) -> Node {
        let affordable: Vec<usize> = (0..self.functions.len())
            .filter(|index| self.cost + self.repeats * self.functions[*index].cost < 12_000)
            .collect();
        if affordable.is_empty() {
            return self.assignment();
        }
        let index = self.rng.element(&affordable);
        let call = self.call(index, 2);
        match self.functions[index].outcome {
            Outcome::Real(of) => Node::line(format!("{} = {call};", self.target(of))),
            Outcome::Struct(of) => Node::line(format!("{} = {call};", self.aggregate(of))),
            Outcome::Complex(of) => Node::line(format!(
                "{} = tame_{}(cimag{}({call}));",
                self.target(of),
                of.letter(),
                of.library_suffix()
            )),
        }
    }

    fn complex_statement(&mut self) -> Vec<Node> {
        self.mark(Feature::Complex);
        let known = self.scope.complexes.clone();
        if known.is_empty() || self.rng.chance(30) {
            let r#type = self.rng.element(&Real::ALL);
            let name = self.fresh("z");
            let value = format!("({} + {} * I)", self.real(r#type, 1), self.real(r#type, 1));
            self.scope.complexes.push(Scalar {
                r#type,
                name: name.clone(),
            });
            return vec![Node::line(format!(
                "{} _Complex {name} = {value};",
                r#type.c()
            ))];
        }
        let variable = self.rng.element(&known);
        let (suffix, letter) = (variable.r#type.library_suffix(), variable.r#type.letter());
        let value = self.complex(variable.r#type, 3);
        let name = variable.name;
        vec![
            Node::line(format!("{name} = {value};")),
            // Both parts brought back, so that a loop over products does not overflow.
            Node::line(format!(
                "{name} = __builtin_complex(tame_{letter}(creal{suffix}({name})), tame_{letter}(cimag{suffix}({name})));"
            )),
        ]
    }

    fn vector_type(&mut self) -> Node {
        self.mark(Feature::VectorType);
        let (kind, lane, lanes) = if self.rng.chance(50) {
            ("pair_d", Real::Double, 2)
        } else {
            ("quad_f", Real::Float, 4)
        };
        let (a, b) = (self.fresh("lanes"), self.fresh("lanes"));
        let values = |this: &mut Self| -> String {
            (0..lanes)
                .map(|_| this.real(lane, 1))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let (left, right) = (values(self), values(self));
        let operator = self.rng.pick(&["+", "-", "*"]);
        let result = if self.rng.chance(40) {
            format!("{a} = turned_{kind}({a} {operator} {b});")
        } else {
            format!("{a} = {a} {operator} {b};")
        };
        let target = self.target(lane);
        Node::block(
            "{",
            vec![
                Node::line(format!("{kind} {a} = {{{left}}}, {b} = {{{right}}};")),
                Node::line(result),
                Node::line(format!(
                    "{target} = tame_{}({a}[{}] - {b}[{}]);",
                    lane.letter(),
                    self.rng.below(lanes),
                    self.rng.below(lanes)
                )),
            ],
        )
    }

    fn union_pun(&mut self) -> Node {
        self.mark(Feature::UnionPun);
        let name = self.fresh("u");
        let value = self.real(Real::Double, 2);
        let [low, high] = [0; 2].map(|_| self.real(Real::Float, 1));
        let (double, float) = (self.target(Real::Double), self.target(Real::Float));
        if self.rng.chance(50) {
            return Node::block(
                "{",
                vec![
                    Node::line(format!(
                        "union {{ double value; uint64_t bits; }} {name} = {{number_d({value})}};"
                    )),
                    Node::line(format!("absorb_bits({name}.bits);")),
                    Node::line(format!("{name}.bits ^= (uint64_t)1 << 63;")),
                    Node::line(format!("{double} = {name}.value;")),
                ],
            );
        }
        // Two floats moved as one word: their shadows lie where an integer is read and written.
        Node::block(
            "{",
            vec![
                Node::line(format!(
                    "union {{ float halves[2]; uint64_t bits; }} {name} = {{{{{low}, {high}}}}}, copy;"
                )),
                Node::line(format!("copy.bits = {name}.bits;")),
                Node::line(format!(
                    "{float} = tame_f(copy.halves[0] - copy.halves[1]);"
                )),
            ],
        )
    }

    fn tagged_union(&mut self) -> Node {
        self.mark(Feature::TaggedUnion);
        let name = self.fresh("either");
        let of = self.rng.element(&Real::ALL);
        let value = self.real(of, 2);
        let target = self.target(of);
        let letter = of.letter();
        let (condition, other) = (self.condition(0), self.real(Real::Double, 0));
        Node::block(
            "{",
            vec![
                Node::line(format!("struct variant {name} = {{0, {{.d = {other}}}}};")),
                Node::line(format!(
                    "if ({condition}) {{ {name}.tag = '{letter}'; {name}.as.{letter} = {value}; }}"
                )),
                Node::line(format!("{name} = passed_on({name});")),
                Node::line(format!(
                    "{target} = {name}.tag == '{letter}' ? {name}.as.{letter} : ({}){name}.as.d;",
                    of.c()
                )),
            ],
        )
    }

    fn library_out_parameter(&mut self) -> Node {
        self.mark(Feature::LibraryOutParameter);
        let of = self.any_real();
        let (value, target, name) = (self.real(of, 2), self.target(of), self.fresh("part"));
        let suffix = of.library_suffix();
        if self.rng.chance(50) {
            return Node::block(
                "{",
                vec![
                    Node::line(format!("{} {name};", of.c())),
                    Node::line(format!(
                        "{target} = modf{suffix}(tame_{0}({value}), &{name}) + {name} * 0.5{1};",
                        of.letter(),
                        of.literal_suffix()
                    )),
                ],
            );
        }
        Node::block(
            "{",
            vec![
                Node::line(format!("int {name};")),
                Node::line(format!(
                    "{target} = frexp{suffix}(tame_{}({value}), &{name}) * {name};",
                    of.letter()
                )),
            ],
        )
    }

    fn atomic(&mut self) -> Node {
        self.mark(Feature::Atomic);
        let of = self.rng.element(&[Real::Float, Real::Double]);
        let (value, target, name) = (self.real(of, 1), self.target(of), self.fresh("shared"));
        Node::block(
            "{",
            vec![
                Node::line(format!("static _Atomic {} {name};", of.c())),
                Node::line(format!("atomic_store(&{name}, {value});")),
                Node::line(format!(
                    "{target} = tame_{}(atomic_load(&{name}));",
                    of.letter()
                )),
            ],
        )
    }

    fn goto_forward(&mut self) -> Node {
        self.mark(Feature::Goto);
        let label = self.fresh("past");
        let condition = self.condition(1);
        let skipped = self.inside(1, |this| vec![this.assignment(), this.assignment()]);
        Node::closed(
            format!("{{ if ({condition}) goto {label};"),
            skipped,
            format!("{label}:; }}"),
        )
    }

    fn variadic_struct(&mut self) -> Node {
        self.mark(Feature::VariadicStruct);
        let of = 0;
        let target = self.target(Real::Double);
        let count = self.rng.between(1, 3);
        let arguments: Vec<String> = (0..count)
            .map(|_| format!("{}, {}", self.aggregate(of), self.real(Real::Double, 1)))
            .collect();
        Node::line(format!(
            "{target} = tame_d(variadic_structs({count}, {}));",
            arguments.join(", ")
        ))
    }

    fn branch(&mut self) -> Node {
        self.mark(Feature::BranchOnComparison);
        let condition = self.condition(2);
        let count = self.rng.between(1, 3);
        let taken = self.inside(1, |this| this.statements(count));
        if self.rng.chance(50) {
            return Node::block(format!("if ({condition}) {{"), taken);
        }
        let other = self.inside(1, |this| this.statements(count));
        Node::block(
            "{",
            vec![
                Node::block(format!("if ({condition}) {{"), taken),
                Node::block("else {", other),
            ],
        )
    }

    fn switch(&mut self) -> Node {
        self.mark(Feature::Switch);
        self.mark(Feature::FpToInteger);
        let of = self.any_real();
        let value = self.real(of, 2);
        let cases = (0..self.rng.between(2, 4))
            .map(|number| {
                let body = self.inside(1, |this| this.statements(1));
                let end = if self.rng.chance(80) {
                    "} break;"
                } else {
                    "} /* falls through */"
                };
                Node::closed(format!("case {number}: {{"), body, end)
            })
            .collect();
        let other = self.inside(1, |this| this.assignment());
        let Node::Line(other) = other else {
            unreachable!("an assignment is a line")
        };
        Node::closed(
            format!("switch (to_unsigned_{}({value}) & 3u) {{", of.letter()),
            cases,
            format!("default: {other}\n}}"),
        )
    }

    /// What a parameter brings into the scope of a function's body.
    pub(super) fn bring_in(&mut self, parameter: Parameter, name: &str) {
        let name = name.to_owned();
        match parameter {
            Parameter::Real(r#type) => self.scope.scalars.push(Scalar { r#type, name }),
            Parameter::OutReal(r#type) => {
                self.scope.scalars.push(Scalar {
                    r#type,
                    name: format!("(*{name})"),
                });
            }
            Parameter::Complex(r#type) => self.scope.complexes.push(Scalar { r#type, name }),
            Parameter::Struct(r#type) => self.scope.aggregates.push(Aggregate { r#type, name }),
            Parameter::StructPointer(r#type) => {
                self.scope.aggregates.push(Aggregate {
                    r#type,
                    name: format!("(*{name})"),
                });
            }
            Parameter::Array(r#type, length) => {
                self.scope.arrays.push(super::types::Array {
                    r#type,
                    name,
                    length,
                    constant: false,
                });
            }
        }
    }
}
