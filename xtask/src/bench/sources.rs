//! Where figures come from: criterion and callgrind over the cases, and programs that print a JSON object a line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::results::Row;
use crate::Outcome;
use crate::run::{cargo, command, file, output};

/// A group of the cases: instructions by callgrind, nanoseconds by criterion.
pub fn cases(group: &str) -> Outcome<Vec<Row>> {
    let package = ["--locked", "--package", "leasebeat-benches"];
    cargo(&[&["build", "--release"], &package[..]].concat())?;
    let counted = callgrind("leasebeat-costs", "leasebeat_costs::measured", &[group])?;
    let filter = format!("^{group}/");
    let options = ["--bench", "cases", "--", "--noplot", "--measurement-time", "2", "--warm-up-time", "1"];
    cargo(&[&["bench"], &package[..], &options, &[&filter]].concat())?;
    let mut times = criterion(group)?;
    let row = |(name, instructions): (String, u64)| {
        let mut values = times.remove(&name).ok_or_else(|| format!("criterion did not time {name}"))?;
        values.insert("instructions".to_owned(), float(instructions));
        Ok(Row { name, values })
    };
    counted.into_iter().map(row).collect()
}

/// The instructions of each call of `function`, and what the program printed for it.
pub fn callgrind(program: &str, function: &str, arguments: &[&str]) -> Outcome<Vec<(String, u64)>> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let dump = directory.path().join("calls");
    let options = [
        "--tool=callgrind".to_owned(),
        format!("--toggle-collect={function}"),
        format!("--dump-after={function}"),
        format!("--callgrind-out-file={}", dump.display()),
        file("target/release").join(program).display().to_string(),
    ];
    let options: Vec<&str> = options.iter().map(String::as_str).chain(arguments.iter().copied()).collect();
    let printed = output(command("valgrind", &options))?;
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    let total = |(number, line): (usize, &str)| {
        Ok((line.to_owned(), crate::budgets::total(&dump.with_extension(number.to_string()))?))
    };
    (1..).zip(printed.lines()).map(total).collect()
}

/// What criterion wrote: of each case the median, and between which the middle 80 % of the samples are.
fn criterion(group: &str) -> Outcome<BTreeMap<String, BTreeMap<String, f64>>> {
    #[derive(Deserialize)]
    struct Benchmark {
        group_id: String,
        function_id: String,
    }
    #[derive(Deserialize)]
    struct Sample {
        iters: Vec<f64>,
        times: Vec<f64>,
    }
    let folder = file("target/criterion").join(group);
    let cases = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut times = BTreeMap::new();
    for case in cases.flatten() {
        let new = case.path().join("new");
        if !new.is_dir() {
            continue;
        }
        let benchmark: Benchmark = json(&new.join("benchmark.json"))?;
        if benchmark.group_id != group {
            continue;
        }
        let sample: Sample = json(&new.join("sample.json"))?;
        let each = sample.times.iter().zip(&sample.iters).map(|(time, iterations)| time / iterations);
        times.insert(benchmark.function_id, spread(each.collect()));
    }
    Ok(times)
}

/// The median, and the tenth and the ninetieth percentile.
fn spread(mut samples: Vec<f64>) -> BTreeMap<String, f64> {
    samples.sort_by(f64::total_cmp);
    let at = |percent: usize| samples[(samples.len() - 1) * percent / 100];
    [("ns", 50), ("ns_low", 10), ("ns_high", 90)].map(|(key, percent)| (key.to_owned(), at(percent))).into()
}

fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Outcome<T> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The rows of a program that prints a JSON object a line: its `name`, and every number. Other lines are an error.
pub fn lines(printed: &str) -> Outcome<Vec<Row>> {
    let row = |line: &str| {
        let Ok(Value::Object(object)) = serde_json::from_str(line) else {
            return Err(format!("no JSON object: {line:?}"));
        };
        let name = object.get("name").and_then(Value::as_str).ok_or_else(|| format!("no name: {line:?}"))?;
        let number = |(key, value): (&String, &Value)| value.as_f64().map(|number| (key.clone(), number));
        Ok(Row { name: name.to_owned(), values: object.iter().filter_map(number).collect() })
    };
    printed.lines().filter(|line| !line.trim().is_empty()).map(row).collect()
}

/// Runs a command in a folder of the project, and takes the lines that it prints.
pub fn printed_by(folder: &str, program: &str, arguments: &[&str]) -> Outcome<Vec<Row>> {
    let mut command = command(program, arguments);
    command.current_dir(file(folder));
    lines(&String::from_utf8_lossy(&output(command)?.stdout))
}

/// Counts of instructions stay far below 2^53.
#[allow(clippy::cast_precision_loss)]
pub fn float(count: u64) -> f64 {
    count as f64
}
