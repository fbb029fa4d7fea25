//! What the C ABI costs: the bytes of the shared library, and the instructions of a call over those of the kernel's own.

use std::collections::BTreeMap;

use crate::budgets::{Figure, Held, compare};
use crate::run::{command, file, output, run};
use crate::{Outcome, consumer, library};

/// Measures the libraries that are built, each figure printed beside its budget.
pub fn measure() -> Outcome<Vec<Held>> {
    let (shared_bytes, needed) = library::shared_figures()?;
    if !needed.is_empty() {
        return Err(format!("the shared library needs {}", needed.join(", ")));
    }
    let (c, rust) = calls()?;
    let numbers = rust_calls("leasebeat-numbers", "leasebeat_numbers::measured_numbers")?;
    if c.len() != numbers.len() {
        return Err(format!("{} calls in C and {} in numbers", c.len(), numbers.len()));
    }
    let sum = |calls: &[u64]| calls.iter().sum::<u64>();
    let (of_c, of_rust, of_numbers) = (sum(&c), sum(&rust), sum(&numbers));
    println!(
        "C, {} calls: {of_c} instructions, {of_rust} in Rust, {of_numbers} from numbers to numbers",
        c.len()
    );
    let figure = |name: &str, value| (name.to_owned(), Figure { value, of: String::new() });
    let figures = BTreeMap::from([
        figure("shared_bytes", shared_bytes),
        figure("call_percent", of_c * 100 / of_rust.max(1)),
        figure("numbers_percent", of_c * 100 / of_numbers.max(1)),
    ]);
    compare("c", &figures)
}

/// The instructions of each call over all vectors: from C, and of the kernel's own.
pub fn calls() -> Outcome<(Vec<u64>, Vec<u64>)> {
    let (c, rust) = (c_calls()?, rust_calls("leasebeat-benches", "leasebeat_benches::measured_handle")?);
    if c.len() != rust.len() || c.is_empty() {
        return Err(format!("{} calls in C and {} in Rust", c.len(), rust.len()));
    }
    Ok((c, rust))
}

fn c_calls() -> Outcome<Vec<u64>> {
    let built = "target/ffi/vectors-counted";
    let archive = format!("{}/libleasebeat.a", library::BUILT);
    let flags = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O2", "-Iinclude", "tests/c/vectors.c", &archive];
    run(command("gcc", &[&flags[..], &["-ljson-c", "-o", built]].concat()))?;
    count("leasebeat_handle", built, &["tests/vectors", consumer::VECTORS, "--calls"])
}

fn rust_calls(program: &str, function: &str) -> Outcome<Vec<u64>> {
    crate::run::cargo(&["build", "--release", "--locked", "--package", "leasebeat-benches"])?;
    count(function, &format!("target/release/{program}"), &["handle"])
}

/// The instructions of each call of `function`, in their order.
fn count(function: &str, program: &str, arguments: &[&str]) -> Outcome<Vec<u64>> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let dump = directory.path().join("calls");
    let options = [
        "--tool=callgrind".to_owned(),
        format!("--toggle-collect={function}"),
        format!("--dump-after={function}"),
        format!("--callgrind-out-file={}", dump.display()),
        file(program).display().to_string(),
    ];
    let options: Vec<&str> = options.iter().map(String::as_str).chain(arguments.iter().copied()).collect();
    let printed = output(command("valgrind", &options))?;
    let calls = String::from_utf8_lossy(&printed.stdout).lines().count();
    (1..=calls).map(|number| crate::budgets::total(&dump.with_extension(number.to_string()))).collect()
}
