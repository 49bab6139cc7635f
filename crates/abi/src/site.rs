//! Sites: the source locations that instrumented code reports, and the table in which a module describes them.
//!
//! A site is file, function, line, column, what happens there, and an ordinal where that is not
//! enough; never an address. Copies that the optimiser made by unrolling, vectorising or inlining are
//! one site; `copies` says how many instructions were merged into it.
//!
//! A module's table is one contiguous block ([`SiteTable::decode`] reads it) in the ELF section
//! [`SECTION`]: header, rows, counts, strings. It holds no pointers, so that the tool can read it
//! from the file without running the program, and the runtime can copy it into the run record.

pub use crate::totals::SiteTotals;
use crate::{ABI_VERSION, kind::FpKind, mode::Mode, ops::Op};

/// The ELF section with the tables of all modules, one after another, padded to [`ALIGNMENT`].
pub const SECTION: &str = "lostbits_sites";
pub const ALIGNMENT: usize = 8;
pub const MAGIC: u32 = u32::from_le_bytes(*b"LBst");

/// What happens at a site.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Role {
    /// A floating-point operation of the table.
    Operation = 1,
    Load = 2,
    /// A parameter as it arrives in a function.
    Argument = 3,
    /// The result of a call.
    Return = 4,
    /// A shadow that could not be followed; the detail is a [`Lost`].
    Lost = 5,
    /// A value that leaves the program; the callee is the output function, with `#` and the number of the argument where it is
    /// one.
    Output = 6,
    /// The same of a constant: no operation made it.
    Constant = 7,
}

impl Role {
    pub const ALL: [Role; 7] = [
        Role::Operation,
        Role::Load,
        Role::Argument,
        Role::Return,
        Role::Lost,
        Role::Output,
        Role::Constant,
    ];

    pub fn from_u8(raw: u8) -> Option<Role> {
        Self::ALL.into_iter().find(|role| *role as u8 == raw)
    }

    pub fn name(self) -> &'static str {
        match self {
            Role::Operation => "operation",
            Role::Load => "load",
            Role::Argument => "argument",
            Role::Return => "return",
            Role::Lost => "lost",
            Role::Output => "output",
            Role::Constant => "constant",
        }
    }
}

/// Why a shadow could not be followed. The value continues with a fresh shadow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u16)]
pub enum Lost {
    InlineAssembly = 1,
    /// A format that is not followed (`__float128`, decimal formats …).
    Format = 2,
    /// A floating-point value made from integer bits that carry no shadow.
    IntegerBits = 3,
    /// An atomic load or read-modify-write.
    Atomic = 4,
    /// More argument or result bytes than a call can pass.
    TooManyBytes = 5,
    /// An instruction or intrinsic that is not in the operation table.
    UnknownOperation = 6,
    /// What Fortran's runtime library computes.
    FortranLibrary = 7,
    /// What a function that is not instrumented wrote into memory; its totals are [`LentTotals`](crate::totals::LentTotals).
    Uninstrumented = 8,
    /// No shadow is lost, but the function's operations may be reassociated (`-ffast-math`): instrumented and not, it may
    /// round differently.
    Reassociated = 9,
    /// No shadow is lost, but the optimiser computed a part of the function's arithmetic: its constants are not the source's.
    Folded = 10,
}

impl Lost {
    pub const ALL: [Lost; 10] = [
        Lost::InlineAssembly,
        Lost::Format,
        Lost::IntegerBits,
        Lost::Atomic,
        Lost::TooManyBytes,
        Lost::UnknownOperation,
        Lost::FortranLibrary,
        Lost::Uninstrumented,
        Lost::Reassociated,
        Lost::Folded,
    ];

    pub fn from_u16(raw: u16) -> Option<Lost> {
        Self::ALL.into_iter().find(|lost| *lost as u16 == raw)
    }

