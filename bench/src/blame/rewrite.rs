//! Rewrites LLVM IR so that its arithmetic on doubles calls `bench/blame/interventions.c`, with source lines.
//!
//! The IR must be compiled for optimisation but not optimised: passes that hoist or merge operations lose their lines.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::lines::Lines;

/// Functions that `interventions.c` computes, by the names that compilers give them.
const FUNCTIONS: [&str; 35] = [
    "sqrt", "exp", "log", "log10", "log1p", "expm1", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "cbrt", "log2", "exp2", "pow", "atan2", "hypot", "fmod", "fma", "powi",
    "fabs", "floor", "ceil", "trunc", "round", "rint", "copysign", "fmax", "fmin", "fneg", "frem",
];
const RENAMED: [(&str, &str); 8] = [
    ("_FortranAFPow8i", "powi"),
    ("llvm.minnum.f64", "fmin"),
    ("llvm.maxnum.f64", "fmax"),
    ("llvm.minimumnum.f64", "fmin"),
    ("llvm.maximumnum.f64", "fmax"),
    ("llvm.powi.f64.i32", "powi"),
    ("llvm.nearbyint.f64", "rint"),
    ("llvm.roundeven.f64", "rint"),
];

/// Functions whose arguments the program prints.
const OUTPUTS: [&str; 5] = [
    "printf",
    "fprintf",
    "_ZNSolsEd",
    "_ZNSo9_M_insertIdEERSoT_",
    "_FortranAioOutputReal64",
];

/// LLVM's names of comparisons; see `blame_fcmp` for the bits.
const PREDICATES: [(&str, u32); 14] = [
    ("oeq", 1),
    ("ogt", 2),
    ("oge", 3),
    ("olt", 4),
    ("ole", 5),
    ("one", 6),
    ("ord", 7),
    ("uno", 8),
    ("ueq", 9),
    ("ugt", 10),
    ("uge", 11),
    ("ult", 12),
    ("ule", 13),
    ("une", 14),
];

/// The program with interventions; a sentence if it does what cannot be modelled.
pub fn rewrite(ir: &str, source: &str) -> Result<String, String> {
    let mut rewriter = Rewriter {
        lines: Lines::new(ir, source),
        defined: defined(ir),
        declared: BTreeSet::new(),
        shown: BTreeMap::new(),
        temporaries: 0,
    };
    let mut text = String::with_capacity(ir.len() * 2);
    for line in ir.lines() {
        if line.starts_with("  ") {
            let line = rewriter.showing(line);
            let rewritten = rewriter.instruction(&line)?;
            text += rewritten.as_deref().unwrap_or(&line);
        } else {
            text += line;
        }
        text.push('\n');
    }
    for declaration in &rewriter.declared {
        text += &format!("declare {declaration}\n");
    }
    for (original, name) in &rewriter.shown {
        text += &show(original, name);
    }
    Ok(text)
}

struct Rewriter<'ir> {
    lines: Lines<'ir>,
    /// Functions of the program itself.
    defined: HashSet<String>,
    declared: BTreeSet<String>,
    /// Rust's functions that format a double behind a pointer, and the names of ours.
    shown: BTreeMap<String, String>,
    temporaries: usize,
}

