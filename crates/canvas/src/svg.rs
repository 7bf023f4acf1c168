//! Charts as SVG.

use crate::parts::escaped;

/// Numbers with their labels.
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) labels: Vec<String>,
    pub(crate) series: Vec<Series>,
}

/// One number for each label; nothing where none is known.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) values: Vec<Option<f64>>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 36.0;
/// Most labels that are written below a chart.
const LABELS_MAX: usize = 12;
/// Most characters of such a label.
const LABEL_CHARACTERS: usize = 14;

impl Chart {
    /// The smallest and the largest number.
    pub(crate) fn range(&self) -> (f64, f64) {
        let values = self
            .series
            .iter()
            .flat_map(|series| series.values.iter().flatten().copied());
        let range = values.fold(
            (f64::INFINITY, f64::NEG_INFINITY),
            |(least, most), value| (least.min(value), most.max(value)),
        );
        if range.0.is_finite() {
            range
        } else {
            (0.0, 0.0)
        }
    }
}

/// A number as it is written.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e15).contains(&size) {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// The vertical scale: where it begins and ends, and its marks.
struct Scale {
    least: f64,
    most: f64,
    marks: Vec<f64>,
}

impl Scale {
    fn new(least: f64, most: f64) -> Self {
        // Beyond that a span has no finite size, below it none that can be divided.
        let (least, most) = (least.clamp(-1e300, 1e300), most.clamp(-1e300, 1e300));
        let (least, most) = if most / 2.0 - least / 2.0 > 1e-300 {
            (least, most)
        } else {
            (least - 1.0, most + 1.0)
        };
        // Half, so that the span of the largest numbers is finite.
        let rough = (most / 2.0 - least / 2.0) / 2.5;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .iter()
            .map(|factor| factor * power)
            .find(|step| *step >= rough)
            .unwrap_or(rough);
        let (least, most) = ((least / step).floor() * step, (most / step).ceil() * step);
        let mut marks = Vec::new();
        for number in 0..=12_i32 {
            let mark = least + f64::from(number) * step;
            if mark <= most + step / 2.0 {
                marks.push(mark);
            }
        }
        Self { least, most, marks }
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value / 2.0 - self.least / 2.0) / (self.most / 2.0 - self.least / 2.0);
        TOP + (1.0 - share.clamp(0.0, 1.0)) * (HEIGHT - TOP - BOTTOM)
    }
}

/// Bars, in groups.
pub(crate) fn bars(chart: &Chart) -> String {
    let (least, most) = chart.range();
    let scale = Scale::new(least.min(0.0), most.max(0.0));
    let mut body = frame(chart, &scale);
    let group = slot(chart);
    let bar = group * 0.8 / count(chart.series.len());
    let zero = scale.y(0.0);
    for (index, series) in chart.series.iter().enumerate() {
        for (place, value) in series.values.iter().enumerate() {
            let Some(value) = value else { continue };
            let y = scale.y(*value);
            let x = LEFT + group * (count(place) + 0.1) + bar * count(index);
            body.push_str(&format!(
                "<rect class=\"s{}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\">{}</rect>",
                index % 8,
                y.min(zero),
                (bar - 1.0).max(0.5),
                (y - zero).abs().max(0.5),
                hint(series, chart, place, *value)
            ));
        }
    }
    finished(chart, &body)
}

/// Lines, broken where a number is missing.
pub(crate) fn lines(chart: &Chart) -> String {
    let (least, most) = chart.range();
    let scale = Scale::new(least, most);
    let mut body = frame(chart, &scale);
    let step = slot(chart);
    for (index, series) in chart.series.iter().enumerate() {
        let class = index % 8;
        let mut run: Vec<String> = Vec::new();
        let mut dots = String::new();
        for (place, value) in series.values.iter().enumerate() {
            let Some(value) = value else {
                body.push_str(&polyline(class, &run));
                run.clear();
                continue;
            };
            let (x, y) = (LEFT + step * (count(place) + 0.5), scale.y(*value));
            run.push(format!("{x:.1},{y:.1}"));
            dots.push_str(&format!(
                "<circle class=\"s{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\">{}</circle>",
                hint(series, chart, place, *value)
            ));
        }
        body.push_str(&polyline(class, &run));
        body.push_str(&dots);
    }
    finished(chart, &body)
}

