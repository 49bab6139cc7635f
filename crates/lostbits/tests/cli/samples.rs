//! Hand-made site tables and run records.

use lostbits_abi::{
    ABI_VERSION,
    kind::FpKind,
    mode::Mode,
    ops::Op,
    record::{
        CHUNK_ALIGNMENT, COMMAND_BYTES, ChunkHeader, Header, MAGIC, ModuleRecord, ProcessRecord,
        state,
    },
    site::{Count, Lost, Site, SiteTable, SiteTotals, What},
};

pub fn site(place: (&str, u32, u32), function: &str, what: What) -> Site {
    Site {
        file: place.0.to_owned(),
        function: function.to_owned(),
        line: place.1,
        column: place.2,
        ordinal: 0,
        what,
        kind: Some(FpKind::Double),
        lanes: 1,
        copies: 1,
        callee: String::new(),
        note: None,
        operands: Vec::new(),
        inlined_from: Vec::new(),
    }
}

pub fn table(mode: Mode, sites: Vec<Site>) -> SiteTable {
    let counts = (0..sites.len() as u32)
        .map(|site| Count {
            counter: 0,
            site,
            times: site + 1,
        })
        .collect();
    SiteTable {
        mode,
        version: lostbits_abi::VERSION.to_owned(),
        sites,
        counters: 1,
        counts,
    }
}

/// Sites of every role, in no order, with names of three languages.
pub fn varied_sites() -> Vec<Site> {
    let returned = Site {
        callee: "strtod".to_owned(),
        ..site(("solve.c", 4, 9), "main", What::Return)
    };
    let vector = Site {
        lanes: 4,
        copies: 3,
        kind: Some(FpKind::Float),
        ..site(
            ("solve.c", 30, 12),
            "_ZN6linalg3dotEPKfi",
            What::Operation(Op::Mul),
        )
    };
    vec![
        vector,
        site(("solve.c", 7, 21), "main", What::Operation(Op::Sub)),
        site(("solve.c", 7, 5), "main", What::Operation(Op::Add)),
        returned,
        site(("solve.c", 3, 1), "compare", What::Argument),
        site(("solve.c", 31, 2), "_ZN6linalg3dotEPKfi", What::Load),
        site(
            ("bits.c", 12, 3),
            "from_bits",
            What::Lost(Lost::IntegerBits),
        ),
        site(("", 0, 0), "_QPsaxpy", What::Operation(Op::Div)),
    ]
}

pub fn module(mode: Mode, sites: Vec<Site>, ticks: u64, totals: Vec<SiteTotals>) -> ModuleRecord {
    ModuleRecord {
        table: table(mode, sites),
        counters: vec![ticks],
        totals,
    }
}

pub fn process(number: u32, modules: Vec<ModuleRecord>) -> ProcessRecord {
    ProcessRecord {
        process: number,
        parent: 1,
        exited: true,
        modules_lost: 0,
        command: vec!["./solve".to_owned(), "fast".to_owned()],
        modules,
    }
}

/// Bytes of records, as the runtime leaves them.
pub fn encode(processes: &[ProcessRecord]) -> Vec<u8> {
    processes.iter().flat_map(encode_process).collect()
}

fn encode_process(process: &ProcessRecord) -> Vec<u8> {
    let chunks: Vec<u8> = process.modules.iter().flat_map(encode_module).collect();
    let header_bytes = size_of::<Header>().next_multiple_of(CHUNK_ALIGNMENT);
    let mut command = [0; COMMAND_BYTES];
    let words: Vec<u8> = process
        .command
        .iter()
        .flat_map(|word| [word.as_bytes(), b"\0"].concat())
        .collect();
    command[..words.len()].copy_from_slice(&words);
    let mut bytes = Vec::new();
    bytes.extend(MAGIC);
    bytes.extend(ABI_VERSION.to_le_bytes());
    bytes.extend(
        if process.exited {
            state::EXITED
        } else {
            state::RUNNING
        }
        .to_le_bytes(),
    );
    bytes.extend(((header_bytes + chunks.len()) as u64).to_le_bytes());
    bytes.extend(process.process.to_le_bytes());
    bytes.extend(process.parent.to_le_bytes());
    bytes.extend(process.modules_lost.to_le_bytes());
    bytes.extend(command);
    bytes.resize(header_bytes, 0);
    bytes.extend(chunks);
    bytes
}

fn encode_module(module: &ModuleRecord) -> Vec<u8> {
    let table = module.table.encode();
    let totals = module.totals.iter().flat_map(|totals| {
        [
            totals.differences,
            totals.fresh,
            totals.program_bits,
            totals.shadow_bits,
        ]
    });
    let totals: Vec<u8> = module
        .counters
        .iter()
        .copied()
        .chain(totals)
        .flat_map(u64::to_le_bytes)
        .collect();
    let totals_at = (size_of::<ChunkHeader>() + table.len()).next_multiple_of(8);
    let length = (totals_at + totals.len()).next_multiple_of(CHUNK_ALIGNMENT);
    let mut bytes: Vec<u8> = [length, table.len(), totals.len()]
        .iter()
        .flat_map(|word| (*word as u64).to_le_bytes())
        .collect();
    bytes.extend(table);
    bytes.resize(totals_at, 0);
    bytes.extend(totals);
    bytes.resize(length, 0);
    bytes
}

#[test]
fn records_round_trip() {
    let totals = SiteTotals {
        differences: 3,
        fresh: 2,
        program_bits: 1,
        shadow_bits: 9,
    };
    let modules = vec![module(
        Mode::Same,
        varied_sites(),
        5,
        vec![totals; varied_sites().len()],
    )];
    let processes = vec![process(10, modules.clone()), process(11, modules)];
    assert_eq!(
        lostbits_abi::record::decode(&encode(&processes)),
        Ok(processes)
    );
}
