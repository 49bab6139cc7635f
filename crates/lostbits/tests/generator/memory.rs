//! Statements that move memory about: copies, fills, the heap, swaps through integers, sorting.

use super::{
    Generator,
    feature::Feature,
    tree::Node,
    types::{Array, Real},
};

impl Generator {
    pub(super) fn memory_statement(&mut self) -> Node {
        match self.rng.below(11) {
            0..=1 => self.copy(),
            2 => self.move_within(),
            3 => self.fill(),
            4..=5 => self.swap_through_integers(),
            6 => self.reallocated(),
            7 if self.depth < 3 => self.with_local_array("stack"),
            8 if self.depth < 3 => self.with_local_array("heap"),
            9 if self.depth < 3 => self.with_local_array("variable"),
            _ => self.sorted(),
        }
    }

    fn copy(&mut self) -> Node {
        self.mark(Feature::Memcpy);
        let of = self.any_real();
        let (to, from) = (self.array(of, true), self.array(of, false));
        let count = self.rng.between(1, to.length.min(from.length) / 2);
        let (at, start) = (
            self.rng.below(to.length - count + 1),
            self.rng.below(from.length - count + 1),
        );
        // Two names may mean the same array, so the ranges may overlap: memmove, unless a buffer is between.
        if self.rng.chance(50) {
            let buffer = self.fresh("buffer");
            return Node::closed(
                format!("{{ {} {buffer}[{count}];", of.c()),
                vec![],
                format!(
                    "memcpy({buffer}, {} + {start}, sizeof {buffer}); memcpy({} + {at}, {buffer}, sizeof {buffer}); }}",
                    from.name, to.name
                ),
            );
        }
        Node::line(format!(
            "memmove({} + {at}, {} + {start}, {count} * sizeof({}));",
            to.name,
            from.name,
            of.c()
        ))
    }

    fn move_within(&mut self) -> Node {
        self.mark(Feature::Memmove);
        let of = self.any_real();
        let array = self.array(of, true);
        let (name, half) = (array.name, array.length / 2);
        let (to, from) = if self.rng.chance(50) {
            (1, 0)
        } else {
            (0, self.rng.between(1, half))
        };
        Node::line(format!(
            "memmove({name} + {to}, {name} + {from}, {half} * sizeof({}));",
            of.c()
        ))
    }

    fn fill(&mut self) -> Node {
        self.mark(Feature::Memset);
        let of = self.any_real();
        let array = self.array(of, true);
        let count = self.rng.between(1, 4);
        let at = self.rng.below(array.length - count + 1);
        Node::line(format!(
            "memset({} + {at}, 0, {count} * sizeof({}));",
            array.name,
            of.c()
        ))
    }

    /// As sorting and permuting code does that knows only sizes.
    fn swap_through_integers(&mut self) -> Node {
        self.mark(Feature::SwapThroughIntegers);
        let (of, word) = if self.rng.chance(60) {
            (Real::Double, "int64_t")
        } else {
            (Real::Float, "uint32_t")
        };
        let array = self.array(of, true);
        let (i, j) = (self.rng.below(array.length), self.rng.below(array.length));
        let (p, q, name) = (self.fresh("w"), self.fresh("w"), array.name);
        Node::closed(
            format!("{{ {word} {p}, {q};"),
            vec![],
            format!(
                "memcpy(&{p}, &{name}[{i}], sizeof {p}); memcpy(&{q}, &{name}[{j}], sizeof {q}); \
                 memcpy(&{name}[{i}], &{q}, sizeof {q}); memcpy(&{name}[{j}], &{p}, sizeof {p}); }}"
            ),
        )
    }

    fn reallocated(&mut self) -> Node {
        self.mark(Feature::Realloc);
        let of = self.any_real();
        let (block, target) = (self.fresh("block"), self.target(of));
        let (value, other) = (self.real(of, 1), self.real(of, 1));
        let (letter, kind) = (of.letter(), of.c());
        let large = self.rng.pick(&["20", "600", "40000"]);
        self.cost += self.repeats * 10;
        Node::closed(
            format!("{{ {kind} *{block} = heap_{letter}(8); {block}[3] = {value};"),
            vec![Node::line(format!("{block}[5] = {other};"))],
            format!(
                "{block} = realloc({block}, {large} * sizeof({kind})); if (!{block}) exit(3); \
                 {target} = tame_{letter}({block}[3] + {block}[5] * {block}[7]); free({block}); }}"
            ),
        )
    }

    /// A block with an array of its own, filled from a global one and used by the statements within.
    fn with_local_array(&mut self, place: &str) -> Node {
        let of = self.any_real();
        let source = self.array(of, false);
        let length = self.rng.element(&[16, 32]).min(source.length);
        let name = self.fresh("local");
        let (kind, letter) = (of.c(), of.letter());
        let fill = format!(
            "memcpy({name}, {}, {length} * sizeof({kind}));",
            source.name
        );
        let (feature, declaration) = match place {
            "stack" => (
                Feature::StackArray,
                format!("{kind} {name}[{length}]; {fill}"),
            ),
            "heap" => (
                Feature::HeapArray,
                format!("{kind} *{name} = heap_{letter}({length});"),
            ),
            _ => {
                let count = self.fresh("count");
                (
                    Feature::VariableLengthArray,
                    format!(
                        "unsigned {count} = {length}u + (unsigned)(entropy & 7u); {kind} {name}[{count}]; {fill}"
                    ),
                )
            }
        };
        self.mark(feature);
        self.cost += self.repeats * 8;
        let body = self.inside(1, |this| {
            let array = Array {
                r#type: of,
                name: name.clone(),
                length,
                constant: false,
            };
            this.scope.arrays.extend([array.clone(), array]);
            let mut body = vec![this.assignment()];
            body.extend(this.statements(2));
            body
        });
        let tail = if place == "heap" {
            format!("free({name}); }}")
        } else {
            "}".to_owned()
        };
        let seen = format!("absorb_{letter}({name}[{}]);", self.rng.below(length));
        Node::closed(format!("{{ {declaration}"), body, format!("{seen} {tail}"))
    }

    fn sorted(&mut self) -> Node {
        if self.repeats > 30 {
            return self.fill();
        }
        self.mark(Feature::Callback);
        let of = self.any_real();
        let array = self.array(of, true);
        let (i, name, letter) = (self.fresh("i"), array.name, of.letter());
        self.cost += self.repeats * 60;
        Node::closed(
            "{",
            vec![],
            format!(
                "for (int {i} = 0; {i} < 12; {i}++) {name}[{i}] = number_{letter}({name}[{i}]); \
                 qsort({name}, 12, sizeof {name}[0], ascending_{letter}); }}"
            ),
        )
    }
}