    /// Completes "a shadow was lost to …".
    pub fn description(self) -> &'static str {
        match self {
            Lost::InlineAssembly => "inline assembly",
            Lost::Format => "a floating-point format that is not followed",
            Lost::IntegerBits => "a value made from integer bits",
            Lost::Atomic => "an atomic access",
            Lost::TooManyBytes => "a call with too many bytes of arguments",
            Lost::UnknownOperation => "an operation that is not in the table",
            Lost::FortranLibrary => {
                "an array function of Fortran's library (with -O2 most are compiled in line)"
            }
            Lost::Uninstrumented => "a function that lostbits did not compile",
            Lost::Reassociated => "operations that may be reassociated",
            Lost::Folded => "arithmetic that the compiler did",
        }
    }
}

/// A site as the tool sees it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Site {
    /// Empty where the module has no debug information.
    pub file: String,
    pub function: String,
    /// 0 where unknown.
    pub line: u32,
    pub column: u32,
    /// Distinguishes sites that would otherwise be equal.
    pub ordinal: u32,
    pub what: What,
    /// The format of the value; none for formats that are not followed.
    pub kind: Option<FpKind>,
    /// The widest vector the site was compiled to; 1 for scalar code.
    pub lanes: u16,
    /// How many instructions were merged into this site.
    pub copies: u32,
    /// The function called, for [`What::Return`] and library operations; else empty.
    pub callee: String,
    /// What is special about the operation, in mode `watch`.
    pub note: Option<Note>,
    /// What the program calls the operands of an operation, as far as debug information says: `x`, `p->x`, `a[i]`;
    /// a literal is called by its value ([`literal_name`]), empty ones have no name. Only in modes that make expressions.
    pub operands: Vec<String>,
    /// Where the program called what an operation was inlined from, if that is another file's; of all copies, in order.
    /// Only in modes that make expressions.
    pub inlined_from: Vec<Caller>,
}

/// What mode `watch` says of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u16)]
pub enum Note {
    /// The decision picks one of the compared values (a minimum, a maximum, a magnitude): it is not reported.
    PicksComparedValue = 1,
    /// The decision compares results of the same computation on the same operands: it is not reported.
    SameComputation = 2,
    /// The decision is a convergence test that was not the last: it is not reported.
    NotTheLastTest = 3,
    /// The site records an error path; see [`ErrorPathTotals`](crate::totals::ErrorPathTotals).
    ErrorPath = 4,
}

impl Note {
    pub const ALL: [Note; 4] = [
        Note::PicksComparedValue,
        Note::SameComputation,
        Note::NotTheLastTest,
        Note::ErrorPath,
    ];

    /// Why a decision is not reported, for people; none if the note is no reason.
    pub fn suppression(self) -> Option<&'static str> {
        match self {
            Note::PicksComparedValue => Some("picks one of the compared values"),
            Note::SameComputation => Some("the same computation on the same operands"),
            Note::NotTheLastTest => Some("a convergence test that is not the last"),
            Note::ErrorPath => None,
        }
    }

    fn encode(note: Option<Note>) -> u16 {
        note.map_or(0, |note| note as u16)
    }

    fn decode(raw: u16) -> Option<Option<Note>> {
        match raw {
            0 => Some(None),
            raw => Self::ALL
                .into_iter()
                .find(|note| *note as u16 == raw)
                .map(Some),
        }
    }
}

/// A line with a call; column 0 where unknown.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Caller {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Caller {
    fn encode(&self) -> String {
        format!("{}:{}:{}", self.line, self.column, self.file)
    }

    fn decode(text: &str) -> Option<Caller> {
        let mut parts = text.splitn(3, ':');
        Some(Caller {
            line: parts.next()?.parse().ok()?,
            column: parts.next()?.parse().ok()?,
            file: parts.next()?.to_owned(),
        })
    }
}

/// A role with its detail.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum What {
    Operation(Op),
    Load,
    Argument,
    Return,
    Lost(Lost),
    Output,
    /// An output that is a constant of the compiled program.
    Constant,
}

