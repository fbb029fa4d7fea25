//! What stands above the chart: title, summary, legend.

use plotters::prelude::*;

use super::draw::{Result, number};
use super::marks::Mark;
use super::symbol::{Area, GREY, INK, VERMILLION, fence, symbol, text};
use super::{Timeline, span_s, symbol};
use crate::units::seconds;

/// The height that it takes.
pub(super) const HEIGHT_PX: u32 = 82;

const LEFT: i32 = 14;
const MIDDLE: i32 = 64;

pub(super) fn draw(area: &Area<'_>, timeline: &Timeline) -> Result {
    area.draw_text("leasebeat: how the lease was kept", &text(18, INK), (LEFT, 9))?;
    area.draw_text(&summary(timeline), &text(13, INK), (LEFT, 33))?;
    let mut x = LEFT;
    for mark in [Mark::Beat, Mark::Success, Mark::Failure, Mark::Retry, Mark::Stop] {
        symbol(area, mark, (x + 6, MIDDLE - if mark.is_send() { symbol::UNDER_PX } else { 0 }))?;
        x = label(area, x + 18, &format!("{} {}", timeline.marks.count(mark), mark.name()))?;
    }
    area.draw(&PathElement::new([(x, MIDDLE), (x + 20, MIDDLE)], VERMILLION.stroke_width(2)))?;
    x = label(area, x + 26, "danger level")?;
    for dash in 0..3 {
        let from = x + dash * 6;
        area.draw(&PathElement::new([(from, MIDDLE), (from + 3, MIDDLE)], GREY.stroke_width(1)))?;
    }
    fence(area, (x + 22, MIDDLE))?;
    let words = "fence: its end, unless renewed";
    let room = i32::try_from(area.dim_in_pixel().0).unwrap_or(0) - x - 32;
    label(area, x + 32, if width_px(words) < room { words } else { "fence" })?;
    Ok(())
}

/// Writes a label, and says where the next thing may stand.
fn label(area: &Area<'_>, x: i32, words: &str) -> Result<i32> {
    area.draw_text(words, &text(12, INK), (x, MIDDLE - 7))?;
    Ok(x + width_px(words) + 18)
}

/// About how wide words are at size 12: no font is at hand to measure them.
fn width_px(words: &str) -> i32 {
    i32::try_from(words.chars().count()).unwrap_or(0) * 11 / 2
}

/// What happened, in one line.
fn summary(timeline: &Timeline) -> String {
    let Some(((end, heartbeat), origin)) = timeline.last.zip(timeline.origin) else {
        return "nothing happened".to_owned();
    };
    let stats = heartbeat.stats();
    let lead = match timeline.smallest_lead {
        Some(lead) => format!("smallest proved lead {}", seconds(lead)),
        None => "no lead was proved".to_owned(),
    };
    let stop =
        timeline.stopped.map_or_else(|| "still going on".to_owned(), |reason| format!("ended: {reason}"));
    format!(
        "{} s, {} extensions, {} failed attempts, {} retries, {lead}, {stop}",
        number(span_s(origin, end), 0.1),
        stats.extensions,
        stats.failures,
        stats.retries
    )
}
