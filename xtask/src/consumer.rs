//! `cargo xtask c`: the C ABI as its users meet it. Compiled by gcc and clang, as C11 and C++17, under sanitizers and
//! valgrind, installed under a fresh prefix, found by Make, CMake and pkg-config, and run against the real server.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::run::{cargo, command, file, output, run};
use crate::{Outcome, abi, budgets, c_budgets, r#gen, library, setup};

const PREFIX: &str = "target/ffi/prefix";
/// Where the libraries with a fleet are installed.
const FLEET_PREFIX: &str = "target/ffi/prefix-fleet";
const WORK: &str = "target/ffi/consumer";
const STRICT: [&str; 6] = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-g", "-O1"];
const SANITIZE: [&str; 3] =
    ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"];
/// As many vectors as there are: one that is not found is not one that passed.
pub const VECTORS: &str = "98";

/// A program of the tests: its source, its name, and how it is compiled and run.
struct Program {
    source: &'static str,
    name: &'static str,
    cpp: bool,
    flags: &'static [&'static str],
    libraries: &'static [&'static str],
    arguments: &'static [&'static str],
    /// Of the installation that it is compiled and run with.
    prefix: &'static str,
}

const PROGRAMS: [Program; 8] = [
    Program {
        source: "use.c",
        name: "use-c",
        cpp: false,
        flags: &["-std=c11"],
        libraries: &[],
        arguments: &[],
        prefix: PREFIX,
    },
    Program {
        source: "use.c",
        name: "use-as-cpp",
        cpp: true,
        flags: &["-std=c++17", "-x", "c++"],
        libraries: &[],
        arguments: &[],
        prefix: PREFIX,
    },
    Program {
        source: "use.cpp",
        name: "use-cpp",
        cpp: true,
        flags: &["-std=c++17", "-fno-exceptions", "-fno-rtti"],
        libraries: &[],
        arguments: &[],
        prefix: PREFIX,
    },
    Program {
        source: "vectors.c",
        name: "vectors",
        cpp: false,
        flags: &["-std=c11", "-D_POSIX_C_SOURCE=200809L"],
        libraries: &["-ljson-c"],
        arguments: &["tests/vectors", VECTORS],
        prefix: PREFIX,
    },
    Program {
        source: "threads.c",
        name: "threads",
        cpp: false,
        flags: &["-std=c11", "-pthread"],
        libraries: &[],
        arguments: &[],
        prefix: PREFIX,
    },
    Program {
        source: "fleet.c",
        name: "fleet",
        cpp: false,
        flags: &["-std=c11"],
        libraries: &[],
        arguments: &[],
        prefix: FLEET_PREFIX,
    },
    Program {
        source: "vectors.c",
        name: "vectors-in-a-fleet",
        cpp: false,
        flags: &["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-DIN_A_FLEET"],
        libraries: &["-ljson-c"],
        arguments: &["tests/vectors", VECTORS],
        prefix: FLEET_PREFIX,
    },
    Program {
        source: "fleet.cpp",
        name: "fleet-cpp",
        cpp: true,
        flags: &["-std=c++17", "-fno-exceptions", "-fno-rtti"],
        libraries: &[],
        arguments: &[],
        prefix: FLEET_PREFIX,
    },
];

/// All of it.
pub fn all() -> Outcome {
    setup::c()?;
    r#gen::run(true)?;
    for (prefix, kind) in [(PREFIX, library::Kind::Shipped), (FLEET_PREFIX, library::Kind::Fleet)] {
        let _ = fs::remove_dir_all(file(prefix));
        library::install(&file(prefix), kind)?;
    }
    abi::check(false)?;
    abi::check_fleet(false)?;
    budgets::verdict(&c_budgets::measure()?)?;
    fs::create_dir_all(file(WORK)).map_err(|error| format!("{WORK}: {error}"))?;
    for compilers in [["gcc", "g++"], ["clang", "clang++"]] {
        programs(compilers)?;
        sanitizers_are_on(compilers[0])?;
    }
    valgrind()?;
    documentation()?;
    miri()?;
    examples()
}

/// The Rust tests of the ABI where undefined behaviour is an error.
fn miri() -> Outcome {
    let toolchain = format!("+{}", setup::NIGHTLY);
    let arguments = [
        "miri",
        "test",
        "--package",
        "leasebeat-ffi",
        "--features",
        "fleet",
        "--lib",
        "--locked",
        "--target-dir",
        "target/miri",
    ];
    cargo(&[&[toolchain.as_str()], &arguments[..]].concat())
}

