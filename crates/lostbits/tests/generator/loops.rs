//! Loops: some that vectorise, some that cannot, all bounded.

use super::{Generator, feature::Feature, tree::Node, types::Real};

impl Generator {
    pub(super) fn loop_statement(&mut self) -> Node {
        match self.rng.below(12) {
            0..=2 => self.elementwise(),
            3..=4 => self.reduction(),
            5 => self.stencil(),
            6 => self.matrix_like(),
            7 => self.loop_over_structs(),
            8 => self.while_loop(),
            9 => self.do_loop(),
            _ => self.counted(),
        }
    }

    /// How often a loop here may turn.
    fn trips(&mut self, most: usize) -> usize {
        let allowed = (400 / self.repeats.max(1)) as usize;
        self.rng.between(2, most.min(allowed).max(3))
    }

    /// `a[i] = f(b[i], c[i], i)` over the whole of an array.
    fn elementwise(&mut self) -> Node {
        self.mark(Feature::VectorisableLoop);
        let of = self.any_real();
        let from = if self.rng.chance(70) {
            of
        } else {
            self.any_real()
        };
        let (to, a, b) = (
            self.array(of, true),
            self.array(of, false),
            self.array(from, false),
        );
        let length = to.length.min(a.length).min(b.length);
        let i = self.fresh("i");
        self.cost += self.repeats * length as u64;
        let value = self.simple_map(
            of,
            &format!("{}[{i}]", a.name),
            &format!("(({}){}[{i}])", of.c(), b.name),
            &i,
        );
        Node::block(
            format!("for (int {i} = 0; {i} < {length}; {i}++) {{"),
            vec![Node::line(format!("{}[{i}] = {value};", to.name))],
        )
    }

    /// An expression without calls that the vectoriser would not take.
    fn simple_map(&mut self, of: Real, a: &str, b: &str, i: &str) -> String {
        let (suffix, c) = (of.library_suffix(), self.constant(of));
        match self.rng.below(9) {
            0 => format!("{a} * {c} + {b}"),
            1 => format!("({a} - {b}) * {c}"),
            2 => format!("fabs{suffix}({a}) - fabs{suffix}({b}) * {c}"),
            3 => format!("{a} < {b} ? {a} + {c} : {b} - {c}"),
            4 => format!("{a} * {c} + ({}){i} * {b}", of.c()),
            5 => format!("sqrt{suffix}(fabs{suffix}({a})) - {b}"),
            6 => format!("{a} > {b} ? {a} : {b}"),
            7 => format!("floor{suffix}({a} * {c}) + {b}"),
            _ => format!("tame_{}({a} / {b})", of.letter()),
        }
    }

    fn reduction(&mut self) -> Node {
        self.mark(Feature::ReductionLoop);
        let of = self.any_real();
        let (a, b) = (self.array(of, false), self.array(of, false));
        let length = a.length.min(b.length);
        let (i, sum, target) = (self.fresh("i"), self.fresh("sum"), self.target(of));
        self.cost += self.repeats * length as u64;
        let (start, x, y) = (
            self.constant(of),
            format!("{}[{i}]", a.name),
            format!("{}[{i}]", b.name),
        );
        let step = match self.rng.below(5) {
            0 => format!("{sum} += {x} * {y};"),
            1 => format!("{sum} = {x} > {sum} ? {x} : {sum};"),
            2 => format!("if ({x} < {y}) {sum} += {x};"),
            3 => format!("{sum} = {sum} * 0.5{} + {x};", of.literal_suffix()),
            _ => format!("{sum} += ({})({x} < {y} ? {i} : -{i});", of.c()),
        };
        Node::block(
            "{",
            vec![
                Node::line(format!("{} {sum} = {start};", of.c())),
                Node::block(
                    format!("for (int {i} = 0; {i} < {length}; {i}++) {{"),
                    vec![Node::line(step)],
                ),
                Node::line(format!("{target} = tame_{}({sum});", of.letter())),
            ],
        )
    }

    fn stencil(&mut self) -> Node {
        self.mark(Feature::Stencil);
        let of = self.any_real();
        let (to, from) = (self.array(of, true), self.array(of, false));
        let length = to.length.min(from.length);
        let (i, weight) = (self.fresh("i"), self.constant(of));
        self.cost += self.repeats * length as u64;
        Node::block(
            format!("for (int {i} = 1; {i} < {length} - 1; {i}++) {{"),
            vec![Node::line(format!(
                "{0}[{i}] = tame_{2}({1}[{i} - 1] - 2 * {1}[{i}] * {weight} + {1}[{i} + 1]);",
                to.name,
                from.name,
                of.letter()
            ))],
        )
    }