impl Rewriter<'_> {
    /// The instruction with interventions; none if it stays as it is.
    fn instruction(&mut self, text: &str) -> Result<Option<String>, String> {
        let trimmed = text.trim_start();
        if trimmed.starts_with('#') {
            return Ok(None);
        }
        let (name, operation) = match trimmed.split_once(" = ") {
            Some((name, rest)) if name.starts_with('%') && !name.contains(' ') => (name, rest),
            _ => ("", trimmed),
        };
        let opcode = operation.split(' ').next().unwrap_or("");
        match opcode {
            "fadd" | "fsub" | "fmul" | "fdiv" | "frem" | "fneg" => {
                let operands = doubles(operation)?;
                Ok(Some(self.called(name, opcode, &operands, text)))
            }
            "fcmp" => self.comparison(name, operation, text).map(Some),
            "fptosi" | "fptoui" => self.converted(operation, text, "integer"),
            "fptrunc" | "bitcast" if operation.contains(" double ") => {
                self.converted(operation, text, "plain")
            }
            "call" | "tail" | "musttail" | "notail" | "invoke" => {
                self.call(name, operation, text).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn called(&mut self, name: &str, function: &str, operands: &[String], text: &str) -> String {
        let types = operands
            .iter()
            .map(|operand| operand.split(' ').next().unwrap_or(""));
        let types: Vec<&str> = types.collect();
        self.declared.insert(format!(
            "double @blame_{function}({}, i32)",
            types.join(", ")
        ));
        format!(
            "  {name} = call double @blame_{function}({}, i32 {}){}",
            operands.join(", "),
            self.lines.of(text),
            debug(text)
        )
    }

    fn comparison(&mut self, name: &str, operation: &str, text: &str) -> Result<String, String> {
        let words: Vec<&str> = operation.split(' ').collect();
        let predicate = words.iter().find_map(|word| {
            let known = PREDICATES.iter().find(|(predicate, _)| predicate == word);
            known.map(|(_, bits)| *bits)
        });
        let predicate = predicate.ok_or_else(|| format!("cannot be modelled: {operation}"))?;
        let operands = doubles(operation)?.join(", ");
        let temporary = self.temporary();
        self.declared
            .insert("i32 @blame_fcmp(i32, double, double)".to_owned());
        let debug = debug(text);
        Ok(format!(
            "  {temporary} = call i32 @blame_fcmp(i32 {predicate}, {operands}){debug}\n  {name} = icmp ne i32 {temporary}, 0{debug}"
        ))
    }

    fn converted(
        &mut self,
        operation: &str,
        text: &str,
        how: &str,
    ) -> Result<Option<String>, String> {
        let Some((_, rest)) = operation.split_once(" double ") else {
            return Err(format!("cannot be modelled: {operation}"));
        };
        let value = rest.split(' ').next().unwrap_or("");
        let (before, temporary) = self.plain(value, how, text);
        let changed = text.replacen(
            &format!(" double {value}"),
            &format!(" double {temporary}"),
            1,
        );
        Ok(Some(before + &changed))
    }

    /// A call that gives a double as a double; the name of the result.
    fn plain(&mut self, value: &str, how: &str, text: &str) -> (String, String) {
        let temporary = self.temporary();
        self.declared.insert(format!("double @blame_{how}(double)"));
        let call = format!(
            "  {temporary} = call double @blame_{how}(double {value}){}\n",
            debug(text)
        );
        (call, temporary)
    }

    fn call(&mut self, name: &str, operation: &str, text: &str) -> Result<String, String> {
        let Some((head, callee, arguments, tail)) = parts(operation) else {
            return Ok(text.to_owned()); // Through a pointer: to a function of the program.
        };
        if self.defined.contains(callee) || !arguments.iter().any(|one| is_double(one)) {
            return Ok(text.to_owned());
        }
        if let Some(function) = modelled(callee) {
            let operands: Vec<String> = arguments.iter().map(|one| bare(one)).collect();
            return Ok(self.called(name, function, &operands, text));
        }
        if callee.starts_with("llvm.fmuladd") || callee.starts_with("llvm.vector") {
            return Err(format!("cannot be modelled: {callee}"));
        }
        let how = match callee {
            _ if OUTPUTS.contains(&callee) => "output",
            _ if callee.starts_with("llvm.fpto") => "integer",
            _ => "plain",
        };
        let mut before = String::new();
        let mut changed = Vec::new();
        for argument in arguments {
            match is_double(argument) {
                true => {
                    let (call, temporary) = self.plain(value(argument), how, text);
                    before += &call;
                    changed.push(format!("double {temporary}"));
                }
                false => changed.push(argument.to_owned()),
            }
        }
        let result = match name {
            "" => String::new(),
            name => format!("{name} = "),
        };
        let changed = changed.join(", ");
        Ok(format!(
            "{before}  {result}{head}@{callee}({changed}){tail}"
        ))
    }

    /// Rust formats a double through a pointer to it and a pointer to a function of its library. Ours stands in.
    fn showing(&mut self, text: &str) -> String {
        let Some((_, rest)) = text.split_once("@_R") else {
            return text.to_owned();
        };
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let symbol = format!("_R{}", &rest[..end.unwrap_or(rest.len())]);
        if !(symbol.contains("3fmt5floatd") && symbol.ends_with("3fmt")) {
            return text.to_owned();
        }
        self.declared
            .insert("double @blame_output(double)".to_owned());
        let next = format!("blame.show.{}", self.shown.len());
        let name = self.shown.entry(symbol.clone()).or_insert(next);
        text.replace(&symbol, name)
    }

    fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("%blame.{}", self.temporaries)
    }
}

/// The function that Rust's formatting calls: `original` with the number as a double, which is an output.
fn show(original: &str, name: &str) -> String {
    format!(
        "define zeroext i1 @{name}(ptr %number, ptr %formatter) {{\n  \
         %packed = load double, ptr %number, align 8\n  \
         %plain = call double @blame_output(double %packed)\n  \
         %place = alloca double, align 8\n  \
         store double %plain, ptr %place, align 8\n  \
         %failed = call zeroext i1 @{original}(ptr %place, ptr %formatter)\n  \
         ret i1 %failed\n}}\n"
    )
}

fn defined(ir: &str) -> HashSet<String> {
    let name = |line: &str| {
        let (_, rest) = line.strip_prefix("define ")?.split_once('@')?;
        Some(rest.split('(').next()?.to_owned())
    };
    ir.lines().filter_map(name).collect()
}

/// The operands of an operation on doubles, with their types.
fn doubles(operation: &str) -> Result<Vec<String>, String> {
    let cannot = || format!("cannot be modelled, double alone can: {operation}");
    let (before, rest) = operation.split_once(" double ").ok_or_else(cannot)?;
    if before.contains('<') {
        return Err(cannot());
    }
    let operands = rest.split(", ").filter(|operand| !operand.starts_with('!'));
    Ok(operands
        .map(|operand| format!("double {operand}"))
        .collect())
}

fn modelled(callee: &str) -> Option<&'static str> {
    if let Some((_, name)) = RENAMED.iter().find(|(from, _)| *from == callee) {
        return Some(name);
    }
    let short = callee
        .strip_prefix("llvm.")
        .and_then(|name| name.strip_suffix(".f64"))
        .unwrap_or(callee);
    FUNCTIONS.iter().find(|name| **name == short).copied()
}