/// Each program with the shared library, then with the static one under the sanitizers.
fn programs(compilers: [&str; 2]) -> Outcome {
    for program in &PROGRAMS {
        let prefix = program.prefix;
        let library = |ending| format!("{prefix}/lib/libleasebeat.{ending}");
        let (shared, fixed, include) = (library("so"), library("a"), format!("-I{prefix}/include"));
        let compiler = compilers[usize::from(program.cpp)];
        let source = format!("tests/c/{}", program.source);
        for (library, more) in [(&shared, &[][..]), (&fixed, &SANITIZE)] {
            let built = format!(
                "{WORK}/{compiler}-{}{}",
                program.name,
                if more.is_empty() { "" } else { "-sanitized" }
            );
            let link = ["-x", "none", library, "-o", &built];
            let all = [program.flags, &STRICT, more, &[&include, &source], &link, program.libraries].concat();
            run(command(compiler, &all))?;
            run(started(prefix, &built, program.arguments))?;
        }
    }
    Ok(())
}

/// A built program, with the libraries of the prefix.
fn started(prefix: &str, built: &str, arguments: &[&str]) -> Command {
    let mut command = command(&format!("./{built}"), arguments);
    command.env("LD_LIBRARY_PATH", file(prefix).join("lib")).env("UBSAN_OPTIONS", "print_stacktrace=1");
    command
}

/// A fault on purpose must end the program, or that the others end well says nothing.
fn sanitizers_are_on(compiler: &str) -> Outcome {
    let built = format!("{WORK}/{compiler}-fault");
    run(command(
        compiler,
        &[&["-std=c11"], &STRICT[..], &SANITIZE, &["tests/c/fault.c", "-o", &built]].concat(),
    ))?;
    for (fault, report) in
        [("address", "AddressSanitizer"), ("undefined", "runtime error: signed integer overflow")]
    {
        let ran = started(PREFIX, &built, &[fault]).output().map_err(|error| format!("{built}: {error}"))?;
        if ran.status.success() || !String::from_utf8_lossy(&ran.stderr).contains(report) {
            return Err(format!("{compiler}: the {fault} sanitizer missed a fault made on purpose"));
        }
    }
    Ok(())
}

fn valgrind() -> Outcome {
    for program in &PROGRAMS {
        let built = format!("./{WORK}/{}-{}", if program.cpp { "g++" } else { "gcc" }, program.name);
        let options = ["--quiet", "--error-exitcode=9", "--leak-check=full", &built];
        let mut checked = command("valgrind", &[&options[..], program.arguments].concat());
        checked.env("LD_LIBRARY_PATH", file(program.prefix).join("lib"));
        run(checked)?;
    }
    Ok(())
}

fn documentation() -> Outcome {
    run(command("doxygen", &["ffi/package/Doxyfile"]))
}

/// The examples by each way of building, then the guide's; and two of them against a server that fails.
fn examples() -> Outcome {
    let pkgconfig = file(PREFIX).join("lib/pkgconfig");
    let with_pkgconfig = |mut command: Command| {
        command.env("PKG_CONFIG_PATH", &pkgconfig);
        run(command)
    };
    for folder in ["examples/c", "examples/cpp"] {
        with_pkgconfig(command("make", &["--silent", "-B", "-C", folder]))?;
        let build = format!("{WORK}/cmake-{}", folder.rsplit('/').next().unwrap_or_default());
        cmake(folder, &build)?;
    }
    guide()?;
    cargo(&["build", "--quiet", "--package", "leasebeat-cli", "--locked"])?;
    let runs = ["examples/c/heartbeat", &format!("{WORK}/cmake-cpp/heartbeat")].map(against_a_server);
    for run in runs {
        run?.ends_well()?;
    }
    Ok(())
}

fn cmake(source: &str, build: &str) -> Outcome {
    let _ = fs::remove_dir_all(file(build));
    let prefix = format!("-DCMAKE_PREFIX_PATH={}", file(PREFIX).display());
    run(command("cmake", &["-S", source, "-B", build, &prefix, "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON"]))?;
    run(command("cmake", &["--build", build]))
}

/// A heartbeat and the server it runs against.
struct Running {
    server: Child,
    heartbeat: Child,
    name: String,
}