impl What {
    pub fn role(self) -> Role {
        match self {
            What::Operation(_) => Role::Operation,
            What::Load => Role::Load,
            What::Argument => Role::Argument,
            What::Return => Role::Return,
            What::Lost(_) => Role::Lost,
            What::Output => Role::Output,
            What::Constant => Role::Constant,
        }
    }

    fn detail(self) -> u16 {
        match self {
            What::Operation(op) => op as u16,
            What::Lost(lost) => lost as u16,
            What::Load | What::Argument | What::Return | What::Output | What::Constant => 0,
        }
    }

    fn decode(role: u8, detail: u16) -> Option<What> {
        Some(match Role::from_u8(role)? {
            Role::Operation => What::Operation(Op::from_u16(detail)?),
            Role::Load => What::Load,
            Role::Argument => What::Argument,
            Role::Return => What::Return,
            Role::Lost => What::Lost(Lost::from_u16(detail)?),
            Role::Output => What::Output,
            Role::Constant => What::Constant,
        })
    }
}

/// Each time block counter `counter` ticks, site `site` is executed `times` times (lanes and merged
/// copies in the block added up).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    pub counter: u32,
    pub site: u32,
    pub times: u32,
}

/// A module's description of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteTable {
    pub mode: Mode,
    /// The version of lostbits that compiled the module.
    pub version: String,
    pub sites: Vec<Site>,
    /// The number of block counters in the module's totals.
    pub counters: u32,
    pub counts: Vec<Count>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DecodeError {
    /// Not a site table at all, or cut short.
    Malformed,
    /// Written by another version of lostbits.
    Version { abi: u32 },
}

/// No name in a program begins with this.
const LITERAL: char = '=';

/// What an operand is called that is a number in the source: `=1e16`.
pub fn literal_name(value: f64) -> String {
    format!("{LITERAL}{value:e}")
}

/// The number that such an operand is.
pub fn literal_of(name: &str) -> Option<f64> {
    name.strip_prefix(LITERAL)?.parse().ok()
}

/// Where a table says how many sites it has, as `u32`.
pub const COUNT_OFFSET: usize = 16;

const HEADER_WORDS: usize = 8;
const ROW_WORDS: usize = 11;
/// Between the names of operands, and between callers.
const BETWEEN: &str = "\n";

/// Where a site's row begins in the encoded table: mode `search` names sites by the row's address.
pub const fn row_offset(site: u32) -> usize {
    (HEADER_WORDS + site as usize * ROW_WORDS) * 4
}

/// The site whose row begins `offset` bytes after the table's start.
pub const fn site_of_row(offset: usize) -> u32 {
    ((offset / 4 - HEADER_WORDS) / ROW_WORDS) as u32
}

/// Where in its row an operation's number is ([`Op`] as `u16`).
pub const ROW_DETAIL: usize = 6 * 4;
const COUNT_WORDS: usize = 3;

impl SiteTable {
    pub fn encode(&self) -> Vec<u8> {
        let mut strings = Strings::default();
        let mut words: Vec<u32> = Vec::new();
        let version = strings.offset(&self.version);
        for site in &self.sites {
            let kind = site.kind.map_or(0, |kind| kind as u8);
            let callers: Vec<String> = site.inlined_from.iter().map(Caller::encode).collect();
            words.extend([
                strings.offset(&site.file),
                strings.offset(&site.function),
                site.line,
                site.column,
                site.ordinal,
                u32::from_le_bytes([
                    site.what.role() as u8,
                    kind,
                    site.lanes as u8,
                    (site.lanes >> 8) as u8,
                ]),
                u32::from(site.what.detail()) | u32::from(Note::encode(site.note)) << 16,
                strings.offset(&site.callee),
                site.copies,
                strings.offset(&site.operands.join(BETWEEN)),
                strings.offset(&callers.join(BETWEEN)),
            ]);
        }
        for count in &self.counts {
            words.extend([count.counter, count.site, count.times]);
        }
        let unpadded = (HEADER_WORDS + words.len()) * 4 + strings.bytes.len();
        let length = unpadded.next_multiple_of(ALIGNMENT);
        let header = [
            MAGIC,
            ABI_VERSION,
            length as u32,
            self.mode as u32,
            self.sites.len() as u32,
            self.counts.len() as u32,
            self.counters,
            version,
        ];
        let mut bytes: Vec<u8> = header
            .iter()
            .chain(&words)
            .flat_map(|word| word.to_le_bytes())
            .collect();
        bytes.extend(&strings.bytes);
        bytes.resize(length, 0);
        bytes
    }

