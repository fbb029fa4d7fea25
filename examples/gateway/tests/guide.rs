//! The code in `docs/GATEWAY.md` is the example's.

use std::path::Path;

#[test]
fn the_guides_code_is_the_examples() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &Path| {
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let guide = read(&here.join("../../docs/GATEWAY.md"));
    let blocks: Vec<&str> =
        guide.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    assert!(blocks.len() >= 3, "{} blocks", blocks.len());
    for block in blocks {
        let (file, code) = block.split_once('\n').expect("its first line names the file");
        let source = read(&here.join(file.trim_start_matches("// ")));
        assert!(plain(&source).contains(&plain(code)), "{file} has not:\n{code}");
    }
}

/// Without indentation.
fn plain(code: &str) -> String {
    code.lines().map(|line| line.trim().to_owned() + "\n").collect()
}
