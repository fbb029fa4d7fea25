//! The Python package: its wheel built, checked, installed and tested, and its README's example run in an environment that has nothing else.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::run::{cargo, command, file, output, run};
use crate::{Outcome, setup};

const FOLDER: &str = "bindings/python";
const MANIFEST: &str = "bindings/python/Cargo.toml";
const WHEELS: &str = "target/python-package/wheels";
/// Where the README's example is installed, as a user would.
const CLEAN: &str = "target/python-package/clean";
const SERVER: &str = "target/debug/leasebeat";

/// All of it.
pub fn all() -> Outcome {
    setup::python_package()?;
    one_version()?;
    same_licences()?;
    check()?;
    let wheel = build()?;
    pip("target/python-package", &["--force-reinstall", "--no-deps", &wheel])?;
    cargo(&["build", "--package", "leasebeat-cli", "--locked"])?;
    run(tool("pytest", &["-p", "no:cacheprovider", "--quiet", "tests"])?)?;
    readme(&wheel)
}

/// What its calls and its driver cost, as JSON Lines.
pub fn bench() -> Outcome {
    setup::python_package()?;
    let wheel = build()?;
    pip("target/python-package", &["--force-reinstall", "--no-deps", &wheel])?;
    cargo(&["build", "--release", "--package", "leasebeat-cli", "--locked"])?;
    run(tool("python", &["bench/handle.py"])?)?;
    let mut driver = tool("python", &["bench/driver.py"])?;
    driver.env("LEASEBEAT", file("target/release/leasebeat"));
    run(driver)
}

fn check() -> Outcome {
    let clippy = ["clippy", "--manifest-path", MANIFEST, "--target-dir", "target/python-package/build"];
    cargo(&[&clippy[..], &["--release", "--locked", "--", "-Dwarnings"]].concat())?;
    run(tool("ruff", &["check", "--no-cache", "."])?)?;
    run(tool("ruff", &["format", "--no-cache", "--check", "."])?)?;
    run(tool("mypy", &["--cache-dir", "../../target/python-package/mypy"])?)?;
    run(tool("pyright", &[])?)
}

/// The wheel.
fn build() -> Outcome<String> {
    let _ = fs::remove_dir_all(file(WHEELS));
    let out = file(WHEELS).display().to_string();
    let mut maturin = tool("maturin", &["build", "--release", "--locked", "--quiet", "--out", &out])?;
    maturin.env("CARGO_TARGET_DIR", file("target/python-package/build"));
    run(maturin)?;
    let mut found = fs::read_dir(file(WHEELS)).map_err(|error| format!("{WHEELS}: {error}"))?;
    let wheel = found.next().ok_or_else(|| format!("{WHEELS}: maturin built no wheel"))?;
    Ok(wheel.map_err(|error| format!("{WHEELS}: {error}"))?.path().display().to_string())
}

fn pip(environment: &str, arguments: &[&str]) -> Outcome {
    let python = format!("{environment}/bin/python");
    run(command(&python, &[&["-m", "pip", "install", "--quiet"], arguments].concat()))
}

/// The README's example in an empty environment, through a lost response and a 503; its lease must not have lapsed.
fn readme(wheel: &str) -> Outcome {
    run(command("python3", &["-m", "venv", "--clear", CLEAN]))?;
    pip(CLEAN, &[&format!("{wheel}[httpx]")])?;
    let text =
        fs::read_to_string(file(FOLDER).join("README.md")).map_err(|error| format!("README: {error}"))?;
    let example = text.split("```python\n").nth(1).and_then(|rest| rest.split("```").next());
    let example = example.ok_or("bindings/python/README.md has no example")?;
    let (program, log) = (file(CLEAN).join("example.py"), file(CLEAN).join("log.jsonl"));
    fs::write(&program, example).map_err(|error| format!("{}: {error}", program.display()))?;
    let log_path = log.display().to_string();
    let faults = ["--fault", "extend:1=lost-response", "--fault", "extend:3=status=503"];
    let serve = ["serve", "--listen", "127.0.0.1:0", "--max-lead", "4s", "--log", &log_path];
    let mut server = command(SERVER, &[&serve[..], &faults].concat())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("leasebeat serve: {error}"))?;
    let mut line = String::new();
    let out = server.stdout.take().ok_or("leasebeat serve has no output")?;
    BufReader::new(out).read_line(&mut line).map_err(|error| format!("leasebeat serve: {error}"))?;
    let url = line.split("\"url\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let ran = url.ok_or_else(|| format!("leasebeat serve said {line:?}")).and_then(|url| {
        let program = program.display().to_string();
        output(command(&format!("{CLEAN}/bin/python"), &[&program, url, "demo-key"]))
    });
    let _ = server.kill();
    let _ = server.wait();
    let printed = String::from_utf8_lossy(&ran?.stdout).into_owned();
    print!("README's example: {printed}");
    let log = fs::read_to_string(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    let played = ["\"fault\":\"lost-response\"", "\"fault\":\"status=503\""].map(|fault| log.contains(fault));
    if !printed.starts_with("done, with ") || played != [true, true] || log.contains("RESERVATION_EXPIRED") {
        return Err(format!("README's example did not keep its lease through both faults:\n{log}"));
    }
    Ok(())
}

/// The package's version is the workspace's: its crate is no member, as PyO3 would be built with every test.
fn one_version() -> Outcome {
    let version = |path: &str| {
        let text = fs::read_to_string(file(path)).map_err(|error| format!("{path}: {error}"))?;
        let found = text.lines().find_map(|line| line.strip_prefix("version = ").map(str::to_owned));
        found.ok_or_else(|| format!("{path} has no version"))
    };
    let (ours, theirs) = (version("Cargo.toml")?, version(MANIFEST)?);
    if ours == theirs { Ok(()) } else { Err(format!("{MANIFEST} has version {theirs}, Cargo.toml {ours}")) }
}

/// A wheel takes its licences from its own folder.
fn same_licences() -> Outcome {
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let read = |path: std::path::PathBuf| {
            fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        if read(file(name))? != read(file(FOLDER).join(name))? {
            return Err(format!("{FOLDER}/{name} is not {name}"));
        }
    }
    Ok(())
}

/// A program of the environment, in the package's folder.
fn tool(name: &str, arguments: &[&str]) -> Outcome<Command> {
    let environment = file(setup::PYTHON_PACKAGE);
    let program = environment.join("bin").join(name);
    let mut tool = command(&program.display().to_string(), arguments);
    let paths = env::var_os("PATH").unwrap_or_default();
    let paths = env::join_paths([environment.join("bin")].into_iter().chain(env::split_paths(&paths)));
    tool.current_dir(file(FOLDER))
        .env("VIRTUAL_ENV", &environment)
        .env("PATH", paths.map_err(|error| format!("PATH: {error}"))?)
        .env("LEASEBEAT", file(SERVER));
    Ok(tool)
}