    /// Two or three nested loops over arrays taken as 4x4 matrices.
    fn matrix_like(&mut self) -> Node {
        self.mark(Feature::NestedLoop);
        let of = self.any_real();
        let (to, a, b) = (
            self.array(of, true),
            self.array(of, false),
            self.array(of, false),
        );
        let [i, j, k] = ["i", "j", "k"].map(|stem| self.fresh(stem));
        self.cost += self.repeats * 64;
        let sum = self.fresh("sum");
        let letter = of.letter();
        Node::block(
            format!("for (int {i} = 0; {i} < 4; {i}++) for (int {j} = 0; {j} < 4; {j}++) {{"),
            vec![
                Node::line(format!("{} {sum} = 0;", of.c())),
                Node::line(format!(
                    "for (int {k} = 0; {k} < 4; {k}++) {sum} += {}[{i} * 4 + {k}] * {}[{k} * 4 + {j}];",
                    a.name, b.name
                )),
                Node::line(format!(
                    "{}[{i} * 4 + {j}] = tame_{letter}({sum} * 0.125f);",
                    to.name
                )),
            ],
        )
    }

    fn loop_over_structs(&mut self) -> Node {
        self.mark(Feature::ArrayOfStructs);
        let of = self.rng.below(self.structs.len());
        let (array, i) = (self.fresh("many"), self.fresh("i"));
        let (first, name) = (self.aggregate(of), self.structs[of].name.clone());
        let (path, leaf) = self.rng.element(&self.structs[of].leaves);
        let value = self.real(leaf, 2);
        let last = self.aggregate(of);
        let heap = self.rng.chance(40);
        let open = if heap {
            format!("struct {name} *{array} = malloc(6 * sizeof *{array}); if (!{array}) exit(3);")
        } else {
            format!("struct {name} {array}[6];")
        };
        self.cost += self.repeats * 12;
        Node::closed(
            format!("{{ {open}"),
            vec![
                Node::line(format!("for (int {i} = 0; {i} < 6; {i}++) {array}[{i}] = {first};")),
                Node::line(format!(
                    "for (int {i} = 1; {i} < 6; {i}++) {array}[{i}]{path} = tame_{}({array}[{i} - 1]{path} + {value});",
                    leaf.letter()
                )),
                Node::line(format!(
                    "for (int {i} = 5; {i} > 2; {i}--) {array}[{i} - 3] = {array}[{i}];"
                )),
                Node::line(format!("{last} = {array}[{}];", self.rng.below(2))),
            ]
            .into_iter()
            // The first line initialises: without it the rest would read garbage.
            .enumerate()
            .fold(Vec::new(), |mut lines: Vec<Node>, (number, node)| {
                match (number, lines.last_mut(), node) {
                    (1, Some(Node::Line(first)), Node::Line(second)) => {
                        first.push(' ');
                        first.push_str(&second);
                    }
                    (_, _, node) => lines.push(node),
                }
                lines
            }),
            if heap { format!("free({array}); }}") } else { "}".to_owned() },
        )
    }

    fn counted(&mut self) -> Node {
        let trips = self.trips(24);
        let i = self.fresh("i");
        if self.repeats > 1 {
            self.mark(Feature::NestedLoop);
        }
        let body = self.inside(trips as u64, |this| {
            this.scope.indices.push(i.clone());
            let count = this.rng.between(1, 4);
            this.statements(count)
        });
        let head = match self.rng.below(3) {
            0 => format!("for (int {i} = {trips}; {i}-- > 0;) {{"),
            1 => format!("for (int {i} = 0; {i} < {}; {i} += 3) {{", trips * 3 - 2),
            _ => format!("for (int {i} = 0; {i} < {trips}; {i}++) {{"),
        };
        Node::block(head, body)
    }

    /// Ends by a comparison, at the latest after a fixed number of rounds.
    fn while_loop(&mut self) -> Node {
        self.mark(Feature::WhileLoop);
        let trips = self.trips(16);
        let rounds = self.fresh("rounds");
        let condition = self.condition(1);
        let body = self.inside(trips as u64, |this| {
            let count = this.rng.between(1, 3);
            this.statements(count)
        });
        Node::closed(
            format!("{{ int {rounds} = 0; while (({condition}) && {rounds}++ < {trips}) {{"),
            body,
            "} }",
        )
    }

    /// Written with a conditional jump back, or as do-while.
    fn do_loop(&mut self) -> Node {
        let trips = self.trips(12);
        let (rounds, condition) = (self.fresh("rounds"), self.condition(1));
        let body = self.inside(trips as u64, |this| {
            let count = this.rng.between(1, 3);
            this.statements(count)
        });
        if self.rng.chance(50) {
            self.mark(Feature::Goto);
            let label = self.fresh("again");
            return Node::closed(
                format!("{{ int {rounds} = 0; {label}: {{"),
                body,
                format!("}} if (++{rounds} < {trips} && ({condition})) goto {label}; }}"),
            );
        }
        self.mark(Feature::DoLoop);
        Node::closed(
            format!("{{ int {rounds} = 0; do {{"),
            body,
            format!("}} while (++{rounds} < {trips} && ({condition})); }}"),
        )
    }
}
