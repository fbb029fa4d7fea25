//! Installing what the tests need and a new machine lacks. What cannot be had is an error, never skipped.

use crate::run::{answers, cargo, command, file, output, run};
use crate::{Outcome, java, npm, playground};

/// The oldest compiler that builds what is shipped.
pub const MSRV: &str = "1.85";
/// The bare-metal target the kernel is linked and measured for.
pub const CORTEX_M3: &str = "thumbv7m-none-eabi";
/// Without a 64-bit division and without atomics.
pub const CORTEX_M0: &str = "thumbv6m-none-eabi";
/// Another instruction set.
pub const RISC_V: &str = "riscv32imc-unknown-none-elf";
/// The other byte order.
pub const BIG_ENDIAN: &str = "s390x-unknown-linux-gnu";
pub const BIG_ENDIAN_LINKER: &str = "s390x-linux-gnu-gcc";
/// What the npm package is compiled for.
pub const WASM: &str = "wasm32-unknown-unknown";
const MUTANTS: &str = "27.1.0";
const FUZZ: &str = "0.13.2";
/// The compiler that instruments.
pub const NIGHTLY: &str = "nightly";

/// Everything `cargo xtask test` needs.
pub fn all() -> Outcome {
    component("clippy")?;
    component("rustfmt")?;
    target(CORTEX_M3)?;
    toolchain(MSRV)?;
    python()?;
    debian("chromium", "chromium", &["--version"])?;
    for_budgets()?;
    firmware()
}

/// The folder of the Python environment.
pub const PYTHON: &str = "target/python";
const REQUIREMENTS: &str = "tests/python/requirements.txt";

/// What the tests in Python need, in an environment of their own.
pub fn python() -> Outcome {
    environment(PYTHON, REQUIREMENTS)
}

/// The environment that the Python package is built into.
pub const PYTHON_PACKAGE: &str = "target/python-package";

/// What builds, checks and tests the Python package.
pub fn python_package() -> Outcome {
    environment(PYTHON_PACKAGE, "bindings/python/requirements.txt")
}

fn environment(folder: &str, requirements: &str) -> Outcome {
    let wanted =
        std::fs::read_to_string(file(requirements)).map_err(|error| format!("{requirements}: {error}"))?;
    // Written last, so that it is there only where all was installed.
    let stamp = file(folder).join("installed.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    debian("python3-venv", "python3", &["-m", "venv", "--help"])?;
    run(command("python3", &["-m", "venv", "--clear", folder]))?;
    let pip = format!("{folder}/bin/python");
    run(command(&pip, &["-m", "pip", "install", "--quiet", "--requirement", requirements]))?;
    std::fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}

/// What builds and tests the npm package: its development tools, as its lock file has them.
pub fn npm() -> Outcome {
    target(WASM)?;
    node_modules(npm::PACKAGE)
}

/// What builds and tests the playground: besides, the browser it is looked at with.
pub fn playground() -> Outcome {
    npm()?;
    node_modules(playground::FOLDER)?;
    debian("chromium", "chromium", &["--version"])
}

/// The packages that a folder's lock file has.
fn node_modules(folder: &str) -> Outcome {
    let lock = file(folder).join("package-lock.json");
    let wanted = std::fs::read_to_string(&lock).map_err(|error| format!("{}: {error}", lock.display()))?;
    // Written last, so that it is there only where all was installed.
    let stamp = file(folder).join("node_modules/installed.json");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    npm::npm(folder, &["ci"])?;
    std::fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))
}

/// What counts instructions.
pub fn for_budgets() -> Outcome {
    target(CORTEX_M3)?;
    npm()?;
    debian("valgrind", "valgrind", &["--version"])
}

/// What emulates boards and a big-endian machine, and what links for them.
pub fn firmware() -> Outcome {
    for triple in [CORTEX_M3, CORTEX_M0, RISC_V, BIG_ENDIAN] {
        target(triple)?;
    }
    debian("qemu-system-arm", "qemu-system-arm", &["--version"])?;
    debian("qemu-user", "qemu-s390x", &["--version"])?;
    debian("gcc-s390x-linux-gnu", BIG_ENDIAN_LINKER, &["--version"])?;
    debian("libc6-dev-s390x-cross", "test", &["-e", "/usr/s390x-linux-gnu/lib/libc.so"])
}

/// What builds and tests the Java package. A JDK with java.lang.foreign is looked for where it is used: Debian has none.
pub fn java() -> Outcome {
    debian("gcc", "gcc", &["--version"])?;
    let oldest = format!("ls -d /usr/lib/jvm/java-{}-openjdk-*/bin/javac", java::OLDEST);
    debian(&format!("openjdk-{}-jdk-headless", java::OLDEST), "sh", &["-c", &oldest])?;
    debian("maven", "mvn", &["--version"])
}

/// What compiles, checks and documents programs in C.
pub fn c() -> Outcome {
    for (package, program) in [
        ("gcc", "gcc"),
        ("g++", "g++"),
        ("clang", "clang"),
        ("make", "make"),
        ("cmake", "cmake"),
        ("doxygen", "doxygen"),
    ] {
        debian(package, program, &["--version"])?;
    }
    debian("valgrind", "valgrind", &["--version"])?;
    debian("pkg-config", "pkg-config", &["--version"])?;
    debian("libjson-c-dev", "pkg-config", &["--exists", "json-c"])?;
    debian("libcurl4-openssl-dev", "pkg-config", &["--exists", "libcurl"])?;
    toolchain(NIGHTLY)?;
    if !answers("cargo", &[&format!("+{NIGHTLY}"), "miri", "--version"]) {
        run(command("rustup", &["component", "add", "--toolchain", NIGHTLY, "miri", "rust-src"]))?;
    }
    // Clang's sanitizers are a package of their own.
    debian(
        "libclang-rt-dev",
        "sh",
        &["-c", "test -e \"$(clang --print-file-name=libclang_rt.asan-$(uname -m).a)\""],
    )
}

/// The tool that mutates.
pub fn mutants() -> Outcome {
    if answers("cargo", &["mutants", "--version"]) {
        return Ok(());
    }
    cargo(&["install", "cargo-mutants", "--version", MUTANTS, "--locked"])
}

/// The tool that fuzzes, and its compiler.
pub fn fuzz() -> Outcome {
    toolchain(NIGHTLY)?;
    if answers("cargo", &["fuzz", "--version"]) {
        return Ok(());
    }
    cargo(&["install", "cargo-fuzz", "--version", FUZZ, "--locked"])
}

fn component(name: &str) -> Outcome {
    if answers("cargo", &[if name == "rustfmt" { "fmt" } else { name }, "--version"]) {
        return Ok(());
    }
    run(command("rustup", &["component", "add", name]))
}

fn target(triple: &str) -> Outcome {
    let installed = output(command("rustup", &["target", "list", "--installed"]))?;
    if String::from_utf8_lossy(&installed.stdout).lines().any(|line| line == triple) {
        return Ok(());
    }
    run(command("rustup", &["target", "add", triple]))
}

fn toolchain(version: &str) -> Outcome {
    if answers("cargo", &[&format!("+{version}"), "--version"]) {
        return Ok(());
    }
    run(command("rustup", &["toolchain", "install", version, "--profile", "minimal"]))
}

/// A program from Debian's packages.
fn debian(package: &str, program: &str, arguments: &[&str]) -> Outcome {
    if answers(program, arguments) {
        return Ok(());
    }
    run(command("apt-get", &["update"]))?;
    run(command("apt-get", &["install", "--yes", "--no-install-recommends", package]))
}
