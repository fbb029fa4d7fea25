//! What a program that is already compiled relies on: names, numbers, sizes and offsets, written down in `ffi/abi.txt`, and
//! those of a fleet in `ffi/abi-fleet.txt`.
//!
//! The list is read off the header, and each item is evaluated by a C compiler, in C and in C++, on this machine's 64-bit
//! ABI. Functions are those that the built libraries export.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use object::{Object, ObjectSymbol};

use crate::Outcome;
use crate::library::{Kind, functions_of};
use crate::run::{command, file, output, run};

/// A header, the list of what it declares, and the least number of items: one that came out empty would agree with everything.
struct Abi {
    header: &'static str,
    list: &'static str,
    at_least: usize,
    kind: Kind,
}

const SHIPPED: Abi =
    Abi { header: crate::r#gen::HEADER, list: "ffi/abi.txt", at_least: 200, kind: Kind::Shipped };
const FLEET: Abi =
    Abi { header: crate::r#gen::FLEET_HEADER, list: "ffi/abi-fleet.txt", at_least: 25, kind: Kind::Fleet };
const PROGRAM: &str = "target/ffi/abi";

/// Compares the ABI with the committed list; with `write`, writes the list.
pub fn check(write: bool) -> Outcome {
    compare(&SHIPPED, write)
}

/// As [`check`], of what a library with a fleet has more.
pub fn check_fleet(write: bool) -> Outcome {
    compare(&FLEET, write)
}

fn compare(abi: &Abi, write: bool) -> Outcome {
    let list = abi.list;
    let evaluated = evaluate(abi, "gcc", &["-std=c11"], "c")?;
    for (compiler, standard, language) in
        [("clang", "-std=c11", "c"), ("g++", "-std=c++17", "cpp"), ("clang++", "-std=c++17", "cpp")]
    {
        if evaluate(abi, compiler, &[standard], language)? != evaluated {
            return Err(format!("{compiler} {standard} sees another ABI than gcc"));
        }
    }
    let found = evaluated + &exported(abi)?;
    let listed = fs::read_to_string(file(list)).unwrap_or_default();
    if found == listed {
        return Ok(());
    }
    let (had, has): (BTreeSet<&str>, BTreeSet<&str>) = (listed.lines().collect(), found.lines().collect());
    for gone in had.difference(&has) {
        eprintln!("- {gone}");
    }
    // Only what is new is written: what programs rely on goes with a new ABI version, and by hand.
    if write && had.is_subset(&has) {
        return fs::write(file(list), found).map_err(|error| format!("{list}: {error}"));
    }
    for new in has.difference(&had) {
        eprintln!("+ {new}");
    }
    Err(format!(
        "the ABI is not what {list} says; what is gone breaks programs, what is new is added by `cargo xtask gen`"
    ))
}

fn evaluate(abi: &Abi, compiler: &str, flags: &[&str], language: &str) -> Outcome<String> {
    let header = fs::read_to_string(file(abi.header)).map_err(|error| error.to_string())?;
    let source = format!("{PROGRAM}.{language}");
    fs::create_dir_all(file("target/ffi")).map_err(|error| error.to_string())?;
    fs::write(file(&source), program(abi, &header)?).map_err(|error| format!("{source}: {error}"))?;
    let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Iinclude"];
    // The offset of a field in C++ is what it is in C, as the structs are plain.
    run(command(compiler, &[flags, &strict, &[&source, "-o", PROGRAM]].concat()))?;
    let printed = output(command(&format!("./{PROGRAM}"), &[]))?;
    Ok(String::from_utf8_lossy(&printed.stdout).into_owned())
}

/// A program that prints every macro, enumerator, size and offset of the header.
fn program(abi: &Abi, header: &str) -> Outcome<String> {
    let mut body = String::new();
    let mut items = 0;
    let mut print = |label: &str, value: &str| {
        items += 1;
        let _ = writeln!(body, "    printf(\"{label} %lld\\n\", (long long)({value}));");
    };
    let mut structure: Option<Vec<String>> = None;
    for line in header.lines().map(str::trim) {
        if let Some((name, value)) = line.strip_prefix("#define ").and_then(|rest| rest.split_once(' ')) {
            if !name.ends_with("_H") && !value.is_empty() {
                print(&format!("macro {name}"), name);
            }
        } else if line.starts_with("typedef struct ") && line.ends_with('{') {
            structure = Some(Vec::new());
        } else if let (Some(name), true) =
            (line.strip_prefix("} ").and_then(|rest| rest.strip_suffix(';')), structure.is_some())
        {
            print(&format!("struct {name} size"), &format!("sizeof({name})"));
            print(&format!("struct {name} align"), &format!("alignof({name})"));
            for field in structure.take().unwrap_or_default() {
                print(&format!("struct {name} {field} at"), &format!("offsetof({name}, {field})"));
                print(&format!("struct {name} {field} size"), &format!("sizeof((({name} *)0)->{field})"));
            }
        } else if let Some(fields) = structure.as_mut() {
            if let Some(declaration) = line.strip_suffix(';') {
                let name = declaration.rsplit([' ', '*']).next().unwrap_or_default();
                fields.push(name.split('[').next().unwrap_or_default().to_owned());
            }
        } else if line.starts_with("LEASEBEAT_") && line.ends_with(',') {
            let name = line.split([' ', ',']).next().unwrap_or_default();
            print(&format!("enumerator {name}"), name);
        } else if let Some((integer, name)) =
            line.strip_prefix("typedef ").and_then(|rest| rest.split_once(' '))
            && let Some(name) = name.strip_suffix(';')
            && integer.ends_with("_t")
        {
            print(&format!("type {name} size"), &format!("sizeof({name})"));
        }
    }
    if items < abi.at_least {
        return Err(format!("only {items} items were found in the header"));
    }
    let own = abi.header.trim_start_matches("include/");
    let includes =
        format!("#include <stdalign.h>\n#include <stddef.h>\n#include <stdio.h>\n#include \"{own}\"\n");
    Ok(format!("{includes}\nint main(void)\n{{\n{body}    return 0;\n}}\n"))
}

/// The header's functions. The symbols of both libraries must be those of their headers and nothing else.
fn exported(abi: &Abi) -> Outcome<String> {
    let declared: BTreeSet<String> = crate::library::functions(abi.kind)?.into_iter().collect();
    let shared = file(abi.kind.built()).join(crate::library::soname()?);
    let data = fs::read(&shared).map_err(|error| format!("{}: {error}", shared.display()))?;
    let elf = object::File::parse(&*data).map_err(|error| format!("{}: {error}", shared.display()))?;
    let of_shared = elf
        .dynamic_symbols()
        .filter(object::ObjectSymbol::is_definition)
        .filter_map(|symbol| symbol.name().ok());
    let of_shared: BTreeSet<String> = of_shared.map(str::to_owned).collect();
    let archive = format!("{}/libleasebeat.a", abi.kind.built());
    let listed = output(command("nm", &["--extern-only", "--defined-only", "--format=posix", &archive]))?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let of_static = listed
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| !name.is_empty() && !name.ends_with(':'));
    let of_static: BTreeSet<String> = of_static.map(str::to_owned).collect();
    if of_shared != declared || of_static != declared {
        return Err(format!("the header declares {declared:?}; shared {of_shared:?}; static {of_static:?}"));
    }
    let own: BTreeSet<String> = functions_of(abi.header)?.into_iter().collect();
    Ok(own.iter().fold(String::new(), |text, name| text + "function " + name + "\n"))
}