/// Five seconds of work with a lease of four, through a refused create, a lost answer and a 503.
fn against_a_server(program: &str) -> Outcome<Running> {
    let faults = [
        "--fault",
        "create:1=status=503",
        "--fault",
        "extend:2=lost-response",
        "--fault",
        "extend:4=status=503",
    ];
    let server = ["serve", "--listen", "127.0.0.1:0", "--max-lead", "4s"];
    let mut server = command("target/debug/leasebeat", &[&server[..], &faults].concat())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("leasebeat serve: {error}"))?;
    let mut line = String::new();
    let out = server.stdout.take().ok_or("leasebeat serve has no output")?;
    BufReader::new(out).read_line(&mut line).map_err(|error| format!("leasebeat serve: {error}"))?;
    let url = line.split("\"url\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let url = url.ok_or_else(|| format!("leasebeat serve said {line:?}"))?.to_owned();
    let heartbeat = started(PREFIX, program, &[&url, "demo-key", "demo", "5"]).spawn();
    let heartbeat = heartbeat.map_err(|error| format!("{program}: {error}"))?;
    Ok(Running { server, heartbeat, name: program.to_owned() })
}

impl Running {
    fn ends_well(mut self) -> Outcome {
        let ended = self.heartbeat.wait().map_err(|error| format!("{}: {error}", self.name));
        let _ = self.server.kill();
        let _ = self.server.wait();
        let ended = ended?;
        if ended.success() { Ok(()) } else { Err(format!("{} failed: {ended}", self.name)) }
    }
}

/// The guide's program and its CMakeLists, as it has them, built by the guide's own line and by CMake, and run.
fn guide() -> Outcome {
    let guide = fs::read_to_string(file("docs/C.md")).map_err(|error| format!("docs/C.md: {error}"))?;
    guide_fleet(&guide)?;
    let block = |language: &str| block(&guide, language);
    let folder = format!("{WORK}/guide");
    fs::create_dir_all(file(&folder)).map_err(|error| format!("{folder}: {error}"))?;
    for (name, language) in [("example.c", "c"), ("CMakeLists.txt", "cmake")] {
        fs::write(file(&folder).join(name), block(language)?)
            .map_err(|error| format!("{folder}: {error}"))?;
    }
    let expected = block("text")?;
    let line = "cc example.c $(pkg-config --cflags --libs leasebeat) -o example";
    if !guide.contains(line) {
        return Err(format!("docs/C.md no longer says `{line}`"));
    }
    let mut shell = command("sh", &["-c", line]);
    shell.current_dir(file(&folder)).env("PKG_CONFIG_PATH", file(PREFIX).join("lib/pkgconfig"));
    run(shell)?;
    cmake(&folder, &format!("{folder}/build"))?;
    for built in [format!("{folder}/example"), format!("{folder}/build/example")] {
        let printed = output(started(PREFIX, &built, &[]))?;
        let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
        if printed != expected {
            return Err(format!("docs/C.md: its program prints\n{printed}"));
        }
    }
    Ok(())
}

/// The first block of a guide's text in this language.
fn block(guide: &str, language: &str) -> Outcome<String> {
    let start = format!("```{language}\n");
    let (_, rest) = guide.split_once(&start).ok_or_else(|| format!("docs/C.md has no {language} block"))?;
    rest.split_once("\n```")
        .map(|(block, _)| block.to_owned() + "\n")
        .ok_or("docs/C.md: a block without an end".to_owned())
}

/// The program of the guide's section on fleets, with a library that has one.
fn guide_fleet(guide: &str) -> Outcome {
    let (_, section) =
        guide.split_once("\n## Many leases\n").ok_or("docs/C.md has no section `Many leases`")?;
    let folder = format!("{WORK}/guide-fleet");
    fs::create_dir_all(file(&folder)).map_err(|error| format!("{folder}: {error}"))?;
    fs::write(file(&folder).join("fleet.c"), block(section, "c")?)
        .map_err(|error| format!("{folder}: {error}"))?;
    let line = "cc fleet.c $(pkg-config --cflags --libs leasebeat) -o fleet";
    if !section.contains(line) {
        return Err(format!("docs/C.md no longer says `{line}`"));
    }
    let mut shell = command("sh", &["-c", line]);
    shell.current_dir(file(&folder)).env("PKG_CONFIG_PATH", file(FLEET_PREFIX).join("lib/pkgconfig"));
    run(shell)?;
    let printed = output(started(FLEET_PREFIX, &format!("{folder}/fleet"), &[]))?;
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    if printed == block(section, "text")? {
        Ok(())
    } else {
        Err(format!("docs/C.md: its fleet prints\n{printed}"))
    }
}
