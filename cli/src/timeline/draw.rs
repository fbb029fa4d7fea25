//! The picture: the lead over time, and what happened along it.

use std::error::Error;

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::marks::Mark;
use super::symbol::{Area, BLUE, GREY, INK, UNDER_PX, VERMILLION, fence, symbol, text};
use super::{DETAIL_MAX, Timeline, legend, millis_s, span_s, thin};

pub(super) type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// Vermillion at a tenth of its strength.
const ZONE: RGBColor = RGBColor(251, 239, 230);
const SIZE: (u32, u32) = (920, 440);

/// The whole picture as SVG text.
pub(super) fn svg(timeline: &Timeline) -> Result<String> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let (header, body) = root.split_vertically(legend::HEIGHT_PX);
        legend::draw(&header, timeline)?;
        Picture::new(&root, &body, timeline)?.draw()?;
        root.present()?;
    }
    Ok(svg)
}

/// The chart under construction. Lines and zones are drawn in its coordinates, symbols and words in pixels.
struct Picture<'a, 'b> {
    root: &'a Area<'b>,
    chart: ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>,
    timeline: &'a Timeline,
    line: Vec<(f64, f64)>,
    frame: Frame,
}

impl<'a, 'b> Picture<'a, 'b> {
    fn new(root: &'a Area<'b>, body: &'a Area<'b>, timeline: &'a Timeline) -> Result<Self> {
        let line = whole_line(timeline);
        let frame = Frame::around(timeline, &line);
        let chart = ChartBuilder::on(body)
            .margin_left(10)
            .margin_right(20)
            .margin_bottom(4)
            .x_label_area_size(42)
            .y_label_area_size(56)
            .build_cartesian_2d(frame.left..frame.right, 0.0..frame.top)?;
        Ok(Self { root, chart, timeline, line, frame })
    }

    fn draw(&mut self) -> Result {
        self.draw_axes()?;
        self.draw_danger()?;
        self.draw_fences()?;
        self.name_danger()?;
        self.name_failures()?;
        self.chart.draw_series(LineSeries::new(self.line.iter().copied(), BLUE.stroke_width(2)))?;
        let axis = self.pixel((self.frame.left, 0.0)).1;
        for mark in Mark::ALL {
            for at in self.timeline.marks.points(mark) {
                let (x, y) = self.pixel(*at);
                // The numbers of the axis stay legible.
                let lowest = if mark.is_send() { axis - 2 * UNDER_PX } else { axis };
                symbol(self.root, mark, (x, y.min(lowest)))?;
            }
        }
        if self.timeline.smallest_lead.is_none() && self.timeline.last.is_some() {
            let (x, y) = self.pixel((self.frame.left, self.frame.top * 0.5));
            let words =
                "no lead was proved: the server does not say what remains, or no round trip was measured";
            self.root.draw_text(words, &text(13, GREY), (x + 30, y))?;
        }
        Ok(())
    }

    fn pixel(&self, at: (f64, f64)) -> (i32, i32) {
        self.chart.plotting_area().map_coordinate(&at)
    }

