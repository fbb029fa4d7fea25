//! The Java package: a native file of the C library and its glue, and the jar around it.

use std::fs;
use std::path::PathBuf;

use crate::run::{command, file, output, run};
use crate::{Outcome, library};

/// The package's folder, in which Maven runs.
const PACKAGE: &str = "bindings/java";
const GLUE: &str = "bindings/java/src/main/native/leasebeat_java.c";
/// What goes into the jar besides the classes.
const RESOURCES: &str = "bindings/java/target/native";
/// The oldest Java that runs it.
const OLDEST: u32 = 17;
/// The oldest Java with the final java.lang.foreign.
const FOREIGN: u32 = 22;

/// The JDKs that build and test it: one without java.lang.foreign, and one with it.
struct Jdks {
    oldest: PathBuf,
    foreign: PathBuf,
}

/// Where Debian, and those who package for it, put a JDK.
const JDKS: &str = "/usr/lib/jvm";

fn jdks() -> Outcome<Jdks> {
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for entry in fs::read_dir(JDKS).map_err(|error| format!("{JDKS}: {error}"))?.flatten() {
        let home = entry.path();
        let release = fs::read_to_string(home.join("release")).unwrap_or_default();
        let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""));
        let feature = version.and_then(|text| text.split(['.', '"', '-', '+']).next()?.parse().ok());
        if let (Some(feature), true) = (feature, home.join("bin/javac").exists()) {
            found.push((feature, home));
        }
    }
    found.sort();
    let oldest = found.iter().find(|(feature, _)| *feature == OLDEST);
    let foreign = found.iter().rev().find(|(feature, _)| *feature >= FOREIGN);
    let missing = |wanted| format!("there is no JDK {wanted} below {JDKS}");
    Ok(Jdks {
        oldest: oldest.ok_or_else(|| missing("17"))?.1.clone(),
        foreign: foreign.ok_or_else(|| missing("22 or later, which compiles the jar's java.lang.foreign part"))?.1.clone(),
    })
}

/// The native file for this machine, below [`RESOURCES`].
fn native(jdks: &Jdks) -> Outcome {
    library::build()?;
    let folder = format!("{RESOURCES}/META-INF/native/{}", platform()?);
    fs::create_dir_all(file(&folder)).map_err(|error| format!("{folder}: {error}"))?;
    let map = format!("{RESOURCES}.map");
    fs::write(file(&map), "{ global: leasebeat_*; Java_*; local: *; };\n").map_err(|error| format!("{map}: {error}"))?;
    let include = format!("-I{}", jdks.oldest.join("include").display());
    let script = format!("-Wl,--version-script={map}");
    let archive = format!("{}/libleasebeat.a", library::BUILT);
    let copies = format!("{}/mem.o", library::BUILT);
    let target = format!("{folder}/libleasebeat-java.so");
    let flags = [
        "-std=c11", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fvisibility=hidden",
        // As the shared C library: it needs no other, so that one file serves every C library of Linux.
        "-nostdlib", "-fno-asynchronous-unwind-tables", "-Wl,-z,defs", "-Wl,--gc-sections", "-Wl,--build-id=none", "-s",
        &include, &format!("{include}/linux"), "-Iinclude", &script, GLUE, &archive, &copies, "-o", &target,
    ];
    run(command("gcc", &flags))
}
