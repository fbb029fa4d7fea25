//! The C libraries as they are shipped, and their installation under a prefix.
//!
//! The crate is compiled twice: for speed, of which the calls of each event are taken, and for size, of which all else is.
//! One object has both, with only the public symbols global. The static library is that object; the shared one links it
//! with nothing else, so that a panic, which is an undefined symbol, does not link.

use std::fs;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSymbol};

use crate::Outcome;
use crate::run::{command, file, output, run};

const TARGET: &str = "target/ffi";
/// Where the libraries lie once they are built.
pub const BUILT: &str = "target/ffi/lib";
/// Where those lie that have a fleet too.
pub const BUILT_FLEET: &str = "target/ffi/lib-fleet";
const PACKAGE: &str = "ffi/package";
/// What a host calls at each event, and in which profile it is compiled; all else is in the other.
const FAST: (&str, [&str; 4]) =
    ("ffi", ["leasebeat_handle", "leasebeat_tick", "leasebeat_fleet_handle", "leasebeat_fleet_poll"]);
const SMALL: &str = "ffi-small";
/// What a compiler may call for a copy: the shared library has its own, the static one takes the program's.
const COPIES: [&str; 5] = ["memcpy", "memmove", "memset", "memcmp", "bcmp"];

/// What is in the libraries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What is shipped.
    Shipped,
    /// That and a fleet, for those who keep many leases.
    Fleet,
}

