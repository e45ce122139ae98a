//! Files that grow by a line at a time, and the time of a line; and files that are there as a whole or not at all.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Adds a line with one write, on a line of its own even when the last one was cut short. What must outlive a pulled
/// plug is synced by the caller, with the file that comes back.
pub fn append(path: &Path, line: &str) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)?;
    let mut text = format!("{line}\n");
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            text.insert(0, '\n');
        }
    }
    file.write_all(text.as_bytes())?;
    Ok(file)
}

/// Writes a file as a whole, in the place of the one that is there: never is half of it to be read.
///
/// # Errors
/// What the system says. Then the file is as it was.
pub fn replace(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let before = std::fs::metadata(path).ok();
    // A device or a pipe cannot be replaced.
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        return std::fs::write(path, content);
    }
    // Through a link, so that settings linked from a dotfiles folder stay linked.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| *folder != Path::new(""));
    let mut builder = tempfile::Builder::new();
    if let Some(permissions) = before.map(|before| before.permissions()).or_else(anybody) {
        builder.permissions(permissions);
    }
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// As the mask of the process lets others read what it makes.
fn anybody() -> Option<Permissions> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    #[cfg(not(unix))]
    None
}

/// Now, as RFC 3339 writes it, in UTC and whole seconds.
pub fn now() -> String {
    utc(since_1970().as_secs())
}

/// The time since 1970.
pub fn since_1970() -> Duration {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default()
}

/// A time since 1970, with microseconds.
pub fn moment(since: Duration) -> String {
    let whole = utc(since.as_secs());
    let micros = since.subsec_micros();
    format!("{}.{micros:06}Z", whole.trim_end_matches('Z'))
}

/// Seconds since 1970 as a date of the Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms",
/// civil_from_days).
fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March there, so that the leap day is the last.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = (from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_file_is_replaced_as_a_whole_and_what_is_none_is_written_into() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("q.run");
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        std::fs::write(home.path().join("other"), "").unwrap();
        let others = std::fs::metadata(home.path().join("other")).unwrap();
        replace(&path, b"one").unwrap();
        assert_eq!(mode(), others.permissions().mode() & 0o777);
        std::fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(
            (std::fs::read(&path).unwrap(), mode()),
            (b"two".to_vec(), 0o640)
        );
        assert!(replace(&home.path().join("no/q.run"), b"").is_err());
        replace(Path::new("/dev/null"), b"three").unwrap();
        let full = Path::new("/dev/full");
        assert!(!full.exists() || replace(full, b"four").is_err());
        // Nothing else was left.
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 2);
    }

    #[test]
    fn dates_of_leap_years_and_their_ends() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_704_067_199, "2023-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds), date);
        }
    }

    #[test]
    fn a_line_after_one_cut_short_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/log.jsonl");
        append(&path, "one").unwrap();
        std::fs::write(&path, "one\nhal").unwrap();
        append(&path, "two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\nhal\ntwo\n");
    }
}
