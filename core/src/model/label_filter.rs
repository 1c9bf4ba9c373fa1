//! The label filters of the command line: the syntax of `kubectl -l`.
//!
//! The rules and the texts of the errors are those of `labels.Parse` in apimachinery 0.36.3.

use super::selector::{Comparison, ListForm, SelectorError, check, invalid_key};
use super::{Str, label};

/// A filter of objects by their labels. All of its requirements must hold. The default has no requirement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelFilter {
    requirements: Box<[Requirement]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: Str,
    comparison: Comparison,
    /// The values, sorted and without duplicates.
    values: Box<[Str]>,
}

impl LabelFilter {
    /// Returns whether all requirements hold for these labels, which are sorted by key.
    pub fn matches(&self, labels: &[(Str, Str)]) -> bool {
        self.requirements.iter().all(|part| part.comparison.holds(label(labels, &part.key), &part.values))
    }
}

/// Parses `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, `a>1` and `a<1`, with commas between them.
///
/// # Errors
/// Returns an error if `labels.Parse` refuses the text. The error has upstream's text.
pub fn parse_label_filter(text: &str) -> Result<LabelFilter, SelectorError> {
    let mut parser = Parser { tokens: tokens(text), position: 0 };
    parser.filter().map(|requirements| LabelFilter { requirements: requirements.into() })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    End,
    /// One of `( ) , ! = == != < >`.
    Sign(&'a str),
    /// A key or a value. `in` and `notin` are words as well. They are operators only where the parser expects an
    /// operator.
    Word(&'a str),
}

impl<'a> Token<'a> {
    fn text(self) -> &'a str {
        match self {
            Self::End => "",
            Self::Sign(text) | Self::Word(text) => text,
        }
    }
}

/// Splits the text into tokens. The last token is [`Token::End`]. As in upstream, a NUL ends the token before it. If
/// no token has begun, a NUL ends the whole text.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let sign = |byte: u8| b"=!(),><".contains(&byte);
    let space = |byte: u8| b" \t\r\n".contains(&byte);
    let mut tokens = Vec::new();
    let mut position = 0;
    loop {
        while bytes.get(position).copied().is_some_and(space) {
            position += 1;
        }
        let start = position;
        match bytes.get(start).copied() {
            None | Some(0) => {
                tokens.push(Token::End);
                return tokens;
            }
            Some(first) if sign(first) => {
                let double = matches!(first, b'=' | b'!') && bytes.get(start + 1) == Some(&b'=');
                position += if double { 2 } else { 1 };
                tokens.push(Token::Sign(&text[start..position]));
            }
            Some(_) => {
                let ends = |byte: &u8| *byte == 0 || sign(*byte) || space(*byte);
                position = bytes[start..].iter().position(ends).map_or(bytes.len(), |length| start + length);
                tokens.push(Token::Word(&text[start..position]));
            }
        }
        if bytes.get(position) == Some(&0) {
            position += 1;
        }
    }
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    position: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens.get(self.position).copied().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.position += 1;
        token
    }

    fn filter(&mut self) -> Result<Vec<Requirement>, SelectorError> {
        let mut requirements = Vec::new();
        loop {
            match self.peek() {
                Token::End => return Ok(requirements),
                Token::Word(_) | Token::Sign("!") => {
                    let requirement = self.requirement().map_err(|SelectorError(error)| {
                        SelectorError(format!("unable to parse requirement: {error}"))
                    })?;
                    requirements.push(requirement);
                }
                other @ Token::Sign(_) => return Err(found(other, ", expected: !, identifier, or 'end of string'")),
            }
            match self.next() {
                Token::End => return Ok(requirements),
                Token::Sign(",") => match self.peek() {
                    Token::Word(_) | Token::Sign("!") => {}
                    other => return Err(found(other, ", expected: identifier after ','")),
                },
                other => return Err(found(other, ", expected: ',' or 'end of string'")),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, SelectorError> {
        let negated = self.peek() == Token::Sign("!");
        if negated {
            self.position += 1;
        }
        let key = match self.next() {
            Token::Word(key) => key,
            other => return Err(found(other, ", expected: identifier")),
        };
        // Upstream has no field path here and prints `<nil>` instead.
        if let Some(error) = invalid_key("<nil>", key) {
            return Err(SelectorError(error));
        }
        let (comparison, mut values) = match self.peek() {
            _ if negated => (Comparison::DoesNotExist, Vec::new()),
            Token::End | Token::Sign(",") => (Comparison::Exists, Vec::new()),
            _ => self.comparison()?,
        };
        values.sort_unstable();
        values.dedup();
        check(key, comparison, &values, ListForm::Json)?;
        Ok(Requirement { key: key.into(), comparison, values: values.into() })
    }

    fn comparison(&mut self) -> Result<(Comparison, Vec<Str>), SelectorError> {
        let comparison = match self.next() {
            Token::Word("in") => Comparison::In,
            Token::Word("notin") => Comparison::NotIn,
            Token::Sign("=" | "==") => Comparison::Equals,
            Token::Sign("!=") => Comparison::NotEquals,
            Token::Sign(">") => Comparison::GreaterThan,
            Token::Sign("<") => Comparison::LessThan,
            other => return Err(found(other, ", expected: in, notin, =, ==, !=, gt, lt")),
        };
        let values = match comparison {
            Comparison::In | Comparison::NotIn => self.list()?,
            _ => vec![self.value()?],
        };
        Ok((comparison, values))
    }

    fn value(&mut self) -> Result<Str, SelectorError> {
        if let Token::End | Token::Sign(",") = self.peek() {
            return Ok(Str::default());
        }
        match self.next() {
            Token::Word(value) => Ok(value.into()),
            other => Err(found(other, ", expected: identifier")),
        }
    }

    /// Parses the values in parentheses. If there is no value before or after a comma, an empty value is added.
    fn list(&mut self) -> Result<Vec<Str>, SelectorError> {
        match self.next() {
            Token::Sign("(") => {}
            other => return Err(found(other, " expected: '('")),
        }
        match self.peek() {
            Token::Word(_) | Token::Sign("," | ")") => {}
            other => return Err(found(other, ", expected: ',', ')' or identifier")),
        }
        let mut values = Vec::new();
        // Whether a value should follow: at the beginning and after a comma.
        let mut open = true;
        loop {
            match self.next() {
                Token::Word(value) if open => {
                    values.push(value.into());
                    open = false;
                }
                Token::Sign(",") => {
                    if open {
                        values.push(Str::default());
                    }
                    open = true;
                }
                Token::Sign(")") => {
                    if open {
                        values.push(Str::default());
                    }
                    return Ok(values);
                }
                other if open => return Err(found(other, ", expected: ',', or identifier")),
                other => return Err(found(other, ", expected: ',' or ')'")),
            }
        }
    }
}

fn found(token: Token<'_>, expected: &str) -> SelectorError {
    SelectorError(format!("found '{}'{expected}", token.text()))
}
