//! The function for a core.

use super::{
    Argument, Function, Outcome, Untranslatable, names::sanitized, statements::Writer, type_name,
};
use crate::fpcore::ast::{Core, Dimension, Format};

pub(super) fn function(core: &Core, name: Option<&str>) -> Result<Function, Untranslatable> {
    let name = match name {
        Some(name) => name.to_owned(),
        None => sanitized(&core.name().unwrap_or("f".to_owned()).to_lowercase()),
    };
    let mut writer = Writer::new(&name);
    let parameters = arguments(core, &mut writer);
    let body = writer.right_hand_side(&core.body, core.format)?;
    let result = if body.shape.is_empty() {
        writer.line(format!("return {};", body.text));
        Outcome::Number(body.format)
    } else {
        let known = |size: &String| {
            size.parse::<usize>().is_ok() || parameters.iter().any(|p| p.is_size && p.name == *size)
        };
        if !body.shape.iter().all(known) {
            return Err(Untranslatable::SizeUnknown);
        }
        writer.copy("result", body.format, &body)?;
        Outcome::Array(body.format, body.shape.clone())
    };
    let text = format!(
        "{}\n{{\n{}}}\n",
        signature(&name, &parameters, &result)?,
        writer.finished()
    );
    Ok(Function {
        name,
        text,
        parameters,
        result,
    })
}

/// The C parameters; the writer knows them from then on.
fn arguments<'a>(core: &'a Core, writer: &mut Writer<'a>) -> Vec<Argument> {
    let mut arguments: Vec<Argument> = Vec::new();
    for parameter in &core.parameters {
        let mut shape = Vec::new();
        for dimension in &parameter.dimensions {
            shape.push(match dimension {
                Dimension::Fixed(size) => size.to_string(),
                Dimension::Named(size) => match writer.known(size) {
                    Some(known) => known,
                    None => {
                        let name = writer.parameter(size, Format::Integer, Vec::new());
                        arguments.push(Argument {
                            name: name.clone(),
                            format: Format::Integer,
                            shape: Vec::new(),
                            is_size: true,
                        });
                        name
                    }
                },
            });
        }
        let name = writer.parameter(&parameter.name, parameter.format, shape.clone());
        arguments.push(Argument {
            name,
            format: parameter.format,
            shape,
            is_size: false,
        });
    }
    arguments
}

fn signature(
    name: &str,
    parameters: &[Argument],
    result: &Outcome,
) -> Result<String, Untranslatable> {
    let mut words = Vec::new();
    for parameter in parameters {
        let type_name = type_name(parameter.format)?;
        let name = &parameter.name;
        words.push(if parameter.shape.is_empty() {
            format!("{type_name} {name}")
        } else {
            format!("const {type_name} *{name}")
        });
    }
    let given = match result {
        Outcome::Number(format) => type_name(*format)?,
        Outcome::Array(format, _) => {
            words.push(format!("{} *result", type_name(*format)?));
            "void"
        }
    };
    let words = if words.is_empty() {
        "void".to_owned()
    } else {
        words.join(", ")
    };
    Ok(format!("{given} {name}({words})"))
}
