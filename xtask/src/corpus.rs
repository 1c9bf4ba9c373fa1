//! Reads and writes files of lines: the recordings of `tests/conformance`, and single cases that a differential run
//! found.

use crate::line::Line;
use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use pvctl::controllers::{KubeVersion, KubernetesBehavior};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Returns all recorded files below a folder, in the order of their paths.
///
/// # Errors
/// Returns an error if the folder cannot be read.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| format!("{}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if [".jsonl", ".jsonl.gz"].iter().any(|end| path.to_string_lossy().ends_with(end)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the behavior of the Kubernetes version at the end of the file's name, such as `decisions-1.36.3.jsonl.gz`.
///
/// # Errors
/// Returns an error if the name has no version, or if the version is not modelled.
pub fn behavior_of(path: &Path) -> Result<KubernetesBehavior> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let minor = name.rsplit_once("-1.").and_then(|(_, rest)| rest.split('.').next());
    let minor = minor.with_context(|| format!("{}: the name has no version", path.display()))?;
    let version = KubeVersion::parse(&format!("1.{minor}"));
    Ok(KubernetesBehavior::of(version.with_context(|| format!("{}: 1.{minor} is not modelled", path.display()))?))
}

/// Returns the lines of a file, which is compressed if its name ends with `.gz`.
///
/// # Errors
/// Returns an error if the file cannot be read or a line cannot be decoded.
pub fn lines(path: &Path) -> Result<impl Iterator<Item = Result<Line>> + use<>> {
    let file = path.to_owned();
    Ok(texts(path)?.enumerate().map(move |(place, text)| line(&file, place + 1, &text?)))
}

/// Returns the lines of a file as texts. The caller decodes them.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub(crate) fn texts(path: &Path) -> Result<impl Iterator<Item = Result<String>> + use<>> {
    let file = File::open(path).with_context(|| format!("{}", path.display()))?;
    let reader: Box<dyn Read + Send> =
        if is_compressed(path) { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let path = path.to_owned();
    Ok(BufReader::new(reader).lines().map(move |text| text.with_context(|| format!("{}", path.display()))))
}

/// Decodes a line of a file. `number` is the number of the line in the file, counted from 1.
///
/// # Errors
/// Returns an error if the text is not a line.
pub(crate) fn line(path: &Path, number: usize, text: &str) -> Result<Line> {
    serde_json::from_str(text).with_context(|| format!("{}, line {number}", path.display()))
}

/// Writes lines into a file, compressed if its name ends with `.gz`.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write(path: &Path, lines: &[Line]) -> Result<()> {
    let mut out = BufWriter::new(File::create(path).with_context(|| format!("{}", path.display()))?);
    if is_compressed(path) {
        let mut compressed = GzEncoder::new(&mut out, Compression::best());
        write_to(&mut compressed, lines)?;
        compressed.finish()?;
    } else {
        write_to(&mut out, lines)?;
    }
    out.flush()?;
    Ok(())
}

fn write_to(out: &mut impl Write, lines: &[Line]) -> Result<()> {
    for line in lines {
        serde_json::to_writer(&mut *out, line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "gz")
}
