//! Fenced code blocks of a Markdown document.

/// The mark after `console` for a block that is not run; a reason must follow it.
pub const NOT_CHECKED: &str = "not checked:";

pub struct Block {
    /// Counted from 1.
    pub line: usize,
    /// What follows the opening fence.
    pub info: String,
    pub lines: Vec<String>,
}

impl Block {
    pub fn is_console(&self) -> bool {
        self.info == "console" || self.info.starts_with("console ")
    }

    /// Why a console block is not run, if it says so.
    pub fn reason(&self) -> Option<&str> {
        let rest = self.info.strip_prefix("console ")?;
        rest.strip_prefix(NOT_CHECKED).map(str::trim)
    }

    /// Whether it shows a command of lostbits.
    pub fn shows_lostbits(&self) -> bool {
        let mut words = self.lines.iter().map(|line| line.trim_start_matches("$ "));
        words.any(|line| line.starts_with("lostbits ") || line.contains("| lostbits "))
    }

    /// The name of a file whose contents this is, from a comment in its first line: `/* sum.c */`, `# mv.toml`.
    pub fn file(&self) -> Option<&str> {
        let first = self.lines.first()?.trim();
        let comment = match self.info.as_str() {
            "c" => first.strip_prefix("/*")?.strip_suffix("*/")?,
            "toml" | "make" => first.strip_prefix('#')?,
            "rust" => first.strip_prefix("//")?,
            "fortran" => first.strip_prefix('!')?,
            _ => return None,
        };
        let name = comment.trim();
        let is_name = name.contains('.') || name == "Makefile";
        let is_name = is_name && !name.contains(char::is_whitespace);
        is_name.then_some(name)
    }

    pub fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    /// The commands (without `$ `), each with the output shown below it.
    pub fn commands(&self) -> Vec<(String, Vec<String>)> {
        let mut commands: Vec<(String, Vec<String>)> = Vec::new();
        for line in &self.lines {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
                (None, Some((_, output))) => output.push(line.clone()),
                (None, None) => panic!("line {}: output before the first command", self.line),
            }
        }
        commands
    }
}

pub fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => {
                open = Some(Block {
                    line: index + 1,
                    info: info.trim().to_owned(),
                    lines: Vec::new(),
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.lines.push(line.to_owned()),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a code block is not closed");
    blocks
}

/// Whether the output is the one shown. A line `…` matches any lines, `…` within a line for any text.
pub fn matches(shown: &[String], output: &[String]) -> bool {
    match shown.split_first() {
        None => output.is_empty(),
        Some((line, rest)) if line.trim() == "…" => {
            (0..=output.len()).any(|skipped| matches(rest, &output[skipped..]))
        }
        Some((line, rest)) => output
            .split_first()
            .is_some_and(|(first, others)| line_matches(line, first) && matches(rest, others)),
    }
}

fn line_matches(shown: &str, line: &str) -> bool {
    let Some((before, after)) = shown.split_once('…') else {
        return shown == line;
    };
    let Some(rest) = line.strip_prefix(before) else {
        return false;
    };
    let mut ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    ends.any(|at| line_matches(after, &rest[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn elisions_stand_for_lines_and_parts_of_lines() {
        let output = lines("one\ntwo 2 times\nthree\nfour");
        for shown in [
            "one\ntwo 2 times\nthree\nfour",
            "…\nfour",
            "one\n…",
            "one\ntwo … times\n…\nfour",
        ] {
            assert!(matches(&lines(shown), &output), "{shown}");
        }
        for shown in [
            "one\n…\nfive",
            "one\ntwo … time\n…",
            "one",
            "…\none\n…\none\n…",
        ] {
            assert!(!matches(&lines(shown), &output), "{shown}");
        }
    }

    #[test]
    fn blocks_say_what_they_are() {
        let text = "a\n```console\n$ lostbits sites x\nout\n```\n```c\n/* sum.c */\nint x;\n```\n";
        let found = blocks(text);
        assert_eq!((found.len(), found[0].line), (2, 2));
        assert!(found[0].is_console() && found[0].shows_lostbits());
        assert_eq!(found[0].commands()[0].1, ["out"]);
        assert_eq!(found[1].file(), Some("sum.c"));
        let skipped = blocks("```console not checked: no GSL\n$ lostbits search\n```\n");
        assert_eq!(skipped[0].reason(), Some("no GSL"));
    }
}
