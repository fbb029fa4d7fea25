//! docs/PERFORMANCE.md from the results.

use std::fmt::Write;

use super::plots;
use super::results::{Measured, Results, Row};
use super::sections::{Column, Ratio, SECTIONS, Section};

const HEAD: &str = "<!-- Written by `cargo xtask bench` from docs/performance/results.json: change nothing by hand. -->

# Performance

Every figure here was measured by `cargo xtask bench` and is written from [the results](performance/results.json) only.
`cargo xtask bench SECTION` measures one section again and keeps the others, each with its own day, commit and machine.

## How to read it

- **Instructions** are counted by callgrind, of one call in a release build for x86-64. They do not depend on how busy the machine is: compare them between
  commits. Those that are gates are in [benches/budgets.toml](../benches/budgets.toml); `cargo xtask budgets` holds them, and `cargo xtask budgets --history`
  shows how they went.
- **ns** are times of one machine on one day. Beside the median stand the tenth and the ninetieth percentile, or the least and the most, of the same
  run: the noise. A difference smaller than it is none.
- **times** are ratios within one run, so both sides had the same machine and the same noise. Ratios between sections mean nothing.
- **load** is the load average before the section was measured: how many other things wanted the processor.
- A commit with a `+` had changes that were not committed.

What long campaigns found (mutants, fuzzing, the lab, the server under load) is kept with its own day and command: [CAMPAIGNS.md](CAMPAIGNS.md),
[FUZZING.md](FUZZING.md), [LAB.md](LAB.md), [SERVE.md](SERVE.md). Those are records of one run, not written by this job.
";

pub fn page(results: &Results) -> String {
    let mut page = HEAD.to_owned();
    for section in SECTIONS {
        let _ = write!(page, "\n## {}\n\n{}\n\n", section.title, section.about);
        match results.sections.get(section.name) {
            Some(measured) => write_section(&mut page, section, measured),
            None => {
                let _ = writeln!(page, "Not measured yet: `cargo xtask bench {}`.", section.name);
            }
        }
    }
    page
}

fn write_section(page: &mut String, section: &Section, measured: &Measured) {
    let is_used = |column: &&Column| measured.rows.iter().any(|row| row.values.contains_key(column.key));
    let columns: Vec<&Column> = section.columns.iter().filter(is_used).collect();
    page.push_str("| |");
    for column in &columns {
        let _ = write!(page, " {} |", column.title);
    }
    for ratio in section.ratios {
        let _ = write!(page, " {} |", ratio.title);
    }
    page.push_str("\n|---|");
    page.push_str(&"---:|".repeat(columns.len() + section.ratios.len()));
    page.push('\n');
    for row in &measured.rows {
        let _ = write!(page, "| {} |", row.name);
        for column in &columns {
            let value = row.values.get(column.key);
            let _ =
                write!(page, " {} |", value.map_or(String::new(), |value| number(*value, column.decimals)));
        }
        for ratio in section.ratios {
            let _ = write!(page, " {} |", of_run(ratio, measured, row).unwrap_or_default());
        }
        page.push('\n');
    }
    if section.plot.is_some() {
        let path = plots::path(section);
        let file = path.strip_prefix("docs/").unwrap_or(&path);
        let _ = write!(page, "\n![{}]({file})\n", section.title);
    }
    let _ = write!(
        page,
        "\n{}, commit {}, load {}. {}. {}.\n\n",
        measured.date,
        measured.commit,
        measured.load,
        measured.machine,
        measured.versions.join("; ")
    );
    let _ = write!(page, "```sh\n{}\n```\n", measured.commands.join("\n"));
}

/// A row's figure over that of the row it is compared with.
fn of_run(ratio: &Ratio, measured: &Measured, row: &Row) -> Option<String> {
    let (value, base) = (row.values.get(ratio.key)?, measured.figure(ratio.to, ratio.key)?);
    Some(number(value / base, 2))
}

/// 1,000,000 rather than 1000000.
pub fn grouped(count: u64) -> String {
    number(super::sources::float(count), 0)
}

/// With commas between thousands.
pub fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(a, b)| (a, Some(b)));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    fraction.map_or(grouped.clone(), |fraction| format!("{grouped}.{fraction}"))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn thousands_are_told_apart() {
        assert_eq!(number(999.0, 0), "999");
        assert_eq!(number(1_234_567.25, 1), "1,234,567.2");
        assert_eq!(number(0.5, 2), "0.50");
    }
}
