//! How each mark looks. Colours are Okabe and Ito's palette, which colour-blind eyes tell apart; shapes differ too.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::draw::Result;
use super::marks::Mark;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(super) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(super) const ORANGE: RGBColor = RGBColor(230, 159, 0);
pub(super) const GREEN: RGBColor = RGBColor(0, 158, 115);
pub(super) const VERMILLION: RGBColor = RGBColor(213, 94, 0);
pub(super) const INK: RGBColor = RGBColor(34, 34, 34);
pub(super) const GREY: RGBColor = RGBColor(110, 110, 110);

/// How far under its instant a send stands: it points at it, and a failure there does not hide it.
pub(super) const UNDER_PX: i32 = 7;

/// Draws a mark at a pixel, in the chart or in the legend.
pub(super) fn symbol(area: &Area<'_>, mark: Mark, at: (i32, i32)) -> Result {
    let under = (at.0, at.1 + UNDER_PX);
    match mark {
        Mark::Beat => area.draw(&TriangleMarker::new(under, 7, BLUE.filled()))?,
        Mark::Retry => area.draw(&TriangleMarker::new(under, 7, ORANGE.filled()))?,
        Mark::Success => area.draw(&Circle::new(at, 4, GREEN.filled()))?,
        Mark::Failure => area.draw(&Cross::new(at, 5, VERMILLION.stroke_width(3)))?,
        Mark::Stop => {
            area.draw(&(EmptyElement::at(at) + Rectangle::new([(-5, -5), (5, 5)], INK.filled())))?;
        }
    }
    Ok(())
}

/// Draws where a lease would end: a diamond on the axis.
pub(super) fn fence(area: &Area<'_>, at: (i32, i32)) -> Result {
    let diamond = Polygon::new([(0, -5), (5, 0), (0, 5), (-5, 0)], GREY.filled());
    area.draw(&(EmptyElement::at(at) + diamond))?;
    Ok(())
}

/// Text without a font at hand: the viewer's sans-serif.
pub(super) fn text(size: u32, color: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&color)
}
