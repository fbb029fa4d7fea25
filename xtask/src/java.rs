//! The Java package: the C library and its glue as one native file, the jar around it, and its tests on two JDKs.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::run::{cargo, command, file, output, run};
use crate::{Outcome, library, setup};

/// The package's folder, in which Maven runs.
const PACKAGE: &str = "bindings/java";
const GLUE: &str = "bindings/java/src/main/native/leasebeat_java.c";
/// What Maven puts into the jar besides the classes.
const NATIVE: &str = "bindings/java/target/native";
/// A Maven project of its own that has nothing but the README's example.
const CLEAN: &str = "bindings/java/target/clean";
const BENCH: &str = "bindings/java/target/bench";
/// Where Debian, and those who package for it, put a JDK.
const JDKS: &str = "/usr/lib/jvm";
/// The oldest Java that runs the package.
pub const OLDEST: u32 = 17;
/// The oldest Java with the final java.lang.foreign.
const FOREIGN: u32 = 22;

/// What builds and tests the package.
struct Jdks {
    /// Runs the tests without java.lang.foreign, and gives the C compiler its jni.h.
    oldest: PathBuf,
    /// Compiles both parts of the jar, and runs the tests with java.lang.foreign.
    foreign: PathBuf,
}

/// The package, tested and installed into the local Maven repository; then a project that uses it.
pub fn all() -> Outcome {
    setup::java()?;
    let jdks = jdks()?;
    build(&jdks, &["install"])?;
    clean_project(&jdks)
}

/// The jar alone, and what its calls and its driver cost, as JSON Lines.
pub fn bench() -> Outcome {
    setup::java()?;
    let jdks = jdks()?;
    build(&jdks, &["package", "-Dmaven.javadoc.skip"])?;
    let (jar, classes) = (jar()?, file(BENCH));
    let _ = fs::remove_dir_all(&classes);
    let sources = ["Calls.java", "Leases.java"].map(|name| format!("{PACKAGE}/bench/dev/leasebeat/{name}"));
    let path = format!("{}:{}", jar.display(), classes.display());
    let javac = jdks.foreign.join("bin/javac").display().to_string();
    let target = classes.display().to_string();
    run(command(&javac, &["--release", "17", "-cp", &path, "-d", &target, &sources[0], &sources[1]]))?;
    cargo(&["build", "--release", "--package", "leasebeat-cli", "--locked"])?;
    for (home, options) in [(&jdks.oldest, &[][..]), (&jdks.foreign, &["--enable-native-access=ALL-UNNAMED"])]
    {
        let java = home.join("bin/java").display().to_string();
        run(command(&java, &[options, &["-cp", &path, "dev.leasebeat.Calls"]].concat()))?;
        run(command(
            &java,
            &[options, &["-cp", &path, "dev.leasebeat.Leases", "target/release/leasebeat"]].concat(),
        ))?;
    }
    Ok(())
}

fn build(jdks: &Jdks, goal: &[&str]) -> Outcome {
    native(jdks)?;
    cargo(&["build", "--package", "leasebeat-cli", "--locked"])?;
    // Failsafe adds to the summaries of an earlier run.
    let _ = fs::remove_dir_all(file(PACKAGE).join("target/failsafe-reports"));
    let skip = if goal[0] == "install" { "-DskipITs=false" } else { "-DskipITs=true" };
    let revision = format!("-Drevision={}", version()?);
    let oldest = format!("-Djdk.oldest={}", jdks.oldest.display());
    let foreign = format!("-Djdk.foreign={}", jdks.foreign.display());
    let maven = ["--quiet", "--batch-mode", "--no-transfer-progress", &revision, &oldest, &foreign, skip];
    run(mvn(jdks, PACKAGE, &[&maven[..], goal].concat()))
}

fn mvn(jdks: &Jdks, folder: &str, arguments: &[&str]) -> Command {
    let mut maven = command("mvn", arguments);
    maven.current_dir(file(folder)).env("JAVA_HOME", &jdks.foreign);
    // Debian's Maven has libraries that Java 24 and later warn of.
    maven.env("MAVEN_OPTS", "--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow");
    maven
}

fn jdks() -> Outcome<Jdks> {
    let folders = fs::read_dir(JDKS).map_err(|error| format!("{JDKS}: {error}"))?;
    let mut found: Vec<(u32, PathBuf)> = folders.flatten().filter_map(|entry| jdk(&entry.path())).collect();
    found.sort();
    let oldest = found.iter().find(|(feature, _)| *feature == OLDEST);
    let foreign = found.iter().rev().find(|(feature, _)| *feature >= FOREIGN);
    let (Some((_, oldest)), Some((_, foreign))) = (oldest, foreign) else {
        return Err(format!(
            "below {JDKS} a JDK {OLDEST} and one of {FOREIGN} or later are needed, and there are only {found:?}; the \
             latter compiles the part of the jar that calls java.lang.foreign, which no older compiler can"
        ));
    };
    Ok(Jdks { oldest: oldest.clone(), foreign: foreign.clone() })
}

/// A JDK's feature version, where the folder is one with a compiler.
fn jdk(home: &Path) -> Option<(u32, PathBuf)> {
    let compiler = home.join("bin/javac");
    if !compiler.exists() {
        return None;
    }
    let said = output(command(&compiler.display().to_string(), &["-version"])).ok()?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let feature = said.strip_prefix("javac ")?.split(|each: char| !each.is_ascii_digit()).next()?;
    Some((feature.parse().ok()?, home.to_owned()))
}