    /// Checks the version of the table at the start of `bytes`; returns its length in bytes.
    pub fn check_version(bytes: &[u8]) -> Result<usize, DecodeError> {
        if word(bytes, 0)? != MAGIC {
            return Err(DecodeError::Malformed);
        }
        match word(bytes, 1)? {
            ABI_VERSION => Ok(word(bytes, 2)? as usize),
            abi => Err(DecodeError::Version { abi }),
        }
    }

    /// Reads the table at the start of `bytes`; returns it with its length in bytes.
    pub fn decode(bytes: &[u8]) -> Result<(SiteTable, usize), DecodeError> {
        use DecodeError::Malformed;
        let length = SiteTable::check_version(bytes)?;
        let word = |index: usize| word(bytes, index);
        let mode = Mode::from_u32(word(3)?).ok_or(Malformed)?;
        let (sites, counts) = (word(4)? as usize, word(5)? as usize);
        let counts_at = HEADER_WORDS + sites * ROW_WORDS;
        let strings_at = (counts_at + counts * COUNT_WORDS) * 4;
        let strings = bytes.get(strings_at..length).ok_or(Malformed)?;
        let string = |offset: u32| -> Result<String, DecodeError> {
            let tail = strings.get(offset as usize..).ok_or(Malformed)?;
            let end = tail.iter().position(|byte| *byte == 0).ok_or(Malformed)?;
            Ok(String::from_utf8_lossy(&tail[..end]).into_owned())
        };
        let site = |index: usize| -> Result<Site, DecodeError> {
            let at = HEADER_WORDS + index * ROW_WORDS;
            let [role, kind, lanes_low, lanes_high] = word(at + 5)?.to_le_bytes();
            let (detail, note) = (word(at + 6)? as u16, (word(at + 6)? >> 16) as u16);
            Ok(Site {
                file: string(word(at)?)?,
                function: string(word(at + 1)?)?,
                line: word(at + 2)?,
                column: word(at + 3)?,
                ordinal: word(at + 4)?,
                what: What::decode(role, detail).ok_or(Malformed)?,
                kind: FpKind::from_u8(kind),
                lanes: u16::from_le_bytes([lanes_low, lanes_high]),
                callee: string(word(at + 7)?)?,
                note: Note::decode(note).ok_or(Malformed)?,
                copies: word(at + 8)?,
                operands: separate(&string(word(at + 9)?)?),
                inlined_from: callers(&string(word(at + 10)?)?).ok_or(Malformed)?,
            })
        };
        let count = |index: usize| -> Result<Count, DecodeError> {
            let at = counts_at + index * COUNT_WORDS;
            Ok(Count {
                counter: word(at)?,
                site: word(at + 1)?,
                times: word(at + 2)?,
            })
        };
        let table = SiteTable {
            mode,
            version: string(word(7)?)?,
            sites: (0..sites).map(site).collect::<Result<_, _>>()?,
            counters: word(6)?,
            counts: (0..counts).map(count).collect::<Result<_, _>>()?,
        };
        Ok((table, length))
    }

    /// Bytes of totals the module owns: its block counters, then [`SiteTotals`] for each site.
    pub fn totals_bytes(&self) -> usize {
        self.counters as usize * 8 + self.sites.len() * size_of::<SiteTotals>()
    }
}

fn word(bytes: &[u8], index: usize) -> Result<u32, DecodeError> {
    let word = bytes.get(index * 4..).and_then(|rest| rest.first_chunk());
    word.map(|word| u32::from_le_bytes(*word))
        .ok_or(DecodeError::Malformed)
}

