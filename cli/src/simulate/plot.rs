//! The picture of a comparison: three panels, one colour for each strategy.

#![allow(clippy::cast_precision_loss)] // numbers of a picture

use std::error::Error;
use std::path::Path;

use leasebeat_lab::compare::{Curve, Point, Row, Setup};
use leasebeat_lab::strategy::StrategyKind;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

const INK: RGBColor = RGBColor(34, 34, 34);
const GREY: RGBColor = RGBColor(110, 110, 110);
const SIZE: (u32, u32) = (1180, 470);

/// Draws it into a file.
pub(super) fn write(path: &Path, setup: &Setup, rows: &[Row], curves: &[Curve]) -> Drawn {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let (header, body) = root.split_vertically(34);
        let title = format!(
            "TTL {} s, request timeout {} s, policy {}",
            setup.ttl_ms as f64 / 1e3,
            setup.request_timeout_ms as f64 / 1e3,
            setup.policy.name()
        );
        header.draw_text(&title, &text(15, INK), (16, 12))?;
        let (left, rest) = body.split_horizontally(410);
        let (middle, right) = rest.split_horizontally(410);
        lines(&left, curves, "leases lost to one outage (%)", |point| point.lost * 100.0)?;
        lines(&middle, curves, "seconds held that were gone, per outage", |point| point.unknowing_s)?;
        bars(&right, rows)?;
        root.present()?;
    }
    std::fs::write(path, svg)?;
    Ok(())
}

/// Okabe and Ito's palette, which colour-blind eyes tell apart, and a width: leasebeat stands out.
fn style(strategy: StrategyKind) -> ShapeStyle {
    let (color, width) = match strategy {
        StrategyKind::Leasebeat => (RGBColor(0, 114, 178), 4),
        StrategyKind::LeasebeatFallback => (RGBColor(86, 180, 233), 3),
        StrategyKind::Blind => (RGBColor(213, 94, 0), 2),
        StrategyKind::Alternate => (RGBColor(140, 140, 140), 2),
        StrategyKind::Etcd => (RGBColor(0, 158, 115), 2),
        StrategyKind::Kubernetes => (RGBColor(34, 34, 34), 2),
        StrategyKind::Vault => (RGBColor(230, 159, 0), 2),
        StrategyKind::Redlock => (RGBColor(204, 121, 167), 2),
    };
    color.stroke_width(width)
}

fn lines(area: &Area<'_>, curves: &[Curve], title: &str, value: fn(&Point) -> f64) -> Drawn {
    let right = curves.iter().flat_map(|curve| &curve.points).map(|point| point.outage_s).max().unwrap_or(1);
    let high = curves.iter().flat_map(|curve| &curve.points).map(value).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .caption(title, text(14, INK))
        .x_label_area_size(40)
        .y_label_area_size(44)
        .build_cartesian_2d(0.0..right as f64, 0.0..high * 1.05)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(230, 230, 230))
        .axis_style(GREY)
        .x_desc("length of the outage (s)")
        .axis_desc_style(text(12, INK))
        .label_style(text(12, INK))
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .x_labels(10)
        .draw()?;
    // leasebeat last, so that it lies above the others.
    for curve in curves.iter().rev() {
        let points = curve.points.iter().map(|point| (point.outage_s as f64, value(point)));
        chart.draw_series(LineSeries::new(points, style(curve.strategy)))?;
    }
    Ok(())
}

/// The extensions of an hour, which are the legend too.
fn bars(area: &Area<'_>, rows: &[Row]) -> Drawn {
    let (width, height) = area.dim_in_pixel();
    let (width, height) = (i32::try_from(width)?, i32::try_from(height)?);
    let centered = text(14, INK).pos(Pos::new(HPos::Center, VPos::Top));
    area.draw_text("extensions in a lease-hour", &centered, (width / 2, 14))?;
    let most = rows.iter().map(|row| row.tally.extensions_per_hour()).fold(1.0, f64::max);
    let step = (height - 80) / i32::try_from(rows.len().max(1))?;
    for (index, Row { strategy, tally }) in rows.iter().enumerate() {
        let top = 44 + step * i32::try_from(index)?;
        let value = tally.extensions_per_hour();
        #[allow(clippy::cast_possible_truncation)] // at most the width
        let length = (f64::from(width - 80) * value / most) as i32;
        let ShapeStyle { color, .. } = style(*strategy);
        area.draw_text(strategy.name(), &text(13, INK), (16, top))?;
        area.draw(&Rectangle::new([(16, top + 17), (16 + length.max(1), top + 31)], color.filled()))?;
        area.draw_text(&format!("{value:.0}"), &text(12, INK), (22 + length, top + 18))?;
    }
    Ok(())
}

fn text(size: u32, color: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&color)
}
