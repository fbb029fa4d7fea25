//! The playground: a static page on the npm package, in which one sees the kernel decide.

use crate::npm::{self, npm};
use crate::{Outcome, setup};

/// Where npm runs.
pub const FOLDER: &str = "playground";

/// Builds the page into `playground/dist`, on the package as it is now.
pub fn build() -> Outcome {
    setup::playground()?;
    npm::build()?;
    npm(FOLDER, &["run", "--silent", "build"])
}

/// Builds it, and tests its simulation in Node and the page in Chromium.
pub fn test() -> Outcome {
    build()?;
    npm(FOLDER, &["run", "--silent", "test"])
}
