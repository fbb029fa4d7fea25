//! A plan for a person and for a program.

use std::fmt::Write;

use leasebeat::Millis;

use super::forecast::{Forecast, Service};
use crate::units::seconds;

/// One JSON object.
pub(super) fn json(plan: &Forecast) -> String {
    serde_json::to_string(plan).expect("numbers and names have a JSON form")
}

/// A table, and what it means.
pub(super) fn table(plan: &Forecast) -> String {
    let mut out = String::new();
    // Writing to a String does not fail.
    let _ = write_table(&mut out, plan);
    out
}

fn write_table(out: &mut String, plan: &Forecast) -> std::fmt::Result {
    let timeout = plan.timeout_ms.map_or_else(|| "unknown".to_owned(), show);
    writeln!(
        out,
        "TTL {}, request timeout {timeout}, slowest round trip {}\n",
        show(plan.ttl_ms),
        show(plan.rtt_ms)
    )?;
    row(out, "attempt budget", &or_unbounded(plan.attempt_budget_ms), "the timeout, 1 s or two round trips")?;
    row(out, "safety margin", &show(plan.safety_margin_ms), "1 s or two round trips")?;
    row(out, "retry reserve", &or_unbounded(plan.retry_reserve_ms), "two attempts and the margin")?;
    write_cadence(out, plan)?;
    write_bounds(out, plan)?;
    if plan.dead_zone {
        write_dead_zone(out, plan)?;
    }
    write_servers(out, plan)
}

fn write_cadence(out: &mut String, plan: &Forecast) -> std::fmt::Result {
    let (Some(period), Some(slow)) = (plan.capping_server.beat_period_ms, plan.delay_slowest_ms) else {
        let note = match plan.delay_quickest_ms {
            Some(delay) => format!("no delay after the slowest answer, {} after a quick one", show(delay)),
            None => "no delay is left".to_owned(),
        };
        return row(out, "cadence", "DEAD ZONE", &note);
    };
    let note = match plan.delay_quickest_ms {
        Some(quick) if quick != slow => {
            format!(
                "between sends; delay {} after a quick answer, {} after the slowest",
                show(quick),
                show(slow)
            )
        }
        _ => "between sends".to_owned(),
    };
    row(out, "cadence", &show(period), &note)
}

fn write_bounds(out: &mut String, plan: &Forecast) -> std::fmt::Result {
    match plan.timeout_below_ms {
        Some(below) => {
            row(out, "safe timeout", &format!("< {}", show(below)), "for this TTL and round trip")?;
        }
        None => row(out, "safe timeout", "none", "the TTL is too short for any timeout")?,
    }
    match plan.ttl_above_ms {
        Some(above) => row(out, "safe TTL", &format!("> {}", show(above)), "for this timeout and round trip"),
        None => row(out, "safe TTL", "none", "no lease outlasts this timeout"),
    }
}

/// What the dead zone means.
const DEAD_ZONE: &str = "
This is the dead zone: after an answer no time is left to wait, because the lease does not
outlast two attempts and the margin. One extension follows at once with a fresh key; if that
leaves no delay either, the heartbeat stops with lease-too-short. Only a server that adds to
the current expiry can leave one then.";

fn write_dead_zone(out: &mut String, plan: &Forecast) -> std::fmt::Result {
    writeln!(out, "{DEAD_ZONE}")?;
    match (plan.timeout_below_ms, plan.ttl_above_ms) {
        (Some(below), Some(above)) => writeln!(
            out,
            "Remedy: keep the request timeout below {}, or ask for a TTL above {}.",
            show(below),
            show(above)
        ),
        (Some(below), None) => {
            writeln!(out, "Remedy: enforce a request timeout, and keep it below {}.", show(below))
        }
        (None, _) => {
            let above = show(plan.ttl_above_at_any_timeout_ms);
            writeln!(out, "Remedy: ask for a TTL above {above}; below that no timeout is short enough.")
        }
    }
}

fn write_servers(out: &mut String, plan: &Forecast) -> std::fmt::Result {
    let budget = plan.max_extensions.map_or_else(String::new, |n| {
        let plural = if n == 1 { "" } else { "s" };
        format!("{n} extension{plural} last")
    });
    let head = format!(
        "{:<30}{:>12}{:>14}{:>14}   {budget}",
        "if the server", "first beat", "then every", "an hour"
    );
    writeln!(out, "\n{}", head.trim_end())?;
    service(out, "caps the lead at the TTL", &plan.capping_server)?;
    service(out, "adds to the current expiry", &plan.adding_server)?;
    out.truncate(out.trim_end().len());
    Ok(())
}

fn service(out: &mut String, name: &str, service: &Service) -> std::fmt::Result {
    let Service { first_beat_ms, beat_period_ms, extensions_per_hour, budget_lasts_ms, .. } = *service;
    let first = if first_beat_ms == 0 { "at once".to_owned() } else { show(first_beat_ms) };
    let (Some(period), Some(hourly)) = (beat_period_ms, extensions_per_hour) else {
        return writeln!(out, "{name:<30}{first:>12}   then stops: lease-too-short");
    };
    let lasts = budget_lasts_ms.map_or_else(String::new, lasting);
    let hourly = if hourly < 1.0 { format!("{hourly:.3}") } else { format!("{hourly:.1}") };
    let line = format!("{name:<30}{first:>12}{:>14}{hourly:>14}   {lasts}", show(period));
    writeln!(out, "{}", line.trim_end())
}

fn row(out: &mut String, name: &str, value: &str, note: &str) -> std::fmt::Result {
    writeln!(out, "  {name:<16}{value:>11}   {note}")
}

fn show(ms: u64) -> String {
    seconds(Millis::new(ms))
}

fn or_unbounded(ms: Option<u64>) -> String {
    ms.map_or_else(|| "unbounded".to_owned(), show)
}

/// A long time in two ways, as seconds alone are hard to read.
fn lasting(ms: u64) -> String {
    let text = show(ms);
    if ms < 60_000 {
        return text;
    }
    let whole = std::time::Duration::from_secs(ms / 1_000);
    format!("{text} ({})", humantime::format_duration(whole))
}