/// The native file for this machine, below [`NATIVE`].
fn native(jdks: &Jdks) -> Outcome {
    library::build()?;
    let folder = format!("{NATIVE}/META-INF/native/{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    fs::create_dir_all(file(&folder)).map_err(|error| format!("{folder}: {error}"))?;
    let map = format!("{NATIVE}.map");
    fs::write(file(&map), "{ global: leasebeat_*; Java_*; local: *; };\n")
        .map_err(|error| format!("{map}: {error}"))?;
    let include = format!("-I{}", jdks.oldest.join("include").display());
    let script = format!("-Wl,--version-script={map}");
    let (archive, copies) =
        (format!("{}/libleasebeat.a", library::BUILT), format!("{}/mem.o", library::BUILT));
    let target = format!("{folder}/libleasebeat-java.so");
    let compile = ["-std=c11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-pedantic"];
    // As the shared C library: it needs no other, so that one file serves every C library of a platform.
    let link = [
        "-shared",
        "-nostdlib",
        "-fno-asynchronous-unwind-tables",
        "-s",
        "-Wl,-z,defs",
        "-Wl,--build-id=none",
    ];
    let files =
        [&include, &format!("{include}/linux"), "-Iinclude", &script, GLUE, &archive, &copies, "-o", &target];
    run(command("gcc", &[&compile[..], &link, &files].concat()))
}

/// The workspace's version, which is the package's.
fn version() -> Outcome<String> {
    let manifest = fs::read_to_string(file("Cargo.toml")).map_err(|error| format!("Cargo.toml: {error}"))?;
    let version = manifest.split("version = \"").nth(1).and_then(|rest| rest.split('"').next());
    version.map(str::to_owned).ok_or_else(|| "Cargo.toml has no version".to_owned())
}

fn jar() -> Outcome<PathBuf> {
    Ok(file(PACKAGE).join(format!("target/leasebeat-{}.jar", version()?)))
}

/// The README's dependency and example as a project that knows nothing of this one, run on both JDKs.
fn clean_project(jdks: &Jdks) -> Outcome {
    let readme = format!("{PACKAGE}/README.md");
    let readme = fs::read_to_string(file(&readme)).map_err(|error| format!("{readme}: {error}"))?;
    let block = |language: &str| {
        let block =
            readme.split(&format!("```{language}\n")).nth(1).and_then(|rest| rest.split("```").next());
        block.ok_or_else(|| format!("the README has no {language}"))
    };
    let (dependency, example) = (block("xml")?, block("java")?);
    if !dependency.contains(&format!("<version>{}</version>", version()?)) {
        return Err(format!("the README's dependency is not of version {}", version()?));
    }
    let _ = fs::remove_dir_all(file(CLEAN));
    let sources = file(CLEAN).join("src/main/java");
    fs::create_dir_all(sources.join("example")).map_err(|error| format!("{CLEAN}: {error}"))?;
    let pom = format!(
        "<project><modelVersion>4.0.0</modelVersion>\
         <groupId>example</groupId><artifactId>example</artifactId><version>1</version>\
         <properties><maven.compiler.release>17</maven.compiler.release>\
         <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>\
         <dependencies>{dependency}</dependencies></project>\n"
    );
    let module = "module example {\n    requires dev.leasebeat;\n}\n";
    for (path, text) in [
        (file(CLEAN).join("pom.xml"), pom.as_str()),
        (sources.join("module-info.java"), module),
        (sources.join("example/Example.java"), example),
    ] {
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let compiler = "org.apache.maven.plugins:maven-compiler-plugin:3.14.1:compile";
    run(mvn(jdks, CLEAN, &["--quiet", "--batch-mode", "--no-transfer-progress", compiler]))?;
    let path = format!("{}:{}", jar()?.display(), file(CLEAN).join("target/classes").display());
    let on_module_path =
        ["--enable-native-access=dev.leasebeat", "--illegal-native-access=deny", "-p", &path];
    run_example(&jdks.foreign, &[&on_module_path[..], &["-m", "example/example.Example"]].concat())?;
    run_example(&jdks.oldest, &["-cp", &path, "example.Example"])
}

/// The example against a server that loses a response and is down once: it ends well only if the lease was held.
fn run_example(home: &Path, arguments: &[&str]) -> Outcome {
    let faults = ["--fault", "extend:1=lost-response", "--fault", "extend:3=status=503"];
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let mut server = command("target/debug/leasebeat", &[&serve[..], &faults].concat())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("leasebeat serve: {error}"))?;
    let mut log = BufReader::new(server.stdout.take().ok_or("leasebeat serve has no output")?).lines();
    let mut line = || log.next().and_then(Result::ok);
    let first = line().unwrap_or_default();
    let url = first.split("\"url\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let java = home.join("bin/java").display().to_string();
    let ran = run(command(&java, &[arguments, &[url]].concat()));
    let _ = server.kill();
    let _ = server.wait();
    ran?;
    let requests: Vec<String> = std::iter::from_fn(line).collect();
    let met = |fault: &str| requests.iter().any(|request| request.contains(&format!("\"fault\":\"{fault}")));
    if met("lost-response") && met("status=503") {
        return Ok(());
    }
    Err(format!("the example did not meet its faults: {requests:#?}"))
}