    fn draw_axes(&mut self) -> Result {
        let (width, height) = (self.frame.right - self.frame.left, self.frame.top);
        self.chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(230, 230, 230))
            .axis_style(GREY)
            .x_desc("time (s)")
            .y_desc("proved lead (s)")
            .axis_desc_style(text(13, INK))
            .label_style(text(12, INK))
            .x_labels(12)
            .y_labels(8)
            .x_label_formatter(&|x| number(*x, width / 12.0))
            .y_label_formatter(&|y| number(*y, height / 8.0))
            .draw()?;
        Ok(())
    }

    fn draw_danger(&mut self) -> Result {
        let Frame { right, top, .. } = self.frame;
        let levels = self.timeline.levels.points();
        for (index, &(from, level)) in levels.iter().enumerate() {
            let to = levels.get(index + 1).map_or(right, |next| next.0);
            let level = level.min(top);
            let zone = Rectangle::new([(from, 0.0), (to, level)], ZONE.filled());
            let edge = PathElement::new([(from, level), (to, level)], VERMILLION.stroke_width(2));
            self.chart.draw_series([zone])?;
            self.chart.draw_series([edge])?;
        }
        Ok(())
    }

    fn name_danger(&self) -> Result {
        let Frame { left, right, top } = self.frame;
        match self.timeline.levels.points().last() {
            // Once it has moved far to the right, no room is left for words.
            Some(&(from, level)) if from < right - (right - left) * 0.4 => {
                let words = format!("below {} s a failed attempt is not retried", number(level, 0.01));
                let (x, y) = self.pixel((from.max(left), level.min(top)));
                // The fences' dots would run through the words.
                let width = i32::try_from(words.len()).unwrap_or(0) * 11 / 2;
                let ground = Rectangle::new([(x + 5, y + 4), (x + 14 + width, y + 20)], ZONE.filled());
                self.root.draw(&ground)?;
                self.root.draw_text(&words, &text(12, VERMILLION), (x + 8, y + 6))?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Where each lease would have ended had it not been renewed, and where the last one does.
    fn draw_fences(&mut self) -> Result {
        let renewed = self.timeline.fences.iter().filter(|_| self.timeline.renewals <= DETAIL_MAX);
        let last = self.line.last().filter(|(_, lead)| *lead > 0.0);
        for &(at, lead) in renewed.chain(last) {
            let end = at + lead;
            if end <= self.frame.right {
                self.chart.draw_series(DashedLineSeries::new(
                    [(at, lead), (end, 0.0)],
                    2,
                    4,
                    GREY.stroke_width(1),
                ))?;
                fence(self.root, self.pixel((end, 0.0)))?;
            }
        }
        Ok(())
    }

    /// Names each failure above the line, in rows that take turns.
    fn name_failures(&mut self) -> Result {
        if !names_failures(self.timeline) {
            return Ok(());
        }
        let crosses = self.timeline.marks.points(Mark::Failure);
        let style = text(12, INK).pos(Pos::new(HPos::Left, VPos::Center));
        for (index, (&at, (_, what))) in crosses.iter().zip(&self.timeline.failures).enumerate() {
            let (x, from) = self.pixel(at);
            let to = self.pixel((at.0, self.frame.top)).1 + [10, 27, 44][index % 3];
            self.root.draw(&PathElement::new([(x, from), (x, to)], VERMILLION.mix(0.6).stroke_width(1)))?;
            self.root.draw_text(what, &style, (x + 4, to))?;
        }
        Ok(())
    }
}

/// The collected line, and the decline from its last point to the last event.
fn whole_line(timeline: &Timeline) -> Vec<(f64, f64)> {
    let mut line = timeline.line.points();
    if let Some(((at, heartbeat), origin)) = timeline.last.zip(timeline.origin) {
        if at >= origin {
            let rest = thin::decline(timeline.line.last(), span_s(origin, at), millis_s(heartbeat.lead(at)));
            line.extend(rest);
        }
    }
    line
}

/// What part of the plane is shown.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
}

impl Frame {
    fn around(timeline: &Timeline, line: &[(f64, f64)]) -> Self {
        let (left, right) = timeline.span.unwrap_or_default();
        let high = line.iter().map(|point| point.1).fold(0.0, f64::max);
        let level = timeline.levels.points().iter().map(|level| level.1).fold(0.0, f64::max);
        // A level far above every lead says only that it was never reached.
        let high = if level < high * 3.0 { high.max(level) } else { high };
        let high = if high > 0.0 { high } else { 1.0 };
        let right = if left < right { right } else { left + 1.0 };
        let end = last_fence(line).unwrap_or(right);
        let right = if end < right + (right - left) * 0.3 { right.max(end) } else { right };
        // The failures are named above the line.
        let head = if names_failures(timeline) { 1.32 } else { 1.1 };
        Self { left, right: right + (right - left) * 0.015, top: high * head }
    }
}

/// Where the line would reach zero.
fn last_fence(line: &[(f64, f64)]) -> Option<f64> {
    line.last().filter(|(_, lead)| *lead > 0.0).map(|(at, lead)| at + lead)
}

fn names_failures(timeline: &Timeline) -> bool {
    (1..=DETAIL_MAX).contains(&timeline.failures.len())
}

/// A number with as many decimals as a step of that size needs.
pub(super) fn number(value: f64, step: f64) -> String {
    let decimals = match step {
        step if step >= 1.0 => 0,
        step if step >= 0.1 => 1,
        step if step >= 0.01 => 2,
        _ => 3,
    };
    if value.abs() >= 1e9 {
        return format!("{value:.1e}");
    }
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
