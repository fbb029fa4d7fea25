//! The file of results: what was measured, when, of which commit, on what, by which command.

use std::collections::BTreeMap;
use std::fs;

use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::run::file;

const RESULTS: &str = "docs/performance/results.json";

/// All sections that were ever measured.
#[derive(Serialize, Deserialize, Default)]
pub struct Results {
    pub sections: BTreeMap<String, Measured>,
}

/// One section, measured in one run.
#[derive(Serialize, Deserialize)]
pub struct Measured {
    pub date: String,
    /// What was measured; with a `+` where files had changed since.
    pub commit: String,
    pub machine: String,
    /// The load average before the run: how busy the machine was with other things.
    pub load: String,
    pub versions: Vec<String>,
    pub commands: Vec<String>,
    pub rows: Vec<Row>,
}

/// What was measured of one thing.
#[derive(Serialize, Deserialize, Clone)]
pub struct Row {
    pub name: String,
    pub values: BTreeMap<String, f64>,
}

impl Row {
    pub fn new(name: &str, values: &[(&str, f64)]) -> Self {
        let values = values.iter().map(|&(key, value)| (key.to_owned(), value)).collect();
        Self { name: name.to_owned(), values }
    }
}

impl Measured {
    /// A figure by its row and key.
    pub fn figure(&self, row: &str, key: &str) -> Option<f64> {
        self.rows.iter().find(|found| found.name == row)?.values.get(key).copied()
    }
}

impl Results {
    /// None yet is none.
    pub fn read() -> Outcome<Self> {
        match fs::read_to_string(file(RESULTS)) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| format!("{RESULTS}: {error}")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(format!("{RESULTS}: {error}")),
        }
    }

    pub fn write(&self) -> Outcome {
        let path = file(RESULTS);
        fs::create_dir_all(path.parent().expect("it has a folder")).map_err(|error| error.to_string())?;
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        fs::write(path, text + "\n").map_err(|error| format!("{RESULTS}: {error}"))
    }
}
