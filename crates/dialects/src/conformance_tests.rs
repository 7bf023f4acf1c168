//! What holds for every tool of every dialect.

use proptest::prelude::*;
use proptest::strategy::Union;
use serde_json::{Map, Value, json};
use tenon_contract::check_for_models;

use crate::empty_params::leave_out_empty;
use crate::validate::validate;
use crate::{DialectId, ParamsCodec, ToolBinding};
use tenon_contract::normalise;

fn bindings() -> impl Iterator<Item = (DialectId, &'static ToolBinding)> {
    DialectId::ALL
        .iter()
        .flat_map(|id| id.dialect().tools.iter().map(move |binding| (*id, binding)))
}

#[test]
fn every_parameter_schema_is_one_that_all_frameworks_take() {
    let faults: Vec<String> = bindings()
        .flat_map(|(dialect, binding)| {
            let found = check_for_models(binding.params_schema());
            found.into_iter().map(move |fault| {
                format!(
                    "{}.{} {}: {}",
                    dialect.name(),
                    binding.name,
                    fault.place,
                    fault.fault
                )
            })
        })
        .collect();
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn names_are_unique_in_their_dialect_and_fit_every_provider() {
    for dialect in DialectId::ALL {
        let mut names: Vec<&str> = dialect
            .dialect()
            .tools
            .iter()
            .map(|binding| binding.name)
            .collect();
        assert!(names.iter().all(|name| name.len() <= 64
            && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')));
        assert!(names.iter().all(|name| {
            name.chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-')
        }));
        names.sort_unstable();
        names.dedup();
        assert_eq!(
            names.len(),
            dialect.dialect().tools.len(),
            "{}",
            dialect.name()
        );
    }
}

#[test]
fn every_row_names_a_parameter_of_its_operation_and_every_required_one_is_reached() {
    for (dialect, binding) in bindings() {
        let ParamsCodec::Fields(fields) = binding.params else {
            continue;
        };
        let operation = binding.operation_params.make();
        let none = Map::new();
        let known = operation["properties"].as_object().unwrap_or(&none);
        for field in fields {
            assert!(
                known.contains_key(field.operation),
                "{}.{}: `{}` is no parameter of the operation",
                dialect.name(),
                binding.name,
                field.operation
            );
        }
        for required in operation["required"].as_array().into_iter().flatten() {
            assert!(
                fields.iter().any(|field| field.operation == required),
                "{}.{}: {required} is out of reach",
                dialect.name(),
                binding.name
            );
        }
    }
}

#[test]
fn an_alias_never_hides_a_parameter() {
    for (dialect, binding) in bindings() {
        let schema = binding.params_schema();
        for (alias, param) in binding.aliases() {
            let place = format!(
                "{}.{}: `{alias}` for `{param}`",
                dialect.name(),
                binding.name
            );
            assert!(at(schema, alias).is_none(), "{place}");
            assert!(at(schema, param).is_some(), "{place}");
            let meanings = binding
                .aliases()
                .into_iter()
                .filter(|(other, _)| normalise(other) == normalise(alias));
            assert!(
                meanings.map(|(_, param)| param).all(|meant| meant == param),
                "{place}"
            );
        }
    }
}

/// The schema at the end of a way such as `edits[].oldText`.
fn at<'s>(schema: &'s Value, way: &str) -> Option<&'s Value> {
    way.split('.').try_fold(schema, |node, step| {
        let child = node["properties"].get(step.trim_end_matches("[]"))?;
        if step.ends_with("[]") {
            child.get("items")
        } else {
            Some(child)
        }
    })
}

/// What fits a schema with as little as possible.
fn least(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("object") => schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(|name| (name.to_owned(), least(&schema["properties"][name])))
            .collect::<Map<_, _>>()
            .into(),
        Some("array") => {
            let entries = schema["minItems"].as_u64().unwrap_or_default();
            (0..entries).map(|_| least(&schema["items"])).collect()
        }
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        _ => json!("a"),
    }
}

/// Values that do not fit a schema at one place, with that place.
fn with_a_fault(schema: &Value) -> Vec<(String, Value)> {
    let step = |place: String| match place {
        place if place.is_empty() || place.starts_with('[') => place,
        place => format!(".{place}"),
    };
    match schema["type"].as_str() {
        Some("object") => {
            let mut spoilt = vec![(String::new(), json!(1))];
            let none = Map::new();
            for (name, member) in schema["properties"].as_object().unwrap_or(&none) {
                for (place, value) in with_a_fault(member) {
                    let mut whole = least(schema);
                    whole[name] = value;
                    spoilt.push((format!("{name}{}", step(place)), whole));
                }
            }
            spoilt
        }
        Some("array") => with_a_fault(&schema["items"])
            .into_iter()
            .map(|(place, value)| (format!("[1]{}", step(place)), json!([value.clone(), value])))
            .collect(),
        Some(_) => vec![(String::new(), json!({}))],
        None => Vec::new(),
    }
}

