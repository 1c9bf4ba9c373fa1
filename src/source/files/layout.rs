//! Finds the files of a directory to read, and what the layout of a dump says about their completeness.
#![expect(clippy::disallowed_methods, reason = "this module finds files")]

use super::batch::Expect;
use super::error::{Fault, SourceError};
use crate::model::Kind;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The origin of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Files without a known layout.
    Plain,
    /// The output of `kubectl cluster-info dump --output-directory`.
    ClusterInfo,
    /// The output of `oc adm must-gather` or `oc adm inspect`.
    MustGather,
}

/// What a file contains completely, according to the layout of its directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Covers {
    /// Nothing is known.
    Nothing,
    /// The file contains all objects of that kind, or all of them in that namespace.
    Kind(Kind, Option<String>),
    /// If the file is a typed list, it contains all objects of its kind. If the kind has namespaces, it contains all
    /// objects in that namespace.
    TypedList(Option<String>),
}

impl Covers {
    /// Returns the kind and namespace that a list contains completely, if the layout of its file says so.
    pub(super) fn of_list(&self, expect: &Expect) -> Option<(Kind, Option<String>)> {
        match (expect, self) {
            (Expect::Typed(kind), Self::TypedList(namespace))
                if *kind != Kind::Lease && kind.namespaced() == namespace.is_some() =>
            {
                Some((*kind, namespace.clone()))
            }
            _ => None,
        }
    }
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InputFile {
    pub(super) path: PathBuf,
    pub(super) covers: Covers,
}

/// Returns the files of a directory in the order of their names, and the number of skipped files. Files of a dump with
/// a kind of [`Kind::SURROUNDING`] are skipped unless `surroundings` has the kind.
pub(super) fn find(root: &Path, recursive: bool, surroundings: &[Kind]) -> Result<(Vec<InputFile>, u64), SourceError> {
    let layout = layout(root)?;
    let mut found = Vec::new();
    let mut skipped = 0;
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        let mut below = Vec::new();
        for path in sorted(&directory)? {
            let kind = fs::symlink_metadata(&path).map_err(|error| unreadable(&path, &error))?;
            // Links to directories are not followed, because they could form a cycle.
            if kind.is_dir() {
                if recursive || layout != Layout::Plain {
                    below.push(path);
                }
            } else if !wanted(&path) || !fs::metadata(&path).is_ok_and(|target| target.is_file()) {
                skipped += 1;
            } else {
                match covers(layout, root, &path, surroundings) {
                    Some(covers) => found.push(InputFile { path, covers }),
                    None => skipped += 1,
                }
            }
        }
        waiting.extend(below.into_iter().rev());
    }
    if found.is_empty() {
        return Err(SourceError::new(root.display().to_string(), Fault::NoFiles));
    }
    Ok((found, skipped))
}

/// Returns the layout of a directory. If the directory is a dump, all directories below it are read as well. Otherwise
/// they are read only if the user requests it.
fn layout(root: &Path) -> Result<Layout, SourceError> {
    let gathered =
        |directory: &Path| directory.join("cluster-scoped-resources").is_dir() || directory.join("namespaces").is_dir();
    if gathered(root) {
        return Ok(Layout::MustGather);
    }
    let below: Vec<PathBuf> = sorted(root)?.into_iter().filter(|path| path.is_dir()).collect();
    if below.iter().any(|directory| gathered(directory)) {
        return Ok(Layout::MustGather);
    }
    let namespaces = below.iter().any(|directory| directory.join("pods.json").is_file());
    Ok(if root.join("nodes.json").is_file() && namespaces { Layout::ClusterInfo } else { Layout::Plain })
}

fn sorted(directory: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let entries = fs::read_dir(directory)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<PathBuf>>>());
    let mut entries = entries.map_err(|error| unreadable(directory, &error))?;
    entries.sort();
    Ok(entries)
}

fn unreadable(path: &Path, error: &io::Error) -> SourceError {
    SourceError::new(path.display().to_string(), Fault::Unreadable(error.to_string()))
}

/// Returns whether the name of the file has an extension for JSON or YAML, compressed or not.
fn wanted(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let bare = name.strip_suffix(".gz").unwrap_or(&name);
    [".json", ".yaml", ".yml"].iter().any(|ending| bare.ends_with(ending))
}

/// Returns what a file contains completely. The result is `None` if the file's position in the dump shows that its kind
/// is not read.
fn covers(layout: Layout, root: &Path, path: &Path, surroundings: &[Kind]) -> Option<Covers> {
    let below = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<String> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match layout {
        Layout::Plain => Some(Covers::Nothing),
        Layout::ClusterInfo => match parts.as_slice() {
            [_] => Some(Covers::TypedList(None)),
            [namespace, _] => Some(Covers::TypedList(Some((*namespace).to_owned()))),
            _ => Some(Covers::Nothing),
        },
        Layout::MustGather => gathered(&parts, surroundings),
    }
}

/// Returns what a file of a must-gather contains completely. The result is `None` for a file that is not read.
///
/// A must-gather has thousands of files. The files of the kinds that are read are
/// `cluster-scoped-resources/GROUP/RESOURCE/NAME.yaml` and `namespaces/NAMESPACE/GROUP/RESOURCE.yaml`.
fn gathered(parts: &[&str], surroundings: &[Kind]) -> Option<Covers> {
    let start = parts.iter().position(|part| matches!(*part, "cluster-scoped-resources" | "namespaces"))?;
    let (group, resource, namespace) = match &parts[start..] {
        ["cluster-scoped-resources", group, resource] | ["cluster-scoped-resources", group, resource, _] => {
            (*group, *resource, None)
        }
        ["namespaces", namespace, group, resource] | ["namespaces", namespace, group, resource, _] => {
            (*group, *resource, Some(*namespace))
        }
        _ => return None,
    };
    let resource = resource.split('.').next().unwrap_or_default();
    let kind = Kind::listed().filter(|kind| kind.is_asked(surroundings)).find(|kind| kind.resource() == resource)?;
    let expected = kind.api_version().split_once('/').map_or("core", |(group, _)| group);
    let fits = group == expected && kind.namespaced() == namespace.is_some();
    fits.then(|| Covers::Kind(kind, namespace.map(str::to_owned)))
}
