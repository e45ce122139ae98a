//! A server behind https is asked only where its certificate holds: by a real server with a certificate authority of its own.
//! Without `--features https` there is nothing to try, and without the program `openssl` it is skipped.
#![cfg(all(unix, feature = "https"))]

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

fn openssl(at: &Path, arguments: &str) {
    let done = Command::new("openssl")
        .args(arguments.split(' '))
        .current_dir(at)
        .output();
    let done = done.unwrap();
    assert!(
        done.status.success(),
        "{arguments}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

/// A server that tells what it hears.
struct Server {
    child: Child,
    port: u16,
    heard: Receiver<String>,
}

impl Server {
    fn start(at: &Path) -> Server {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut child = Command::new("openssl")
            .args([
                "s_server",
                "-accept",
                &port.to_string(),
                "-cert",
                "server.pem",
                "-key",
                "server.key",
            ])
            .current_dir(at)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (sender, heard) = channel();
        let out = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let server = Server { child, port, heard };
        assert!(server.hears("ACCEPT", Duration::from_secs(20)));
        server
    }

    /// Whether a line with these words comes within a time.
    fn hears(&self, words: &str, within: Duration) -> bool {
        std::iter::from_fn(|| self.heard.recv_timeout(within).ok()).any(|line| line.contains(words))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn only_a_server_whose_certificate_holds_is_asked() {
    if Command::new("openssl").arg("version").output().is_err() {
        eprintln!("skipped: only_a_server_whose_certificate_holds_is_asked: no openssl");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    let new = "req -newkey rsa:2048 -nodes";
    openssl(
        at,
        &format!("{new} -x509 -days 2 -subj /CN=house -keyout ca.key -out ca.pem"),
    );
    openssl(
        at,
        &format!("{new} -subj /CN=server -keyout server.key -out server.csr"),
    );
    std::fs::write(
        at.join("names"),
        "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n",
    )
    .unwrap();
    openssl(
        at,
        "x509 -req -days 2 -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -out server.pem",
    );
    std::fs::write(
        at.join("c.jsonl"),
        "{\"id\": \"a\", \"text\": \"Uranus is a planet.\"}\n",
    )
    .unwrap();
    std::fs::write(at.join("empty.pem"), "").unwrap();
    let index = |server: &Server, host: &str, trusted: Option<&str>| {
        let encoder = format!(
            "endpoint:https://{host}:{}?model=m&key_env=SECRET&timeout=5",
            server.port
        );
        let mut command = Command::new(env!("CARGO_BIN_EXE_hopscope"));
        command.args(["index", "c.jsonl", "--out", "index", "--encoder", &encoder]);
        command
            .current_dir(at)
            .env("SECRET", "sesame")
            .env_remove("SSL_CERT_FILE");
        command.envs(trusted.map(|file| ("SSL_CERT_FILE", file)));
        command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let refused = |host: &str, trusted: Option<&str>| {
        let server = Server::start(at);
        let done = index(&server, host, trusted).wait_with_output().unwrap();
        assert!(!done.status.success());
        assert!(
            !server.hears("sesame", Duration::from_millis(300)),
            "{host}, {trusted:?}"
        );
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    // Nobody knows this house, the house knows another name, and whom the person names is nobody.
    let unknown = refused("localhost", None);
    assert!(unknown.contains("certificate"), "{unknown}");
    let misnamed = refused("127.0.0.1", Some("ca.pem"));
    assert!(misnamed.contains("certificate"), "{misnamed}");
    for file in ["empty.pem", "none.pem"] {
        let said = refused("localhost", Some(file));
        assert!(
            said.contains(file) && said.contains("SSL_CERT_FILE"),
            "{said}"
        );
    }
    let server = Server::start(at);
    let mut child = index(&server, "localhost", Some("ca.pem"));
    assert!(server.hears("sesame", Duration::from_secs(20)));
    child.kill().unwrap();
    child.wait().unwrap();
}
