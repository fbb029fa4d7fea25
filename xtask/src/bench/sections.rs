//! The sections of docs/PERFORMANCE.md: what is measured, how, and how it is shown.

use super::results::Row;
use super::sources::{cases, float, lines, printed_by};
use super::{fleet, keepers};
use crate::run::{command, file, output, run};
use crate::{Outcome, c_budgets, library, npm, setup};

/// One section of the page. To add one, add an entry to [`SECTIONS`].
pub struct Section {
    /// The argument of `cargo xtask bench`.
    pub name: &'static str,
    pub title: &'static str,
    /// What its figures mean.
    pub about: &'static str,
    /// How they are measured, as one would type it.
    pub commands: &'static [&'static str],
    /// Whose versions matter.
    pub tools: &'static [&'static str],
    pub columns: &'static [Column],
    pub ratios: &'static [Ratio],
    pub plot: Option<Plot>,
    pub measure: fn() -> Outcome<Vec<Row>>,
}

pub struct Column {
    pub key: &'static str,
    pub title: &'static str,
    pub decimals: usize,
}

/// A further column: a row's figure over the same figure of another row of the same run.
pub struct Ratio {
    pub key: &'static str,
    pub to: &'static str,
    pub title: &'static str,
}

pub enum Plot {
    /// A bar for each row.
    Bars { key: &'static str, title: &'static str },
    /// A line for each name, over the number of leases.
    Growth { key: &'static str, title: &'static str },
}

const fn column(key: &'static str, title: &'static str, decimals: usize) -> Column {
    Column { key, title, decimals }
}

const CASES: &[Column] = &[
    column("instructions", "instructions", 0),
    column("ns", "ns, median", 1),
    column("ns_low", "10 %", 1),
    column("ns_high", "90 %", 1),
];
/// Of a package over the C ABI.
const BOUND: &[Column] = &[
    column("ns_per_call", "ns a call, median", 1),
    column("noop_ns", "ns of a call that does nothing", 1),
    column("ratio", "times that", 2),
    column("leases", "leases", 0),
    column("extensions_per_s", "extensions a second", 0),
    column("cpu_percent", "% of a core", 2),
];

