//! The formats of one answer: at most one on stdout, the others in files. A file gets the whole answer or is not
//! changed.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "this module writes the files that the flags name"
)]

use crate::cli::Output;
use crate::error::Error;
use crate::report::shared::format::Format;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// Where an answer is printed, and in which formats.
#[derive(Debug)]
pub(in crate::commands) struct Outputs<F> {
    /// The format on stdout. It is `None` if all formats have files.
    pub(in crate::commands) stdout: Option<F>,
    files: Vec<Target<F>>,
}

/// A file to which the answer is written.
#[derive(Debug)]
struct Target<F> {
    format: F,
    /// The path with its symbolic links resolved. So the file itself is replaced, and not a link to it.
    path: PathBuf,
    /// The flag, for messages.
    flag: String,
}

impl<F: Format> Outputs<F> {
    /// Checks, before anything is read, that the answer can be written to stdout and to each file that the flags name.
    ///
    /// # Errors
    /// Returns a usage error if two formats are for stdout or for the same file, or if a file cannot be written.
    pub(in crate::commands) fn new(given: &[Output<F>]) -> Result<Self, Error> {
        let mut outputs = Self { stdout: None, files: Vec::new() };
        for Output { format, file } in given {
            match (file, outputs.stdout) {
                (None, None) => outputs.stdout = Some(*format),
                (None, Some(other)) => {
                    let (one, other) = (other.word(), format.word());
                    return Err(Error::usage(format!("-o {one} and -o {other} would both be printed to stdout"))
                        .hint(format!("give one of them a file: -o {other}=FILE")));
                }
                (Some(file), _) => outputs.add(*format, file)?,
            }
        }
        Ok(outputs)
    }

    /// Returns the formats.
    pub(in crate::commands) fn formats(&self) -> impl Iterator<Item = F> {
        self.stdout.into_iter().chain(self.files.iter().map(|target| target.format))
    }

    fn add(&mut self, format: F, file: &Path) -> Result<(), Error> {
        let flag = format!("-o {}={}", format.word(), file.display());
        let path = writable(file).map_err(|failure| {
            Error::usage(format!("{flag}: the file cannot be written")).cause(failure.to_string())
        })?;
        if let Some(other) = self.files.iter().find(|other| other.path == path) {
            return Err(Error::usage(format!("{} and {flag} name the same file", other.flag))
                .hint("each format needs a file of its own"));
        }
        self.files.push(Target { format, path, flag });
        Ok(())
    }

    /// Writes the files. `render` prints the answer in a format. No file is replaced before the new content of each
    /// file is on the disk.
    ///
    /// # Errors
    /// Returns the error of `render`, or an error that names the file that could not be written.
    pub(in crate::commands) fn write_files(
        &self,
        mut render: impl FnMut(F, &mut dyn FnMut(&str) -> Result<(), Error>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut drafts = Vec::with_capacity(self.files.len());
        for target in &self.files {
            let failed = |failure: io::Error| target.failed(&failure);
            let mut draft = Draft::new(&target.path).map_err(failed)?;
            render(target.format, &mut |text| draft.file.write_all(text.as_bytes()).map_err(failed))?;
            draft.finish().map_err(failed)?;
            drafts.push(draft);
        }
        for (draft, target) in drafts.iter().zip(&self.files) {
            fs::rename(&draft.path, &target.path).map_err(|failure| target.failed(&failure))?;
        }
        Ok(())
    }
}

impl<F> Target<F> {
    fn failed(&self, failure: &io::Error) -> Error {
        Error::unreadable(format!("{}: the file could not be written", self.flag)).cause(failure.to_string())
    }
}

/// The new content of a file, in a temporary file in the same directory. The temporary file is deleted unless it is
/// renamed to the file.
struct Draft {
    path: PathBuf,
    target: PathBuf,
    file: BufWriter<File>,
}

impl Draft {
    fn new(target: &Path) -> io::Result<Self> {
        let directory = target.parent().unwrap_or(Path::new("."));
        // The length of the name does not depend on the name of the file, which may be as long as the system permits.
        let paths = (0_u32..).map(|number| directory.join(format!(".pvctl-{}-{number}.tmp", std::process::id())));
        for path in paths {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(failure) if failure.kind() == io::ErrorKind::AlreadyExists => {}
                opened => return Ok(Self { path, target: target.to_owned(), file: BufWriter::new(opened?) }),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Writes the rest to the disk. The new file gets the permissions of the file that it replaces.
    fn finish(&mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Ok(known) = fs::metadata(&self.target) {
            self.file.get_ref().set_permissions(known.permissions())?;
        }
        self.file.get_ref().sync_all()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After the renaming there is nothing to delete.
        _ = fs::remove_file(&self.path);
    }
}

/// Returns the path of a file, with its symbolic links resolved, if the file can be written. The file is not changed.
fn writable(file: &Path) -> io::Result<PathBuf> {
    let path = match fs::canonicalize(file) {
        Ok(path) => {
            if !fs::metadata(&path)?.is_file() {
                let what = if path.is_dir() { "it is a directory" } else { "it is not a regular file" };
                return Err(io::Error::other(what));
            }
            OpenOptions::new().append(true).open(&path)?;
            path
        }
        Err(failure) if failure.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(file).is_ok() {
                return Err(io::Error::other("it is a symbolic link to a file that does not exist"));
            }
            let name =
                file.file_name().ok_or_else(|| io::Error::other("the path does not end with the name of a file"))?;
            let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
            let parent = fs::canonicalize(parent.unwrap_or(Path::new(".")));
            let missing = |_| io::Error::new(io::ErrorKind::NotFound, "its directory does not exist");
            parent.map_err(missing)?.join(name)
        }
        Err(failure) => return Err(failure),
    };
    // A draft tests whether files can be created in the directory. The draft is deleted immediately.
    Draft::new(&path).map(|_| path)
}