fn separate(text: &str) -> Vec<String> {
    match text {
        "" => Vec::new(),
        joined => joined.split(BETWEEN).map(str::to_owned).collect(),
    }
}

fn callers(text: &str) -> Option<Vec<Caller>> {
    let callers = separate(text);
    callers.iter().map(|one| Caller::decode(one)).collect()
}

#[derive(Default)]
struct Strings {
    bytes: Vec<u8>,
    offsets: std::collections::HashMap<String, u32>,
}

impl Strings {
    fn offset(&mut self, text: &str) -> u32 {
        if let Some(offset) = self.offsets.get(text) {
            return *offset;
        }
        let offset = self.bytes.len() as u32;
        self.bytes.extend(text.bytes().filter(|byte| *byte != 0));
        self.bytes.push(0);
        self.offsets.insert(text.to_owned(), offset);
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(note: Option<Note>) -> SiteTable {
        let site = Site {
            file: "a.c".to_owned(),
            function: "f".to_owned(),
            line: 3,
            column: 7,
            ordinal: 1,
            what: What::Operation(Op::Compare),
            kind: Some(FpKind::Double),
            lanes: 4,
            copies: 2,
            callee: "g".to_owned(),
            note,
            operands: vec!["x".to_owned(), String::new()],
            inlined_from: vec![Caller {
                file: "b.c".to_owned(),
                line: 9,
                column: 0,
            }],
        };
        SiteTable {
            mode: Mode::Watch,
            version: crate::VERSION.to_owned(),
            sites: vec![site],
            counters: 1,
            counts: Vec::new(),
        }
    }

    #[test]
    fn tables_survive_encoding_with_every_note() {
        for note in Note::ALL.map(Some).into_iter().chain([None]) {
            let bytes = table(note).encode();
            assert_eq!(SiteTable::decode(&bytes), Ok((table(note), bytes.len())));
        }
    }

    /// The counts stand behind the rows, the strings behind the counts.
    #[test]
    fn tables_survive_encoding_with_several_sites_and_counts() {
        let mut whole = table(None);
        whole.sites.push(Site {
            line: 4,
            lanes: 0x1234,
            file: "other.c".to_owned(),
            ..whole.sites[0].clone()
        });
        let numbers = [(0, 1, 2), (3, 4, 5), (6, 7, 8)];
        whole.counts = numbers
            .map(|(counter, site, times)| Count {
                counter,
                site,
                times,
            })
            .to_vec();
        let bytes = whole.encode();
        assert_eq!(SiteTable::decode(&bytes), Ok((whole, bytes.len())));
    }

    #[test]
    fn a_row_begins_where_its_site_is_encoded() {
        let mut three = table(None);
        let site = three.sites[0].clone();
        three.sites = [3, 4, 5]
            .map(|line| Site {
                line,
                ..site.clone()
            })
            .to_vec();
        let bytes = three.encode();
        for (number, site) in (0..).zip(&three.sites) {
            let row = &bytes[row_offset(number)..];
            assert_eq!(word(row, 2), Ok(site.line));
            assert_eq!(site_of_row(row_offset(number)), number);
        }
    }

    #[test]
    fn totals_have_room_for_every_counter_and_site() {
        let mut module = table(None);
        module.sites.push(module.sites[0].clone());
        module.counters = 3;
        assert_eq!(module.totals_bytes(), 3 * 8 + 2 * size_of::<SiteTotals>());
    }

    #[test]
    fn an_unknown_note_is_malformed() {
        let mut bytes = table(None).encode();
        bytes[row_offset(0) + ROW_DETAIL + 2] = 99;
        assert_eq!(SiteTable::decode(&bytes), Err(DecodeError::Malformed));
    }

    #[test]
    fn only_an_error_path_is_no_reason_to_suppress() {
        let without = Note::ALL
            .into_iter()
            .filter(|note| note.suppression().is_none());
        assert_eq!(without.collect::<Vec<_>>(), [Note::ErrorPath]);
    }
}
