//! The files of journals: who may have written them, and which of them a run is using.
#![expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "a journal is a file")]

use super::super::error::Stopped;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::Path;
#[cfg(unix)]
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

pub(super) fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Stopped {
    Stopped::refused(format!("the journal {} cannot {what}", path.display()))
        .cause(error.to_string())
        .hint("--journal names a directory for it")
}

/// The number of attempts to lock a file, and the pause between two attempts. A child process that is just starting,
/// such as a credential program, holds the open files of its parent for a short time. So it also holds a lock that the
/// parent has already released. Such a lock ends within this time.
const LOCKED: (u32, Duration) = (20, Duration::from_millis(10));

pub(super) fn lock(file: &File, path: &Path) -> Result<(), Stopped> {
    let (mut tries, pause) = LOCKED;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if tries > 0 => {
                tries -= 1;
                std::thread::sleep(pause);
            }
            Err(TryLockError::WouldBlock) => {
                return Err(Stopped::refused(format!("another run uses the journal {}", path.display()))
                    .hint("wait until it ends; it may be waiting for the controllers"));
            }
            Err(TryLockError::Error(error)) => return Err(cannot("be locked", path, &error)),
        }
    }
}

/// Creates the directory and its missing parents. Only the owner can access them. Each directory is synced, so that it
/// still exists after a crash.
pub(super) fn make_dir(dir: &Path) -> std::io::Result<()> {
    let missing: Vec<&Path> =
        dir.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.is_dir()).collect();
    for path in missing.into_iter().rev() {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(path) {
            // Another run has created the directory in the meantime.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => {}
            made => made?,
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        sync_dir(parent.unwrap_or(Path::new(".")))?;
    }
    Ok(())
}

/// Checks that nobody else can have written a journal. A journal decides what is written to a cluster, so only a
/// trusted journal is continued.
#[cfg_attr(not(unix), expect(clippy::unnecessary_wraps, unused_variables, reason = "elsewhere there are no modes"))]
pub(super) fn ours(dir: &Path, path: &Path, file: &File) -> Result<(), Stopped> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let user = private(dir)?;
        let named = std::fs::symlink_metadata(path).map_err(|error| cannot("be read", path, &error))?;
        let opened = file.metadata().map_err(|error| cannot("be read", path, &error))?;
        let way_out = format!("chmod 600 {}, if its content is from you", path.display());
        if named.is_symlink() || (named.dev(), named.ino()) != (opened.dev(), opened.ino()) {
            return Err(distrusted(
                path,
                "it is a symbolic link",
                "use --journal with the directory that has the file itself",
            ));
        }
        if opened.uid() != user {
            return Err(distrusted(
                path,
                &of_another(opened.uid(), user),
                "only the user who created a journal can continue it",
            ));
        }
        if opened.mode() & 0o077 != 0 {
            let mode = format!(
                "its mode is {:04o}, but only its owner may have the right to read and write it",
                opened.mode() & 0o7777
            );
            return Err(distrusted(path, &mode, &way_out));
        }
    }
    Ok(())
}

/// Checks that nobody else can create files in a directory. Returns the user id of this process.
#[cfg(unix)]
pub(super) fn private(dir: &Path) -> Result<u32, Stopped> {
    use std::os::unix::fs::MetadataExt;
    let named = std::fs::symlink_metadata(dir).map_err(|error| cannot("be read", dir, &error))?;
    if named.is_symlink() {
        return Err(distrusted(dir, "it is a symbolic link", "use --journal with the directory itself"));
    }
    let user = user(dir)?;
    if named.uid() != user {
        let hint = "use --journal with a directory of your own";
        return Err(distrusted(dir, &of_another(named.uid(), user), hint));
    }
    if named.mode() & 0o022 != 0 {
        let mode =
            format!("its mode is {:04o}, but only its owner may have the right to write to it", named.mode() & 0o7777);
        return Err(distrusted(dir, &mode, &format!("chmod go-w {}", dir.display())));
    }
    Ok(user)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there are no modes")]
pub(super) fn private(_: &Path) -> Result<u32, Stopped> {
    Ok(0)
}

/// Returns the user id of this process: the owner of any file that the process creates.
#[cfg(unix)]
fn user(dir: &Path) -> Result<u32, Stopped> {
    use std::os::unix::fs::MetadataExt;
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = dir.join(format!(".owner-{}-{number}", std::process::id()));
    // An earlier process with the same process id may have left the file behind.
    let _ = std::fs::remove_file(&path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    owner_only(&mut options);
    let made = options.open(&path).and_then(|file| file.metadata());
    let _ = std::fs::remove_file(&path);
    made.map(|made| made.uid()).map_err(|error| cannot("be written", dir, &error))
}

#[cfg(unix)]
fn of_another(owner: u32, user: u32) -> String {
    format!("it belongs to the user with id {owner}, but your id is {user}")
}

#[cfg(unix)]
fn distrusted(path: &Path, why: &str, hint: &str) -> Stopped {
    Stopped::refused(format!("the journal {} is not trusted", path.display())).cause(why).hint(hint)
}

#[cfg_attr(not(unix), expect(unused_variables, reason = "elsewhere a file has the rights of its directory"))]
pub(super) fn owner_only(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

/// Syncs a directory, so that a new file in it still exists after a crash.
#[cfg_attr(
    not(unix),
    expect(clippy::unnecessary_wraps, unused_variables, reason = "elsewhere directories are not opened")
)]
pub(super) fn sync_dir(dir: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    File::open(dir)?.sync_all()?;
    Ok(())
}
