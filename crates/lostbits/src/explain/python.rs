//! The lines of Python that called instrumented code.

use lostbits_abi::explain::python::{CALLS, Call, Frame};

/// A line of Python that was being executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PythonLine {
    pub file: String,
    pub function: String,
    pub line: u32,
}

/// Where Python got wrong results.
#[derive(Clone, PartialEq, Debug)]
pub struct PythonCall {
    /// Innermost first.
    pub lines: Vec<PythonLine>,
    pub erroneous: u64,
    pub worst_bits: f64,
}

impl PythonCall {
    /// Worst first.
    pub fn all(calls: &[Call]) -> Vec<PythonCall> {
        let known = calls.iter().filter(|call| call.erroneous > 0);
        let calls = known.map(|call| PythonCall {
            lines: PythonLine::all(&call.frames),
            erroneous: call.erroneous,
            worst_bits: call.worst_bits,
        });
        let calls = calls.filter(|call| !call.lines.is_empty()).collect();
        joined(calls)
    }

    /// Calls of several places or processes: one for each line, worst first, not more than one place keeps.
    pub fn join<'a>(all: impl Iterator<Item = &'a PythonCall>) -> Vec<PythonCall> {
        joined(all.cloned().collect())
    }
}

fn joined(calls: Vec<PythonCall>) -> Vec<PythonCall> {
    let mut joined: Vec<PythonCall> = Vec::new();
    for call in calls {
        match joined.iter_mut().find(|one| one.lines[0] == call.lines[0]) {
            None => joined.push(call),
            Some(known) => {
                known.erroneous = known.erroneous.saturating_add(call.erroneous);
                if call.worst_bits > known.worst_bits {
                    (known.lines, known.worst_bits) = (call.lines, call.worst_bits);
                }
            }
        }
    }
    joined.sort_by(|a, b| b.worst_bits.total_cmp(&a.worst_bits));
    joined.truncate(CALLS);
    joined
}

impl PythonLine {
    /// Without frames that the interpreter made itself, and without those of packages (a test runner) that called others.
    fn all(frames: &[Frame]) -> Vec<PythonLine> {
        let known = frames.iter().filter(|frame| frame.line > 0);
        let lines = known.map(|frame| PythonLine {
            file: String::from_utf8_lossy(frame.file()).into_owned(),
            function: String::from_utf8_lossy(frame.function()).into_owned(),
            line: frame.line,
        });
        let is_ours = |line: &PythonLine| line.file.ends_with("/lostbits/__init__.py");
        let lines: Vec<PythonLine> = lines
            .filter(|line| !line.file.starts_with('<') && !is_ours(line))
            .collect();
        let own = lines.iter().rposition(|line| !line.is_packaged());
        let end = own.map_or(1, |at| at + 1).min(lines.len());
        lines[..end].to_vec()
    }

    fn is_packaged(&self) -> bool {
        let folders = ["/site-packages/", "/dist-packages/", "/lib/python3"];
        folders.iter().any(|folder| self.file.contains(folder))
    }
}

#[cfg(test)]
mod tests {
    use lostbits_abi::explain::python::FRAMES;

    use super::*;

    fn call(files: [&str; FRAMES], line: u32, bits: f64) -> Call {
        let mut call = Call::NONE;
        (call.erroneous, call.worst_bits) = (1, bits);
        for (frame, file) in call.frames.iter_mut().zip(files) {
            frame.set_file(file.as_bytes());
            frame.set_function(b"f");
            frame.line = if file.is_empty() { 0 } else { line };
        }
        call
    }

    fn files(calls: &[Call]) -> Vec<Vec<String>> {
        let calls = PythonCall::all(calls);
        let of = |one: PythonCall| one.lines.into_iter().map(|line| line.file).collect();
        calls.into_iter().map(of).collect()
    }

    #[test]
    fn the_users_own_lines_are_kept() {
        const RUNNER: &str = "/usr/lib/python3/dist-packages/_pytest/python.py";
        const WRAPPER: &str = "/v/site-packages/roots/api.py";
        assert_eq!(
            files(&[call(["test.py", RUNNER, RUNNER], 3, 9.0)]),
            [["test.py"]]
        );
        assert_eq!(
            files(&[call([WRAPPER, "test.py", RUNNER], 3, 9.0)]),
            [[WRAPPER, "test.py"]]
        );
        assert_eq!(files(&[call([WRAPPER, RUNNER, ""], 3, 9.0)]), [[WRAPPER]]);
        assert!(files(&[call(["<frozen importlib>", "", ""], 7, 9.0), Call::NONE]).is_empty());
    }

    #[test]
    fn calls_are_joined_by_line_worst_first() {
        let mild = PythonCall::all(&[
            call(["a.py", "", ""], 3, 9.0),
            call(["b.py", "", ""], 3, 12.0),
        ]);
        let severe = PythonCall::all(&[call(["a.py", "", ""], 3, 40.0)]);
        let joined = PythonCall::join(mild.iter().chain(&severe));
        let shown: Vec<_> = joined
            .iter()
            .map(|one| (one.lines[0].file.as_str(), one.erroneous, one.worst_bits))
            .collect();
        assert_eq!(shown, [("a.py", 2, 40.0), ("b.py", 1, 12.0)]);
    }
}
