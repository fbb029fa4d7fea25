//! The plots, from the same results as the page.

use std::collections::BTreeMap;

use plotters::coord::ranged1d::IntoSegmentedCoord as _;
use plotters::prelude::*;

use super::page::number;
use super::results::Measured;
use super::sections::{Plot, Section};
use crate::Outcome;

const COLOURS: [RGBColor; 4] =
    [RGBColor(31, 102, 171), RGBColor(196, 78, 32), RGBColor(44, 132, 62), RGBColor(120, 70, 150)];
const BAR: RGBColor = COLOURS[0];

/// Where a section's plot is.
pub fn path(section: &Section) -> String {
    format!("{}/{}.svg", super::PLOTS, section.name)
}

/// The plot of a section that has one.
pub fn plot(section: &Section, measured: &Measured) -> Outcome<Option<String>> {
    let drawn = match &section.plot {
        None => return Ok(None),
        Some(Plot::Bars { key, title }) => bars(measured, key, title),
        Some(Plot::Growth { key, title }) => growth(measured, key, title),
    };
    drawn.map(Some).map_err(|error| format!("{}: {error}", section.name))
}

type Drawn = Result<String, Box<dyn std::error::Error>>;

fn bars(measured: &Measured, key: &str, title: &str) -> Drawn {
    let bars: Vec<(&str, f64)> =
        measured.rows.iter().filter_map(|row| Some((row.name.as_str(), *row.values.get(key)?))).collect();
    let most = bars.iter().map(|(_, value)| *value).fold(0.0, f64::max) * 1.15;
    let count = bars.len();
    if count == 0 {
        return Err(format!("no row has {key}").into());
    }
    let mut text = String::new();
    {
        let height = u32::try_from(90 + 26 * count)?;
        let root = SVGBackend::with_string(&mut text, (760, height)).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(title, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(24)
            .y_label_area_size(230)
            .build_cartesian_2d(0.0..most, (0..count - 1).into_segmented())?;
        // The first row on top.
        let name = |at: &SegmentValue<usize>| match at {
            SegmentValue::CenterOf(index) if *index < count => bars[count - 1 - index].0.to_owned(),
            _ => String::new(),
        };
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(count + 1)
            .y_label_formatter(&name)
            .x_label_formatter(&|value| number(*value, 0))
            .draw()?;
        chart.draw_series(bars.iter().rev().enumerate().map(|(index, (_, value))| {
            let to = if index + 1 == count { SegmentValue::Last } else { SegmentValue::Exact(index + 1) };
            let from = SegmentValue::Exact(index);
            let mut bar = Rectangle::new([(0.0, from), (*value, to)], BAR.filled());
            bar.set_margin(4, 4, 0, 0);
            bar
        }))?;
        chart.draw_series(bars.iter().rev().enumerate().map(|(index, (_, value))| {
            let at = (*value, SegmentValue::CenterOf(index));
            EmptyElement::at(at) + Text::new(format!(" {}", number(*value, 0)), (2, -6), ("sans-serif", 13))
        }))?;
        root.present()?;
    }
    Ok(text)
}

fn growth(measured: &Measured, key: &str, title: &str) -> Drawn {
    let mut lines: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for row in &measured.rows {
        if let (Some(leases), Some(value)) = (row.values.get("leases"), row.values.get(key)) {
            // The rows are named after the call and the number.
            let name = row.name.split(',').next().unwrap_or(&row.name);
            lines.entry(name).or_default().push((*leases, *value));
        }
    }
    let points = || lines.values().flatten();
    let (least, most) = points().fold((f64::MAX, 0.0), |(a, b), (x, _)| (f64::min(a, *x), f64::max(b, *x)));
    let top = points().map(|(_, y)| *y).fold(0.0, f64::max) * 1.1;
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (760, 380)).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(title, ("sans-serif", 17))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(56)
            .build_cartesian_2d((least..most).log_scale(), 0.0..top)?;
        chart
            .configure_mesh()
            .x_desc("leases")
            .x_label_formatter(&|leases| number(*leases, 0))
            .y_label_formatter(&|value| number(*value, 0))
            .draw()?;
        for ((name, points), colour) in lines.iter().zip(COLOURS.iter().cycle()) {
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(3))?
                .label(*name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        }
        chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
        root.present()?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::results::Row;

    #[test]
    fn a_line_for_each_call_and_the_same_plot_each_time() {
        let rows = [("insert", 1_000.0, 40.0), ("insert", 1_000_000.0, 80.0), ("poll", 1_000.0, 300.0)];
        let row =
            |(call, leases, ns)| Row::new(&format!("{call}, {leases}"), &[("leases", leases), ("ns", ns)]);
        let measured = Measured {
            date: String::new(),
            commit: String::new(),
            machine: String::new(),
            load: String::new(),
            versions: Vec::new(),
            commands: Vec::new(),
            rows: rows.map(row).into(),
        };
        let plot = growth(&measured, "ns", "growth").unwrap();
        for label in ["insert", "poll", "1,000", "1,000,000"] {
            assert!(plot.contains(label), "{label} is not in the plot");
        }
        assert_eq!(plot, growth(&measured, "ns", "growth").unwrap());
        assert!(bars(&measured, "bytes", "none has them").is_err());
    }
}
