//! Measured figures, each with its target if it has one.

use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Figure {
    /// The name of the measured quantity. It is the same in every run, so that runs can be
    /// compared.
    pub(crate) name: String,
    pub(crate) value: f64,
    /// The unit of the value and the target: `×` for a ratio.
    pub(crate) unit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<Target>,
    /// The absolute figures from which a ratio was computed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) detail: String,
}

/// The limit that a figure should not exceed or fall below.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    AtMost(f64),
    AtLeast(f64),
}

impl Figure {
    pub(crate) fn ratio(name: impl Into<String>, value: f64) -> Figure {
        Figure::of(name, value, "×")
    }

    /// Creates a figure with this unit.
    pub(crate) fn of(name: impl Into<String>, value: f64, unit: &str) -> Figure {
        Figure { name: name.into(), value, unit: unit.to_owned(), target: None, detail: String::new() }
    }

    pub(crate) fn with_target(self, target: Target) -> Figure {
        Figure { target: Some(target), ..self }
    }

    pub(crate) fn with_detail(self, detail: String) -> Figure {
        Figure { detail, ..self }
    }

    /// True if the figure meets its target. `None` without a target.
    pub(crate) fn is_met(&self) -> Option<bool> {
        // Compare rounded values. Otherwise, a figure could be printed as equal to its target and
        // still miss it.
        let rounded = |value: f64| (value * 100.0).round();
        self.target.map(|target| match target {
            Target::AtMost(most) => rounded(self.value) <= rounded(most),
            Target::AtLeast(least) => rounded(self.value) >= rounded(least),
        })
    }

    /// Prints the figure beside its target on one line.
    #[expect(clippy::print_stdout, reason = "a program for the terminal")]
    pub(crate) fn print(&self) {
        let Figure { name, value, unit, target, detail } = self;
        let detail = if detail.is_empty() { String::new() } else { format!(" ({detail})") };
        let bound = target.map(|target| target.text(unit)).unwrap_or_default();
        let verdict = match self.is_met() {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "",
        };
        println!("{:<70} {value:>8.2} {unit:<3} {bound:<18} {verdict}", format!("{name}{detail}"));
    }
}

impl Target {
    pub(crate) fn text(self, unit: &str) -> String {
        match self {
            Target::AtMost(most) => format!("at most {}", quantity(most, unit)),
            Target::AtLeast(least) => format!("at least {}", quantity(least, unit)),
        }
    }
}

/// A value with its unit, as `1.20 ×`, without a sign if it rounds to zero.
pub(crate) fn quantity(value: f64, unit: &str) -> String {
    let value = if value.abs() < 0.005 { 0.0 } else { value };
    format!("{value:.2} {unit}").trim_end().to_owned()
}
