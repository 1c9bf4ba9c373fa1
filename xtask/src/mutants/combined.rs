//! Many mutants in one program. Each changed function contains its original body and a changed body for each of its
//! mutants, and the environment chooses one of them. So the project is compiled once, and not once for each mutant.

use super::{Mutant, Place, Span, Tree};
use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The variable that chooses a mutant by its number. Without it, nothing is changed.
pub(super) const CHOICE: &str = "PVCTL_MUTANT";

/// The file of the core that gets the function which says whether a mutant is chosen.
const ROOT: &str = "core/src/lib.rs";

/// Returns the function which says whether a mutant is chosen.
fn choose() -> String {
    format!(
        "
pub(crate) fn is_mutant(number: usize) -> bool {{
    static CHOSEN: std::sync::LazyLock<Option<usize>> =
        std::sync::LazyLock::new(|| std::env::var(\"{CHOICE}\").ok().and_then(|number| number.parse().ok()));
    *CHOSEN == Some(number)
}}
"
    )
}

/// A program with many mutants.
pub(super) struct Combined {
    /// The program.
    pub(super) test: PathBuf,
    /// The numbers of its mutants: their places in the list.
    numbers: BTreeSet<usize>,
}

/// The changed bodies in a file: for each mutant its number and the lines of its body.
type Lines = Vec<(usize, Range<usize>)>;

impl Combined {
    /// Builds a program with those of the first `count` mutants that compile together. The files of the tree are
    /// changed.
    pub(super) fn build(tree: &Tree, all: &[Mutant], count: usize) -> Result<Self> {
        let mutants = all.get(..count).unwrap_or(all);
        let mut texts = BTreeMap::new();
        for mutant in mutants {
            if !texts.contains_key(&mutant.file) {
                texts.insert(mutant.file.clone(), fs::read_to_string(tree.root.join(&mutant.file))?);
            }
        }
        let mut numbers: BTreeSet<usize> = (0..mutants.len()).collect();
        let root = tree.root.join(ROOT);
        let with_choice = fs::read_to_string(&root)? + &choose();
        fs::write(&root, with_choice)?;
        loop {
            let mut lines: BTreeMap<&Path, Lines> = BTreeMap::new();
            let mut written = BTreeSet::new();
            for (file, text) in &texts {
                let own = |number: &usize| mutants.get(*number).filter(|mutant| mutant.file == *file);
                let of_file: Vec<(usize, &Mutant)> =
                    numbers.iter().filter_map(|number| Some((*number, own(number)?))).collect();
                let (combined, of_lines) = combine(text, &of_file, all);
                written.extend(of_lines.iter().map(|(number, _)| *number));
                lines.insert(file, of_lines);
                fs::write(tree.root.join(file), combined)?;
            }
            numbers = written;
            let wrong = wrong(&tree.check()?, &lines)?;
            if wrong.is_empty() {
                break;
            }
            numbers.retain(|number| !wrong.contains(number));
        }
        let test = tree.build()?.context("the combined mutants compile, but the program with them does not")?;
        Ok(Self { test, numbers })
    }

    /// Returns whether the program has this mutant.
    pub(super) fn has(&self, number: usize) -> bool {
        self.numbers.contains(&number)
    }

    /// Returns the number of its mutants.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// Returns the mutants whose bodies do not compile. If the error is elsewhere, all mutants of the file are returned.
fn wrong(errors: &[Value], lines: &BTreeMap<&Path, Lines>) -> Result<BTreeSet<usize>> {
    let mut wrong = BTreeSet::new();
    for error in errors {
        let spans = error["message"]["spans"].as_array().into_iter().flatten();
        let primary: Vec<&Value> = spans.filter(|span| span["is_primary"] == true).collect();
        let Some(span) = primary.first() else { continue };
        let (file, line) = (span["file_name"].as_str().unwrap_or_default(), span["line_start"].as_u64());
        let line = usize::try_from(line.unwrap_or_default())?;
        let Some((_, of_file)) = lines.iter().find(|(path, _)| Path::new(file).ends_with(path) || path.ends_with(file))
        else {
            bail!("an error in a file without mutants: {}", error["message"]["rendered"]);
        };
        let own: Vec<usize> =
            of_file.iter().filter(|(_, lines)| lines.contains(&line)).map(|(number, _)| *number).collect();
        if own.is_empty() {
            wrong.extend(of_file.iter().map(|(number, _)| *number));
        } else {
            wrong.extend(own);
        }
    }
    Ok(wrong)
}

/// Returns the text with all mutants that are inside of a function. Mutants of constants are left out, and so are those
/// of functions that return an opaque type, because all bodies of a function have to return the same type.
fn combine(text: &str, mutants: &[(usize, &Mutant)], all: &[Mutant]) -> (String, Lines) {
    let mut bodies: Vec<Range<usize>> = Vec::new();
    for (_, mutant) in mutants {
        let Some(body) = body(text, all, mutant) else { continue };
        if !bodies.contains(&body) {
            bodies.push(body);
        }
    }
    // A function inside of another one is a part of its body.
    bodies.sort_by_key(|body| (body.start, std::cmp::Reverse(body.end)));
    let mut outer: Vec<Range<usize>> = Vec::new();
    for body in bodies {
        if outer.last().is_none_or(|last| body.start >= last.end) {
            outer.push(body);
        }
    }
    let (mut combined, mut lines, mut done) = (String::new(), Lines::new(), 0);
    for body in outer {
        let Some(original) = text.get(body.clone()) else { continue };
        combined.push_str(text.get(done..body.start).unwrap_or_default());
        for (number, mutant) in mutants {
            let Some(change) = range(text, mutant.span) else { continue };
            let is_inside = body.start <= change.start && change.end <= body.end;
            let Some((before, after)) = text.get(body.start..change.start).zip(text.get(change.end..body.end)) else {
                continue;
            };
            if !is_inside {
                continue;
            }
            let first = combined.matches('\n').count() + 2;
            _ = write!(combined, "if crate::is_mutant({number}) {{\n{before}{}{after}\n}} else ", mutant.replacement);
            lines.push((*number, first..combined.matches('\n').count() + 1));
        }
        _ = write!(combined, "{{\n{original}\n}}");
        done = body.end;
    }
    combined.push_str(text.get(done..).unwrap_or_default());
    (combined, lines)
}

/// Returns the statements of the function that a mutant changes. One of all mutants replaces all of them.
fn body(text: &str, all: &[Mutant], mutant: &Mutant) -> Option<Range<usize>> {
    let function = mutant.function.as_ref()?;
    let item = text.get(range(text, function.span)?)?;
    if function.return_type.contains("impl ") || item.contains("const fn ") {
        return None;
    }
    let replaces_all = |other: &&Mutant| {
        other.genre == "FnValue" && other.file == mutant.file && other.function.as_ref() == Some(function)
    };
    range(text, all.iter().find(replaces_all)?.span)
}

/// Returns the bytes of a span.
fn range(text: &str, span: Span) -> Option<Range<usize>> {
    Some(at(text, span.start)?..at(text, span.end)?)
}

/// Returns the byte at a place. Returns `None` if the text has no such place.
pub(super) fn at(text: &str, place: Place) -> Option<usize> {
    let line: usize = text.split_inclusive('\n').take(place.line.checked_sub(1)?).map(str::len).sum();
    let column = text.get(line..)?.char_indices().nth(place.column.checked_sub(1)?)?.0;
    Some(line + column)
}

#[cfg(test)]
mod tests {
    use super::super::Function;
    use super::*;

    const TEXT: &str =
        "const A: u8 = 1 + 1;\n\n/// Text.\nfn f(a: u8) -> bool {\n    a < 2\n}\n\nfn g() {\n    f(1);\n}\n";

    fn span(start: (usize, usize), end: (usize, usize)) -> Span {
        let place = |(line, column)| Place { line, column };
        Span { start: place(start), end: place(end) }
    }

    fn mutant(genre: &str, whole: Option<Span>, span: Span, replacement: &str) -> Mutant {
        Mutant {
            name: replacement.to_owned(),
            file: PathBuf::from("f.rs"),
            span,
            replacement: replacement.to_owned(),
            genre: genre.to_owned(),
            function: whole.map(|span| Function { return_type: String::new(), span }),
        }
    }

    /// Returns the mutants of a text: one of a constant, and three of two functions.
    fn all() -> Vec<Mutant> {
        let (f, g) = (span((3, 1), (6, 2)), span((8, 1), (10, 2)));
        vec![
            mutant("BinaryOperator", None, span((1, 17), (1, 18)), "-"),
            mutant("FnValue", Some(f), span((5, 5), (5, 10)), "true"),
            mutant("BinaryOperator", Some(f), span((5, 7), (5, 8)), "=="),
            mutant("FnValue", Some(g), span((9, 5), (9, 10)), "()"),
        ]
    }

    #[test]
    fn a_function_has_its_own_body_and_those_of_its_mutants() {
        let all = all();
        let numbered: Vec<(usize, &Mutant)> = all.iter().enumerate().collect();
        let (text, lines) = combine(TEXT, &numbered, &all);
        assert_eq!(
            text,
            "const A: u8 = 1 + 1;\n\n/// Text.\nfn f(a: u8) -> bool {\n    \
             if crate::is_mutant(1) {\ntrue\n} else if crate::is_mutant(2) {\na == 2\n} else {\na < 2\n}\n}\n\n\
             fn g() {\n    if crate::is_mutant(3) {\n()\n} else {\nf(1);\n}\n}\n"
        );
        let line = |range: &Range<usize>| text.lines().nth(range.start - 1).unwrap_or_default().to_owned();
        let found: Vec<(usize, String)> = lines.iter().map(|(number, lines)| (*number, line(lines))).collect();
        assert_eq!(found, [(1, "true".to_owned()), (2, "a == 2".to_owned()), (3, "()".to_owned())]);
    }

    #[test]
    fn an_error_is_that_of_the_mutant_on_its_line() -> Result<()> {
        let lines = BTreeMap::from([(Path::new("core/f.rs"), vec![(1, 6..7), (2, 8..10)])]);
        let error = |line: u64| {
            let span = serde_json::json!({"is_primary": true, "file_name": "core/f.rs", "line_start": line});
            serde_json::json!({"message": {"spans": [span]}})
        };
        assert_eq!(wrong(&[error(9)], &lines)?, BTreeSet::from([2]));
        assert_eq!(wrong(&[error(3)], &lines)?, BTreeSet::from([1, 2]));
        assert_eq!(wrong(&[], &lines)?, BTreeSet::new());
        Ok(())
    }
}