/// What comes before the callee, its name, the arguments, what comes after them.
fn parts(operation: &str) -> Option<(&str, &str, Vec<&str>, &str)> {
    let at = operation.find('@')?;
    let open = at + operation[at..].find('(')?;
    // A call through a pointer names a register before its arguments, among which there may be globals.
    if operation[..at].contains('%') {
        return None;
    }
    let mut depth = 0;
    let mut starts = open + 1;
    let mut arguments = Vec::new();
    for (index, letter) in operation[open..].char_indices() {
        let index = open + index;
        match letter {
            '(' | '<' | '{' | '[' => depth += 1,
            ')' | '>' | '}' | ']' => depth -= 1,
            _ => {}
        }
        let is_end = depth == 0;
        if is_end || (depth == 1 && letter == ',') {
            let argument = operation[starts..index].trim();
            if !argument.is_empty() {
                arguments.push(argument);
            }
            starts = index + 1;
        }
        if is_end {
            break;
        }
    }
    Some((
        &operation[..at],
        &operation[at + 1..open],
        arguments,
        &operation[starts..],
    ))
}

fn is_double(argument: &str) -> bool {
    argument.starts_with("double ")
}

fn value(argument: &str) -> &str {
    argument.rsplit(' ').next().unwrap_or(argument)
}