pub const SECTIONS: &[Section] = &[
    Section {
        name: "handle",
        title: "One decision",
        about: "One call of `handle` with each kind of event, in Rust. 60 s of TTL, 10 s for a request. The call is not inlined. Its decision is \
                copied once more than where the gates are counted, so a figure here is a little above theirs.",
        commands: &[
            "valgrind --tool=callgrind target/release/leasebeat-costs handle",
            "cargo bench -p leasebeat-benches --bench cases -- ^handle/",
        ],
        tools: &["rustc", "valgrind"],
        columns: CASES,
        ratios: &[],
        plot: Some(Plot::Bars { key: "instructions", title: "instructions of one call of handle" }),
        measure: || cases("handle"),
    },
    Section {
        name: "decode",
        title: "An answer decoded",
        about: "`wire::decode` of a whole answer: its schema is checked, every unknown or doubled key refused. Keys backwards are not where \
                they are looked for first.",
        commands: &[
            "valgrind --tool=callgrind target/release/leasebeat-costs decode",
            "cargo bench -p leasebeat-benches --bench cases -- ^decode/",
        ],
        tools: &["rustc", "valgrind"],
        columns: CASES,
        ratios: &[],
        plot: Some(Plot::Bars { key: "instructions", title: "instructions of one decode" }),
        measure: || cases("decode"),
    },
    Section {
        name: "rest",
        title: "What else a host asks",
        about: "Settings checked, a plan, the views of a lease, explanations, snapshots.",
        commands: &[
            "valgrind --tool=callgrind target/release/leasebeat-costs rest",
            "cargo bench -p leasebeat-benches --bench cases -- ^rest/",
        ],
        tools: &["rustc", "valgrind"],
        columns: CASES,
        ratios: &[],
        plot: None,
        measure: || cases("rest"),
    },
    Section {
        name: "fleet",
        title: "A fleet of leases",
        about: "`insert`, `handle` and `poll` of one lease among so many, with deadlines in random order: the mean of as many calls as there are \
                leases. The line would be straight if it grew with the logarithm.",
        commands: &[
            "valgrind --tool=callgrind target/release/leasebeat-growth count N",
            "target/release/leasebeat-growth time N",
        ],
        tools: &["rustc", "valgrind"],
        columns: &[
            column("leases", "leases", 0),
            column("instructions", "instructions", 0),
            column("ns", "ns, median of 5 rounds", 0),
            column("ns_low", "least", 0),
            column("ns_high", "most", 0),
            column("bytes_per_lease", "bytes a lease", 0),
        ],
        ratios: &[],
        plot: Some(Plot::Growth { key: "instructions", title: "instructions of one call, by leases" }),
        measure: fleet::measure,
    },
    Section {
        name: "keepers",
        title: "Ways to keep 100,000 leases",
        about: "The same leases kept in each way, against a server in the process that answers at once, each way in a process of its own. Bytes are those \
                allocated and not freed; processor time is user and system time. In each way everything but the keeping is the same.",
        commands: &["target/release/leasebeat-herd --leases 100000"],
        tools: &["rustc"],
        columns: &[
            column("leases", "leases", 0),
            column("bytes_per_lease", "bytes a lease", 0),
            column("resident_bytes_per_lease", "resident", 0),
            column("cpu_ns_per_beat", "ns of processor a beat", 0),
        ],
        ratios: &[
            Ratio { key: "bytes_per_lease", to: "fleet", title: "times the fleet's bytes" },
            Ratio { key: "cpu_ns_per_beat", to: "fleet", title: "times its processor" },
        ],
        plot: Some(Plot::Bars { key: "bytes_per_lease", title: "bytes a lease" }),
        measure: keepers::measure,
    },
    Section {
        name: "c",
        title: "A call from C",
        about: "Calls of the static library as it is shipped, beside `leasebeat_abi_version`, which does nothing. 64 heartbeats in turn. Over all vectors: \
                instructions of `leasebeat_handle`, and of the kernel's own `handle` in the same run.",
        commands: &["target/ffi/calls", "valgrind --tool=callgrind target/ffi/vectors-counted tests/vectors"],
        tools: &["gcc", "rustc", "valgrind"],
        columns: &[
            column("ns_per_call", "ns a call, median", 1),
            column("ns_low", "10 %", 1),
            column("ns_high", "90 %", 1),
            column("noop_ns", "ns of a call that does nothing", 1),
            column("ratio", "times that", 2),
            column("instructions", "instructions", 1),
        ],
        ratios: &[Ratio { key: "instructions", to: "all vectors, in Rust", title: "times Rust's" }],
        plot: None,
        measure: c,
    },
    Section {
        name: "javascript",
        title: "A call from JavaScript",
        about: "The npm package in Node, beside a plain JavaScript function that computes the formula of a success and keeps no state but the \
                longest round trip. `import`: until the module is there; `load and first decision`: until the first lease has begun.",
        commands: &["npm run bench (in wasm/npm)"],
        tools: &["node"],
        columns: &[
            column("ns_per_call", "ns a call, median of 7", 0),
            column("ns_low", "least", 0),
            column("ns_high", "most", 0),
            column("ms", "ms, median of 7", 2),
        ],
        ratios: &[Ratio { key: "ns_per_call", to: "plain", title: "times the plain function" }],
        plot: None,
        measure: javascript,
    },
    Section {
        name: "python",
        title: "A call from Python",
        about: "The Python package, beside a call of its extension module that does nothing. `leases`: as many kept over HTTP by a driver of the package \
                against `leasebeat serve`.",
        commands: &["cargo xtask python --bench"],
        tools: &["python3"],
        columns: BOUND,
        ratios: &[],
        plot: None,
        measure: || job("python"),
    },
    Section {
        name: "sdk",
        title: "The official Python SDK's scheduler",
        about: "1,000 leases, each with a scheduler of the official SDK (`runcycles`) of its own, and 1,000 heartbeats of the C library in the same process, \
                called through ctypes; the calls that do nothing are a Python function and a foreign one. The SDK's bytes are tracemalloc's: of the \
                scheduler, and with the asyncio task in which it sleeps. Those of a heartbeat are `leasebeat_sizeof()`, without the Python object around it. \
                The SDK's scheduler keeps no state of an attempt, of keys or of stops; those are in its loop.",
        commands: &["target/python/bin/python benches/python/sdk.py target/ffi/lib/libleasebeat.so.1"],
        tools: &["target/python/bin/python"],
        columns: &[
            column("leases", "leases", 0),
            column("ns_per_call", "ns a call, median", 0),
            column("ns_low", "10 %", 0),
            column("ns_high", "90 %", 0),
            column("bytes_per_lease", "bytes a lease", 0),
        ],
        ratios: &[],
        plot: None,
        measure: sdk,
    },
    Section {
        name: "java",
        title: "A call from Java",
        about: "The Java package over JNI and over java.lang.foreign, beside a call through the same bridge that does nothing. `leases`: as many \
                kept by the package's driver against `leasebeat serve`.",
        commands: &["cargo xtask java --bench"],
        tools: &["java"],
        columns: BOUND,
        ratios: &[],
        plot: None,
        measure: || job("java"),
    },
];

fn python(arguments: &[&str]) -> Outcome<Vec<Row>> {
    printed_by("", &file(setup::PYTHON).join("bin/python").display().to_string(), arguments)
}

fn sdk() -> Outcome<Vec<Row>> {
    setup::python()?;
    library::build()?;
    python(&["benches/python/sdk.py", &format!("{}/libleasebeat.so.1", library::BUILT)])
}

/// The job that builds the package and measures it, as a process of its own: what it prints are the figures.
fn job(name: &str) -> Outcome<Vec<Row>> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    printed_by("", &this.display().to_string(), &[name, "--bench"])
}

fn javascript() -> Outcome<Vec<Row>> {
    setup::npm()?;
    npm::build()?;
    printed_by(npm::PACKAGE, "npm", &["run", "--silent", "bench"])
}

fn c() -> Outcome<Vec<Row>> {
    setup::c()?;
    library::build()?;
    let (built, archive) = ("target/ffi/calls", format!("{}/libleasebeat.a", library::BUILT));
    let flags = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O2", "-Wall", "-Wextra", "-Werror", "-Iinclude"];
    run(command("gcc", &[&flags[..], &["benches/c/calls.c", &archive, "-o", built]].concat()))?;
    let mut rows = lines(&String::from_utf8_lossy(&output(command(built, &[]))?.stdout))?;
    let (c, rust) = c_budgets::calls()?;
    for (name, calls) in [("all vectors, from C", c), ("all vectors, in Rust", rust)] {
        let mean = float(calls.iter().sum()) / float(calls.len() as u64);
        rows.push(Row::new(name, &[("instructions", mean)]));
    }
    Ok(rows)
}
