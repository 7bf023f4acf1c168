//! Parameters of an operation on their way to it.

use std::any::Any;
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{ErrorCode, ToolError};

/// The parameters of an operation, from the dialect that has decoded them to the [`Tool`](crate::Tool) that takes them.
#[derive(Debug)]
pub enum OperationParams {
    /// As JSON, by the names that the operation has for them.
    Json(Value),
    /// As the operation takes them, made by a dialect whose parameters have another structure.
    Typed(Box<dyn AnyParams>),
}

/// Parameters with their type erased. One blanket implementation; nobody writes it by hand.
pub trait AnyParams: Any + Debug + Send {
    /// Their JSON.
    fn to_json(&self) -> Value;
}

impl<P: Serialize + Any + Debug + Send> AnyParams for P {
    fn to_json(&self) -> Value {
        let mut params = serde_json::to_value(self).unwrap_or_default();
        if let Value::Object(members) = &mut params {
            // Absent, not null, as everywhere.
            members.retain(|_, value| !value.is_null());
        }
        params
    }
}

impl OperationParams {
    /// Their JSON, for those who compare or keep it. A call does without.
    #[must_use]
    pub fn into_json(self) -> Value {
        match self {
            Self::Json(params) => params,
            // Of what is in the box, not of the box.
            Self::Typed(params) => (*params).to_json(),
        }
    }

    /// What an operation takes.
    pub(crate) fn into_typed<P: DeserializeOwned + 'static>(self) -> Result<P, ToolError> {
        match self {
            Self::Json(params) => serde_json::from_value(params).map_err(|error| {
                let message = format!("The parameters do not match: {error}.");
                ToolError::new(ErrorCode::InvalidParams, message).caused_by(error)
            }),
            Self::Typed(params) => {
                let params: Box<dyn Any> = params;
                params.downcast().map(|params| *params).map_err(|_| {
                    ToolError::internal("a dialect made the parameters of another operation")
                })
            }
        }
    }
}

impl Default for OperationParams {
    fn default() -> Self {
        Self::Json(Value::Null)
    }
}

impl From<Value> for OperationParams {
    fn from(params: Value) -> Self {
        Self::Json(params)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Named {
        name: String,
        limit: Option<u64>,
    }

    fn named() -> Named {
        Named {
            name: "a".to_owned(),
            limit: None,
        }
    }

    #[test]
    fn an_operation_takes_json_and_its_own_type() {
        let typed = OperationParams::Typed(Box::new(named()));
        assert_eq!(typed.into_typed::<Named>().unwrap(), named());
        let json = OperationParams::from(json!({ "name": "a" }));
        assert_eq!(json.into_typed::<Named>().unwrap(), named());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let json = OperationParams::from(json!({}));
        let error = json.into_typed::<Named>().unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidParams);
        let other = OperationParams::Typed(Box::new("a".to_owned()));
        let error = other.into_typed::<Named>().unwrap_err();
        assert_eq!(error.code, ErrorCode::Internal);
    }

    #[test]
    fn the_json_of_both_is_the_same_and_without_null() {
        let typed = OperationParams::Typed(Box::new(named()));
        assert_eq!(typed.into_json(), json!({ "name": "a" }));
        let json = OperationParams::from(json!({ "name": "a" }));
        assert_eq!(json.into_json(), json!({ "name": "a" }));
    }
}
