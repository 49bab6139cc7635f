//! A program as a tree of lines and blocks, so that a failing one can be shrunk by leaving parts out.
//!
//! A part is whole in itself: what bounds a loop is in the head or the tail of its block. So a
//! program with a part left out either does not compile or is as well defined as before.

#[derive(Clone, Debug)]
pub enum Node {
    Line(String),
    Block {
        head: String,
        body: Vec<Node>,
        tail: String,
    },
}

impl Node {
    pub fn line(text: impl Into<String>) -> Node {
        Node::Line(text.into())
    }

    /// A block that ends with a closing brace.
    pub fn block(head: impl Into<String>, body: Vec<Node>) -> Node {
        Node::closed(head, body, "}")
    }

    pub fn closed(head: impl Into<String>, body: Vec<Node>, tail: impl Into<String>) -> Node {
        Node::Block {
            head: head.into(),
            body,
            tail: tail.into(),
        }
    }
}

pub fn render(nodes: &[Node]) -> String {
    let mut text = String::new();
    nodes.iter().for_each(|node| write(node, 0, &mut text));
    text
}

fn write(node: &Node, depth: usize, text: &mut String) {
    let mut indented = |line: &str, depth: usize| {
        text.push_str(&"    ".repeat(depth));
        text.push_str(line);
        text.push('\n');
    };
    match node {
        Node::Line(line) => indented(line, depth),
        Node::Block { head, body, tail } => {
            indented(head, depth);
            body.iter().for_each(|node| write(node, depth + 1, text));
            text.push_str(&format!("{}{tail}\n", "    ".repeat(depth)));
        }
    }
}

/// Nodes in the whole tree; each has a number, parents before their children.
pub fn size(nodes: &[Node]) -> usize {
    nodes
        .iter()
        .map(|node| match node {
            Node::Line(_) => 1,
            Node::Block { body, .. } => 1 + size(body),
        })
        .sum()
}

/// The tree without the node of that number (and what is below it).
pub fn without(nodes: &[Node], number: usize) -> Vec<Node> {
    let mut left = number as isize;
    keep(nodes, &mut left)
}

fn keep(nodes: &[Node], left: &mut isize) -> Vec<Node> {
    let mut kept = Vec::with_capacity(nodes.len());
    for node in nodes {
        *left -= 1;
        match node {
            _ if *left == -1 => {}
            Node::Block { head, body, tail } if *left >= 0 => {
                kept.push(Node::closed(head.clone(), keep(body, left), tail.clone()));
            }
            other => kept.push(other.clone()),
        }
    }
    kept
}

/// Leaves out every part without which `still_fails` holds, large parts first.
pub fn shrink(nodes: Vec<Node>, mut still_fails: impl FnMut(&[Node]) -> bool) -> Vec<Node> {
    let mut smallest = nodes;
    loop {
        let before = size(&smallest);
        let mut number = 0;
        while number < size(&smallest) {
            let candidate = without(&smallest, number);
            if still_fails(&candidate) {
                smallest = candidate;
            } else {
                number += 1;
            }
        }
        if size(&smallest) == before {
            return smallest;
        }
    }
}
