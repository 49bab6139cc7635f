//! Source lines of LLVM IR instructions, from its debug information.

use std::collections::HashMap;

/// The part of a module's metadata that leads from an instruction to its source line.
pub struct Lines<'ir> {
    nodes: HashMap<u64, &'ir str>,
    /// The name of the program's source, without folders.
    source: String,
}

impl<'ir> Lines<'ir> {
    pub fn new(ir: &'ir str, source: &str) -> Self {
        let node = |line: &'ir str| {
            let (id, text) = line.strip_prefix('!')?.split_once(" = ")?;
            Some((id.parse().ok()?, text))
        };
        Lines {
            nodes: ir.lines().filter_map(node).collect(),
            source: source.to_owned(),
        }
    }

    /// The line of the program's source that an instruction belongs to; 0 if none is known. Code of a library that was inlined belongs
    /// to the line that calls it.
    pub fn of(&self, instruction: &str) -> u64 {
        let mut location = reference(instruction, "!dbg !");
        while let Some(text) = location.and_then(|id| self.nodes.get(&id)) {
            let scope = reference(text, "scope: !").and_then(|id| self.nodes.get(&id));
            let file = scope.and_then(|text| reference(text, "file: !"));
            if file.is_some_and(|id| self.is_source(id)) {
                return reference(text, "(line: ").unwrap_or(0);
            }
            location = reference(text, "inlinedAt: !");
        }
        0
    }

    fn is_source(&self, file: u64) -> bool {
        let name = self
            .nodes
            .get(&file)
            .and_then(|text| text.split_once("filename: \""))
            .and_then(|(_, rest)| rest.split('"').next());
        // rustc appends the codegen unit to the name of the file that it compiles.
        let name = name.map(|name| name.split("/@/").next().unwrap_or(name));
        name.and_then(|name| name.rsplit('/').next()) == Some(&self.source)
    }
}

/// The number after `key`.
pub fn reference(text: &str, key: &str) -> Option<u64> {
    let (_, rest) = text.split_once(key)?;
    let digits = rest.split(|letter: char| !letter.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const IR: &str = r#"
  %1 = fadd double %a, %b, !dbg !7
!1 = !DIFile(filename: "/usr/include/c++/12/numeric", directory: "")
!2 = !DIFile(filename: "programs/mean.cpp", directory: "/tmp")
!3 = distinct !DISubprogram(name: "main", scope: !2, file: !2, line: 4)
!4 = distinct !DISubprogram(name: "accumulate", scope: !1, file: !1, line: 100)
!5 = distinct !DILexicalBlock(scope: !4, file: !1, line: 110, column: 3)
!6 = distinct !DILocation(line: 12, column: 9, scope: !3)
!7 = !DILocation(line: 111, column: 5, scope: !5, inlinedAt: !6)
!8 = !DILocation(line: 111, column: 5, scope: !5)
"#;

    #[test]
    fn inlined_library_code_belongs_to_the_line_that_calls_it() {
        let lines = Lines::new(IR, "mean.cpp");
        assert_eq!(lines.of("  %1 = fadd double %a, %b, !dbg !7"), 12);
        assert_eq!(lines.of("  %1 = fadd double %a, %b, !tbaa !3, !dbg !6"), 12);
        assert_eq!(lines.of("  %1 = fadd double %a, %b, !dbg !8"), 0);
        assert_eq!(lines.of("  %1 = fadd double %a, %b"), 0);
    }
}
