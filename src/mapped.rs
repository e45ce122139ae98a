//! Files in memory, what is said when one is lost, memory that nobody needs any more, and signals that are ignored: the only
//! unsafe code there is. And files as a whole.

#![allow(unsafe_code)]

use memmap2::{Mmap, MmapMut, MmapOptions};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Maps a file. An empty one cannot be mapped and stands as an empty map.
///
/// # Errors
/// What the system says.
pub fn map(file: &File) -> io::Result<Mmap> {
    if file.metadata()?.len() == 0 {
        return MmapOptions::new()
            .map_anon()
            .and_then(MmapMut::make_read_only);
    }
    // SAFETY: the file is only read. Index folders are written once and renamed into place, never changed in place;
    // whoever cuts one short under a running program ends it, see [`when_lost`].
    unsafe { Mmap::map(file) }
}

/// The bytes of a file that a person did not name in this very call: to read a pipe in its place would wait for whoever
/// writes into it, and a device may have no end.
///
/// # Errors
/// What the system says, and what is no regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    match std::fs::metadata(path)?.is_file() {
        true => std::fs::read(path),
        false => Err(io::Error::other("no regular file")),
    }
}

/// What is taken at most of what does not say how much there is: a pipe, a device, a line.
pub const UNSIZED: u64 = 1 << 29;

/// Opens a file that a person named. Whoever is to write into a named pipe has a while to begin; what `<(command)` names is
/// none, its writer is there before.
///
/// # Errors
/// What the system says, and a pipe that nobody writes into.
pub fn open(path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let named = std::fs::canonicalize(path).and_then(std::fs::symlink_metadata);
        if named.is_ok_and(|named| named.file_type().is_fifo()) {
            let (sender, opened) = std::sync::mpsc::channel();
            let path = path.to_owned();
            // The system waits for a writer, and cannot be stopped from it: the thread ends with the program.
            std::thread::spawn(move || sender.send(File::open(path)));
            return opened.recv_timeout(PATIENCE).unwrap_or_else(|_| {
                let said = "a pipe, and nobody writes into it; start that before, or name a file";
                Err(io::Error::other(said))
            });
        }
    }
    File::open(path)
}

/// How long is waited for somebody to write into a pipe.
#[cfg(unix)]
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

/// The bytes of a file that a person named, which may be a pipe.
///
/// # Errors
/// What the system says, and what is no regular file and does not end.
pub fn given(path: &Path) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let sized = file.metadata()?.is_file();
    whole(file, sized)
}

/// All bytes of what was opened; of a pipe or a device, whose size nobody knows, at most [`UNSIZED`].
///
/// # Errors
/// What the system says, and what does not end.
pub fn whole(mut file: impl Read, sized: bool) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if sized {
        file.read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    file.take(UNSIZED + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > UNSIZED {
        true => Err(io::Error::other(
            "no regular file, and half a gigabyte is not all of it; name a file",
        )),
        false => Ok(bytes),
    }
}

/// As [`given`], of a text.
///
/// # Errors
/// As [`given`], and what is no UTF-8.
pub fn given_text(path: &Path) -> io::Result<String> {
    String::from_utf8(given(path)?).map_err(|said| io::Error::new(io::ErrorKind::InvalidData, said))
}

/// What the program says and gives back before it ends, where a mapped file was cut short or its disk went away: to read
/// such a place is no error that a program can go on from. `last_words` must not wait for another thread's work.
#[cfg(unix)]
pub fn when_lost(last_words: fn()) {
    use signal_hook::{consts::SIGBUS, low_level};
    let end = move || {
        last_words();
        low_level::exit(2)
    };
    // SAFETY: the signal comes to the thread that reads a column, in the place of the read, so it interrupts neither an
    // allocation nor a lock of this program; and the thread does not go on.
    let _ = unsafe { low_level::register(SIGBUS, end) };
}

/// Only Unix tells.
#[cfg(not(unix))]
pub fn when_lost(_: fn()) {}

/// Whether this signal is ignored, as whoever started the program may have left it: `nohup` does a hang-up.
#[cfg(unix)]
pub fn ignores(signal: i32) -> bool {
    // SAFETY: an action is plain data, for which zeros are fine; without a new one the call only tells the one there is.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// From now on threads share as many heaps as there are cores. Without this every thread of an explorer, of which few work
/// at once, comes to keep a heap of its own of freed memory.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn share_heaps() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // SAFETY: sets a number of the allocator, which takes it at any time.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, cores.try_into().unwrap_or(i32::MAX)) };
}

/// Gives freed memory back to the system. Takes milliseconds: for a thread that nobody waits for.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn give_back() {
    // SAFETY: looks at nothing but what is free already.
    unsafe { libc::malloc_trim(0) };
}

/// Other allocators see to it themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn share_heaps() {}

/// Other allocators see to it themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}