fn polyline(class: usize, points: &[String]) -> String {
    if points.is_empty() {
        return String::new();
    }
    format!(
        "<polyline class=\"l{class}\" points=\"{}\"/>",
        points.join(" ")
    )
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// The width that belongs to one label.
fn slot(chart: &Chart) -> f64 {
    (WIDTH - LEFT - RIGHT) / count(chart.labels.len().max(1))
}

fn hint(series: &Series, chart: &Chart, place: usize, value: f64) -> String {
    let label = chart
        .labels
        .get(place)
        .map(String::as_str)
        .unwrap_or_default();
    let name = if series.name.is_empty() {
        String::new()
    } else {
        format!("{}, ", series.name)
    };
    format!(
        "<title>{}: {}</title>",
        escaped(&format!("{name}{label}")),
        number(value)
    )
}

/// Marks of the scale, and labels.
fn frame(chart: &Chart, scale: &Scale) -> String {
    let mut body = String::new();
    for mark in &scale.marks {
        let y = scale.y(*mark);
        body.push_str(&format!(
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text class=\"y\" x=\"{}\" y=\"{:.1}\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            y + 4.0,
            number(*mark)
        ));
    }
    let step = chart.labels.len().div_ceil(LABELS_MAX).max(1);
    for (place, label) in chart.labels.iter().enumerate().step_by(step) {
        let x = LEFT + slot(chart) * (count(place) + 0.5);
        let short: String = label.chars().take(LABEL_CHARACTERS).collect();
        let more = if short.len() < label.len() { "…" } else { "" };
        body.push_str(&format!(
            "<text class=\"x\" x=\"{x:.1}\" y=\"{:.1}\">{}{more}</text>",
            HEIGHT - BOTTOM + 20.0,
            escaped(&short)
        ));
    }
    body
}

fn finished(chart: &Chart, body: &str) -> String {
    let named: Vec<(usize, &Series)> = chart
        .series
        .iter()
        .enumerate()
        .filter(|(_, series)| !series.name.is_empty())
        .collect();
    let legend = if named.len() < 2 {
        String::new()
    } else {
        let entries: String = named
            .iter()
            .map(|(index, series)| {
                format!(
                    "<li><i class=\"b{}\"></i>{}</li>",
                    index % 8,
                    escaped(&series.name)
                )
            })
            .collect();
        format!("<ul class=\"tenon-legend\">{entries}</ul>")
    };
    format!(
        "<figure class=\"tenon-chart\"><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">{body}</svg>{legend}</figure>",
        escaped(if chart.title.is_empty() {
            "chart"
        } else {
            &chart.title
        })
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (0.1 + 0.2, "0.3"),
            (1e20, "1.000e20"),
            (-2.5, "-2.5"),
            (1e-9, "1.000e-9"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn every_chart_has_finite_places() {
        for values in [
            vec![],
            vec![Some(0.0)],
            vec![Some(f64::MAX), Some(f64::MIN)],
            vec![Some(1e-300)],
            vec![Some(f64::from_bits(1))],
            vec![Some(-f64::MIN_POSITIVE), Some(f64::MIN_POSITIVE)],
            vec![Some(1.0), Some(1.0 + f64::EPSILON)],
            vec![None],
            vec![Some(5.0); 1_000],
        ] {
            let labels = values.iter().map(|_| "a".repeat(20)).collect();
            let chart = Chart {
                title: String::new(),
                labels,
                series: vec![Series {
                    name: String::new(),
                    values,
                }],
            };
            for html in [bars(&chart), lines(&chart)] {
                assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
            }
        }
    }
}