impl Kind {
    /// Where they lie once they are built.
    pub fn built(self) -> &'static str {
        match self {
            Self::Shipped => BUILT,
            Self::Fleet => BUILT_FLEET,
        }
    }

    fn features(self) -> &'static str {
        match self {
            Self::Shipped => "wire",
            Self::Fleet => "wire,fleet",
        }
    }

    /// The headers that declare what they have.
    pub fn headers(self) -> &'static [&'static str] {
        match self {
            Self::Shipped => &[crate::r#gen::HEADER],
            Self::Fleet => &[crate::r#gen::HEADER, crate::r#gen::FLEET_HEADER],
        }
    }
}

/// Builds both libraries as they are shipped.
pub fn build() -> Outcome {
    build_kind(Kind::Shipped)
}

/// Builds both libraries.
pub fn build_kind(kind: Kind) -> Outcome {
    let built = kind.built();
    let object = format!("{built}/leasebeat.o");
    fs::create_dir_all(file(built)).map_err(|error| format!("{built}: {error}"))?;
    let (fast, small): (Vec<String>, Vec<String>) =
        functions(kind)?.into_iter().partition(|name| FAST.1.contains(&name.as_str()));
    let parts = [part(kind, FAST.0, &fast)?, part(kind, SMALL, &small)?];
    run(command("ld", &["-r", "-o", &object, &parts[0], &parts[1]]))?;
    only_copies_are_undefined(&object)?;
    let archive = format!("{built}/libleasebeat.a");
    let _ = fs::remove_file(file(&archive));
    run(command("ar", &["rcsD", &archive, &object]))?;
    shared(kind, &object)
}

fn compile(kind: Kind, profile: &str) -> Outcome {
    let arguments = [
        "rustc",
        "--quiet",
        "--locked",
        "--lib",
        "--package",
        "leasebeat-ffi",
        "--profile",
        profile,
        "--no-default-features",
        "--features",
        kind.features(),
        "--crate-type",
        "staticlib",
        "--target-dir",
        TARGET,
    ];
    let mut cargo = command("cargo", &arguments);
    // Nothing unwinds, so nothing needs the tables for it.
    cargo.env("RUSTFLAGS", "-Cforce-unwind-tables=no");
    run(cargo)
}

/// The public functions, as the headers declare them.
pub fn functions(kind: Kind) -> Outcome<Vec<String>> {
    let mut functions = Vec::new();
    for header in kind.headers() {
        functions.extend(functions_of(header)?);
    }
    Ok(functions)
}

/// The functions that one header declares.
pub fn functions_of(header: &str) -> Outcome<Vec<String>> {
    let text = fs::read_to_string(file(header)).map_err(|error| format!("{header}: {error}"))?;
    let functions = text.lines().filter(|line| !line.trim_start().starts_with('*')).filter_map(|line| {
        let (before, _) = line.split_once('(')?;
        let name = before.rsplit([' ', '*']).next()?;
        (before.contains(' ') && !before.starts_with(' ') && name.starts_with("leasebeat_"))
            .then(|| name.to_owned())
    });
    Ok(functions.collect())
}

/// An object of these functions and what they need, compiled in this profile.
fn part(kind: Kind, profile: &str, functions: &[String]) -> Outcome<String> {
    compile(kind, profile)?;
    let built = kind.built();
    let (list, object) = (format!("{built}/{profile}.functions"), format!("{built}/{profile}.o"));
    fs::write(file(&list), functions.join("\n")).map_err(|error| format!("{list}: {error}"))?;
    let wanted: Vec<&str> = functions.iter().flat_map(|name| ["-u", name]).collect();
    let archive = format!("{TARGET}/{profile}/libleasebeat_ffi.a");
    run(command("ld", &[&["-r", "--gc-sections"], &wanted[..], &["-o", &object, &archive]].concat()))?;
    let keep = format!("--keep-global-symbols={list}");
    let unwind =
        ["--remove-section=.eh_frame", "--remove-section=.rela.eh_frame", "--remove-section=.comment"];
    run(command("objcopy", &[&[keep.as_str(), "--strip-debug"], &unwind[..], &[&object]].concat()))?;
    Ok(object)
}

/// Fails where anything is called that is not there, first of all what a panic calls.
fn only_copies_are_undefined(path: &str) -> Outcome {
    let data = fs::read(file(path)).map_err(|error| format!("{path}: {error}"))?;
    let elf = object::File::parse(&*data).map_err(|error| format!("{path}: {error}"))?;
    let undefined =
        elf.symbols().filter(object::ObjectSymbol::is_undefined).filter_map(|symbol| symbol.name().ok());
    let strange: Vec<&str> = undefined
        .filter(|name| !name.is_empty() && !COPIES.contains(name) && *name != "_GLOBAL_OFFSET_TABLE_")
        .collect();
    if strange.is_empty() {
        return Ok(());
    }
    Err(format!("the library calls {}; `leasebeat_can_panic` means that code can panic", strange.join(", ")))
}

fn shared(kind: Kind, object: &str) -> Outcome {
    let built = kind.built();
    let copies = format!("{built}/mem.o");
    let source = format!("{PACKAGE}/mem.c");
    let flags = [
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "-Os",
        "-fPIC",
        "-ffreestanding",
        "-fno-builtin",
        "-fno-tree-loop-distribute-patterns",
        "-fno-asynchronous-unwind-tables",
        "-c",
        &source,
        "-o",
        &copies,
    ];
    run(command("gcc", &flags))?;
    let map = format!("{built}/leasebeat.map");
    fs::write(file(&map), "{ global: leasebeat_*; local: *; };\n")
        .map_err(|error| format!("{map}: {error}"))?;
    let (soname, library) = (soname()?, format!("{built}/{}", soname()?));
    let link = [
        "-shared",
        "-nostdlib",
        "-nostartfiles",
        "-Wl,-z,defs",
        "-Wl,-z,noseparate-code",
        "-Wl,-z,norelro",
        "-Wl,--gc-sections",
        "-Wl,--hash-style=gnu",
        "-Wl,--build-id=none",
        "-Wl,-O1",
        "-s",
        &format!("-Wl,--version-script={map}"),
        &format!("-Wl,-soname,{soname}"),
        object,
        &copies,
        "-o",
        &library,
    ];
    run(command("gcc", &link))?;
    link_to(&file(built), &soname)
}

/// `libleasebeat.so`, which a linker looks for.
fn link_to(folder: &Path, soname: &str) -> Outcome {
    let link = folder.join("libleasebeat.so");
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink(soname, &link).map_err(|error| format!("{}: {error}", link.display()))
}

/// `libleasebeat.so.1`, by the ABI's version.
pub fn soname() -> Outcome<String> {
    Ok(format!("libleasebeat.so.{}", abi()?))
}

fn abi() -> Outcome<String> {
    let header = fs::read_to_string(file(crate::r#gen::HEADER)).map_err(|error| error.to_string())?;
    let version = header.lines().find_map(|line| line.strip_prefix("#define LEASEBEAT_ABI_VERSION "));
    version.map(str::to_owned).ok_or_else(|| "the header has no ABI version".to_owned())
}

/// Builds the libraries and puts them, the headers, and what pkg-config and CMake read under `prefix`.
pub fn install(prefix: &Path, kind: Kind) -> Outcome {
    build_kind(kind)?;
    let prefix = std::path::absolute(prefix).map_err(|error| format!("{}: {error}", prefix.display()))?;
    let (abi, soname) = (abi()?, soname()?);
    let manifest = fs::read_to_string(file("Cargo.toml")).map_err(|error| format!("Cargo.toml: {error}"))?;
    let version =
        manifest.split("version = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("0");
    let fill = |text: String| {
        text.replace("@prefix@", &prefix.display().to_string())
            .replace("@version@", version)
            .replace("@abi@", &abi)
    };
    let read =
        |path: PathBuf| fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()));
    let built = file(kind.built());
    for header in kind.headers().iter().copied().flat_map(|header| [header.to_owned(), format!("{header}pp")])
    {
        copy(&file(&header), &prefix.join(&header))?;
    }
    copy(&built.join("libleasebeat.a"), &prefix.join("lib/libleasebeat.a"))?;
    copy(&built.join(&soname), &prefix.join("lib").join(&soname))?;
    link_to(&prefix.join("lib"), &soname)?;
    for (template, target) in [
        ("leasebeat.pc.in", "lib/pkgconfig/leasebeat.pc"),
        ("leasebeatConfig.cmake", "lib/cmake/leasebeat/leasebeatConfig.cmake"),
        ("leasebeatConfigVersion.cmake", "lib/cmake/leasebeat/leasebeatConfigVersion.cmake"),
    ] {
        write(&prefix.join(target), &fill(read(file(PACKAGE).join(template))?))?;
    }
    println!("installed leasebeat {version}, ABI {abi}, under {}", prefix.display());
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Outcome {
    folder_of(to)?;
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

fn write(path: &Path, text: &str) -> Outcome {
    folder_of(path)?;
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn folder_of(path: &Path) -> Outcome {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// The bytes of the shared library as it is shipped, and what it needs besides itself.
pub fn shared_figures() -> Outcome<(u64, Vec<String>)> {
    let path = file(BUILT).join(soname()?);
    let bytes = fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))?.len();
    let dynamic = output(command("readelf", &["--dynamic", "--wide", &path.display().to_string()]))?;
    let dynamic = String::from_utf8_lossy(&dynamic.stdout).into_owned();
    Ok((bytes, dynamic.lines().filter(|line| line.contains("(NEEDED)")).map(str::to_owned).collect()))
}
