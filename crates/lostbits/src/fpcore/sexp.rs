//! S-expressions with positions: the shape of FPCore before its meaning.

use super::problem::{Position, Problem, SyntaxError};

/// Readers and whatever works on the tree descend by recursion: brackets nested deeper are refused. (Sums and
/// products of many terms are not nesting.)
pub const DEEPEST: usize = 400;

#[derive(Clone, PartialEq, Debug)]
pub struct Sexp {
    pub at: Position,
    pub kind: Kind,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// A symbol, a number or a keyword.
    Atom(String),
    /// A string, its escapes as in the source.
    Text(String),
    List(Vec<Sexp>),
}

impl Sexp {
    pub fn atom(&self) -> Option<&str> {
        match &self.kind {
            Kind::Atom(atom) => Some(atom),
            _ => None,
        }
    }

    pub fn list(&self) -> Option<&[Sexp]> {
        match &self.kind {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }
}

/// Two S-expressions are the same text, whatever their positions.
pub fn same(left: &Sexp, right: &Sexp) -> bool {
    match (&left.kind, &right.kind) {
        (Kind::List(left), Kind::List(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| same(l, r))
        }
        (left, right) => left == right,
    }
}

impl std::fmt::Display for Sexp {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match &self.kind {
            Kind::Atom(atom) => f.write_str(atom),
            Kind::Text(text) => write!(f, "\"{text}\""),
            Kind::List(items) => {
                f.write_str("(")?;
                for (index, item) in items.iter().enumerate() {
                    let space = if index == 0 { "" } else { " " };
                    write!(f, "{space}{item}")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// All S-expressions of a source.
pub fn read_all(source: &str) -> Result<Vec<Sexp>, SyntaxError> {
    let mut reader = Reader {
        characters: source.chars().peekable(),
        at: Position { line: 1, column: 1 },
    };
    reader.all()
}

struct Reader<'a> {
    characters: std::iter::Peekable<std::str::Chars<'a>>,
    at: Position,
}

/// A list that has been opened and not yet closed.
struct Open {
    bracket: char,
    at: Position,
    items: Vec<Sexp>,
}

impl Reader<'_> {
    fn all(&mut self) -> Result<Vec<Sexp>, SyntaxError> {
        let mut stack: Vec<Open> = Vec::new();
        let mut top = Vec::new();
        while let Some(&character) = self.characters.peek() {
            let at = self.at;
            let done = match character {
                ';' => {
                    self.comment();
                    continue;
                }
                character if character.is_whitespace() => {
                    self.next();
                    continue;
                }
                '(' | '[' if stack.len() == DEEPEST => return Err(Problem::TooDeep.at(at)),
                '(' | '[' => {
                    self.next();
                    stack.push(Open {
                        bracket: character,
                        at,
                        items: Vec::new(),
                    });
                    continue;
                }
                ')' | ']' => {
                    self.next();
                    close(stack.pop(), character, at)?
                }
                '"' => self.text()?,
                _ => self.word(),
            };
            stack
                .last_mut()
                .map_or(&mut top, |open| &mut open.items)
                .push(done);
        }
        match stack.pop() {
            Some(open) => Err(Problem::NeverClosed(open.bracket).at(open.at)),
            None => Ok(top),
        }
    }

    fn next(&mut self) -> Option<char> {
        let character = self.characters.next()?;
        if character == '\n' {
            self.at.line += 1;
            self.at.column = 1;
        } else {
            self.at.column += 1;
        }
        Some(character)
    }

    fn comment(&mut self) {
        while self.next().is_some_and(|character| character != '\n') {}
    }

    fn text(&mut self) -> Result<Sexp, SyntaxError> {
        let at = self.at;
        self.next();
        let mut text = String::new();
        loop {
            match self.next() {
                None => return Err(Problem::StringNeverEnds.at(at)),
                Some('"') => break,
                Some('\\') => {
                    text.push('\\');
                    text.extend(self.next());
                }
                Some(character) => text.push(character),
            }
        }
        Ok(Sexp {
            at,
            kind: Kind::Text(text),
        })
    }

    fn word(&mut self) -> Sexp {
        let at = self.at;
        let mut word = String::new();
        while let Some(&character) = self.characters.peek() {
            if character.is_whitespace() || "()[]\";".contains(character) {
                break;
            }
            word.push(character);
            self.next();
        }
        Sexp {
            at,
            kind: Kind::Atom(word),
        }
    }
}

fn close(open: Option<Open>, found: char, at: Position) -> Result<Sexp, SyntaxError> {
    let Some(open) = open else {
        return Err(Problem::ClosesNothing(found).at(at));
    };
    let wanted = if open.bracket == '(' { ')' } else { ']' };
    if found != wanted {
        let open = open.bracket;
        return Err(Problem::WrongBracket { open, found }.at(at));
    }
    Ok(Sexp {
        at: open.at,
        kind: Kind::List(open.items),
    })
}