#[test]
fn what_does_not_fit_is_named_by_its_place_however_deep() {
    let mut unnamed = Vec::new();
    for (dialect, binding) in bindings() {
        for (place, params) in with_a_fault(binding.params_schema()) {
            let issues = binding.decode(params.clone()).err().unwrap_or_default();
            let first = place.replace("[1]", "[0]");
            let is_named = |place: &str| issues.iter().any(|issue| issue.param == place);
            let says_more = issues.iter().any(|issue| {
                let rest = issue.param.strip_prefix(&*place);
                !place.is_empty() && rest.is_some_and(|rest| !rest.is_empty())
            });
            if !is_named(&place) || !is_named(&first) || says_more {
                let (dialect, name) = (dialect.name(), binding.name);
                unnamed.push(format!("{dialect}.{name} {place}: {params} {issues:?}"));
            }
        }
    }
    assert_eq!(unnamed, Vec::<String>::new());
}

#[test]
fn schemas_change_only_on_purpose() {
    for (dialect, binding) in bindings() {
        let schemas =
            json!({ "params": binding.params_schema(), "details": binding.details_schema() });
        insta::assert_json_snapshot!(format!("{}@{}", binding.name, dialect.name()), schemas);
    }
}

/// Any value that fits a schema of the closed subset.
fn fitting(schema: &Value) -> BoxedStrategy<Value> {
    if let Some(values) = schema["enum"].as_array() {
        return proptest::sample::select(values.clone()).boxed();
    }
    let bound = |word: &str, default: u64| schema[word].as_u64().unwrap_or(default);
    match schema["type"].as_str().unwrap() {
        "string" => {
            let least = usize::try_from(bound("minLength", 0)).unwrap();
            proptest::collection::vec(any::<char>(), least..least + 8)
                .prop_map(|text| text.into_iter().collect::<String>().into())
                .boxed()
        }
        "integer" => (bound("minimum", 0)..=bound("maximum", 1_000_000))
            .prop_map(Value::from)
            .boxed(),
        "number" => {
            let least = schema["minimum"].as_f64().unwrap_or(0.0);
            let most = schema["maximum"].as_f64().unwrap_or(least + 1000.0);
            (0.0..most - least)
                .prop_map(move |more| Value::from(least + more))
                .boxed()
        }
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        "array" => {
            let least = usize::try_from(bound("minItems", 0)).unwrap();
            proptest::collection::vec(fitting(&schema["items"]), least..least + 3)
                .prop_map(Value::from)
                .boxed()
        }
        "object" => fitting_object(schema),
        other => panic!("{other}"),
    }
}

fn fitting_object(schema: &Value) -> BoxedStrategy<Value> {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut members: BoxedStrategy<Map<String, Value>> = Just(Map::new()).boxed();
    for (name, child) in schema["properties"].as_object().into_iter().flatten() {
        let name = name.clone();
        let value = fitting(child).prop_map(Some);
        let value = if required.contains(&name.as_str()) {
            value.boxed()
        } else {
            Union::new([value.boxed(), Just(None).boxed()]).boxed()
        };
        members = (members, value)
            .prop_map(move |(mut members, value)| {
                if let Some(value) = value {
                    members.insert(name.clone(), value);
                }
                members
            })
            .boxed();
    }
    members.prop_map(Value::from).boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn whatever_fits_the_wire_schema_decodes_into_what_the_operation_takes(
        (name, binding, wire) in proptest::sample::select(bindings().map(|(dialect, binding)| (dialect.name(), binding)).collect::<Vec<_>>())
            .prop_flat_map(|(name, binding)| fitting(binding.params_schema()).prop_map(move |wire| (name, binding, wire)))
    ) {
        // Values that say that a parameter is absent are taken so, though they fit.
        let mut wire = wire;
        leave_out_empty(binding.operation, binding.params_schema(), &mut wire);
        match binding.decode(wire.clone()) {
            Ok(decoded) => {
                prop_assert_eq!(&decoded.wire, &wire);
                prop_assert_eq!(&decoded.repairs, &vec![]);
                prop_assert_eq!(validate(&binding.operation_params.make(), &decoded.params.into_json()), vec![], "{}.{} {}", name, binding.name, wire);
            }
            // Only typed shapes know faults that a schema cannot state.
            Err(issues) => prop_assert!(matches!(binding.params, ParamsCodec::Typed(_)), "{}.{} {} {:?}", name, binding.name, wire, issues),
        }
    }

    #[test]
    fn whatever_a_model_sends_is_decoded_or_refused_with_its_faults(
        binding in proptest::sample::select(bindings().map(|(_, binding)| binding).collect::<Vec<_>>()),
        wire in any_json(),
    ) {
        if let Err(issues) = binding.decode(wire) {
            prop_assert!(!issues.is_empty());
        }
    }
}

fn any_json() -> BoxedStrategy<Value> {
    let names = prop_oneof![
        Just("path".to_owned()),
        Just("file_path".to_owned()),
        Just("filePath".to_owned()),
        Just("pattern".to_owned()),
        Just("edits".to_owned()),
        Just("limit".to_owned()),
        Just("oldText".to_owned()),
        any::<String>(),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(Value::from("[{\"oldText\":1}]")),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((names.clone(), inner), 0..5)
                .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
    .boxed()
}