/// An argument without its attributes.
fn bare(argument: &str) -> String {
    let kind = argument.split(' ').next().unwrap_or("");
    format!("{kind} {}", value(argument))
}

fn debug(text: &str) -> String {
    super::lines::reference(text, "!dbg !").map_or(String::new(), |id| format!(", !dbg !{id}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(instruction: &str) -> String {
        let ir = format!(
            "define double @f(double %0) {{\n  {instruction}\n}}\n\
             !1 = !DIFile(filename: \"a.c\", directory: \"\")\n\
             !2 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 1)\n\
             !3 = !DILocation(line: 9, column: 1, scope: !2)\n"
        );
        let text = rewrite(&ir, "a.c").expect("can be modelled");
        let lines = text.lines().skip(1).take_while(|line| *line != "}");
        lines.map(str::trim).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn arithmetic_calls_with_its_line() {
        assert_eq!(
            rewritten("%2 = fadd contract double %0, 1.000000e+00, !dbg !3"),
            "%2 = call double @blame_fadd(double %0, double 1.000000e+00, i32 9), !dbg !3"
        );
        assert_eq!(
            rewritten(
                "%2 = tail call double @llvm.sin.f64(double noundef %0) #4, !dbg !3, !tbaa !1"
            ),
            "%2 = call double @blame_sin(double %0, i32 9), !dbg !3"
        );
        assert_eq!(
            rewritten("%2 = call double @llvm.powi.f64.i32(double %0, i32 3)"),
            "%2 = call double @blame_powi(double %0, i32 3, i32 0)"
        );
    }

    #[test]
    fn comparisons_become_calls() {
        assert_eq!(
            rewritten("%2 = fcmp nnan ogt double %0, 0x3FB999999999999A"),
            "%blame.1 = call i32 @blame_fcmp(i32 2, double %0, double 0x3FB999999999999A)\n\
             %2 = icmp ne i32 %blame.1, 0"
        );
    }

    #[test]
    fn what_others_compute_and_print_gets_doubles() {
        assert_eq!(
            rewritten(
                "%2 = call i32 (ptr, ...) @printf(ptr noundef @.str, double noundef %0), !dbg !3"
            ),
            "%blame.1 = call double @blame_output(double %0), !dbg !3\n\
             %2 = call i32 (ptr, ...) @printf(ptr noundef @.str, double %blame.1), !dbg !3"
        );
        assert_eq!(
            rewritten("%2 = fptosi double %0 to i32"),
            "%blame.1 = call double @blame_integer(double %0)\n%2 = fptosi double %blame.1 to i32"
        );
    }

    #[test]
    fn moves_and_calls_of_the_program_stay() {
        for stays in [
            "%2 = call double @f(double %0), !dbg !3",
            "%2 = call double %1(double %0), !dbg !3",
            "store double %0, ptr %1, align 8",
            "%2 = select i1 %c, double %0, double 1.0",
            "#dbg_value(double %0, !3, !DIExpression(), !3)",
        ] {
            assert_eq!(rewritten(stays), stays);
        }
    }

    #[test]
    fn rust_formats_through_ours() {
        let symbol = "_RNvXs7_NtNtCsX_4core3fmt5floatdNtB7_7Display3fmt";
        assert_eq!(
            rewritten(&format!("store ptr @{symbol}, ptr %p, align 8")),
            "store ptr @blame.show.0, ptr %p, align 8"
        );
    }

    #[test]
    fn other_formats_are_refused() {
        for refused in ["%2 = fadd float %0, %1", "%2 = fmul <2 x double> %0, %1"] {
            let ir = format!("define void @f() {{\n  {refused}\n}}\n");
            assert!(rewrite(&ir, "a.c").is_err(), "{refused}");
        }
    }
}
