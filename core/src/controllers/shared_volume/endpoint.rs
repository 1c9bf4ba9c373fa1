//! The endpoint of a shared volume: an address and a port in one text.

use crate::model::Str;

/// Why a text is no endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointError {
    /// The text has no port.
    MissingPort,
    /// The address has a colon, but no brackets.
    TooManyColons,
    /// A bracket is opened and not closed.
    MissingBracket,
    /// A bracket is opened where none is allowed.
    UnexpectedOpeningBracket,
    /// A bracket is closed where none is allowed.
    UnexpectedClosingBracket,
    /// The port is no decimal number.
    InvalidPort,
}

/// Splits an endpoint into its address and its port. The address may be empty, a name, or have a zone. It is not
/// checked. Upstream: `SplitAddressPort`, api-manager v1.2.16, which calls `net.SplitHostPort` and `strconv.Atoi`.
///
/// # Errors
/// Returns an error if the text cannot be split, or if the port is no number.
pub fn split_address_port(endpoint: &str) -> Result<(Str, i64), EndpointError> {
    let (address, port) = split_host_port(endpoint)?;
    // Both Go and Rust accept a sign, and neither accepts blanks or underscores.
    Ok((address.into(), port.parse().map_err(|_| EndpointError::InvalidPort)?))
}

/// Upstream: `SplitHostPort` of Go's package `net`.
fn split_host_port(endpoint: &str) -> Result<(&str, &str), EndpointError> {
    let (before, port) = endpoint.rsplit_once(':').ok_or(EndpointError::MissingPort)?;
    let (address, rest) = match endpoint.strip_prefix('[') {
        Some(inside) => {
            let (address, after) = inside.split_once(']').ok_or(EndpointError::MissingBracket)?;
            match after.strip_prefix(':') {
                Some(text) if !text.contains(':') => (address, after),
                Some(_) => return Err(EndpointError::TooManyColons),
                None => return Err(EndpointError::MissingPort),
            }
        }
        None if before.contains(':') => return Err(EndpointError::TooManyColons),
        None => (before, endpoint),
    };
    // The first bracket of each kind is left out if the text begins with one.
    if address.contains('[') || rest.contains('[') {
        return Err(EndpointError::UnexpectedOpeningBracket);
    }
    if rest.contains(']') {
        return Err(EndpointError::UnexpectedClosingBracket);
    }
    Ok((address, port))
}
