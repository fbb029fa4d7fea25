//! What the C ABI costs: the bytes of the shared library, and the instructions of a call over those of the kernel's own.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;

use crate::run::{command, file, output, run};
use crate::{Outcome, consumer, library};

/// Over all vectors, of the library as it is shipped.
#[derive(Deserialize)]
struct Budgets {
    c: BTreeMap<String, u64>,
}

/// Measures the libraries that are built, prints each figure beside its budget, and fails where one is passed.
pub fn check() -> Outcome {
    let text = fs::read_to_string(file("benches/budgets.toml")).map_err(|error| error.to_string())?;
    let budgets: Budgets = toml::from_str(&text).map_err(|error| format!("benches/budgets.toml: {error}"))?;
    let (shared_bytes, needed) = library::shared_figures()?;
    if !needed.is_empty() {
        return Err(format!("the shared library needs {}", needed.join(", ")));
    }
    let (c, rust) = (c_calls()?, rust_calls("leasebeat-benches", "leasebeat_benches::measured_handle")?);
    let numbers = rust_calls("leasebeat-numbers", "leasebeat_numbers::measured_numbers")?;
    if c.len() != rust.len() || c.is_empty() {
        return Err(format!("{} calls in C and {} in Rust", c.len(), rust.len()));
    }
    if c.len() != numbers.len() {
        return Err(format!("{} calls in C and {} in numbers", c.len(), numbers.len()));
    }
    let sum = |calls: &[u64]| calls.iter().sum::<u64>();
    let (of_c, of_rust, of_numbers) = (sum(&c), sum(&rust), sum(&numbers));
    let figures = BTreeMap::from([
        ("shared_bytes", shared_bytes),
        ("call_percent", of_c * 100 / of_rust.max(1)),
        ("numbers_percent", of_c * 100 / of_numbers.max(1)),
    ]);
    println!(
        "C, {} calls: {of_c} instructions, {of_rust} in Rust, {of_numbers} from numbers to numbers",
        c.len()
    );
    let mut passed = Vec::new();
    for (name, budget) in &budgets.c {
        let figure =
            figures.get(name.as_str()).ok_or_else(|| format!("c.{name} has a budget and no figure"))?;
        println!("  {name:<26} {figure:>8} {budget:>8}");
        if figure > budget {
            passed.push(format!("c.{name} is {figure} of {budget}"));
        }
    }
    if passed.is_empty() { Ok(()) } else { Err(format!("over budget: {}", passed.join(", "))) }
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
