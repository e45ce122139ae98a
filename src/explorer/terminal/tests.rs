//! The stories run in a real pseudo-terminal: this test binary starts itself there, as one test of its own.

use super::*;

#[test]
fn refusing_says_what_to_do_instead() {
    assert_eq!(refuse(true, "xterm"), None);
    assert!(refuse(false, "xterm").unwrap().contains("hopscope ask"));
    assert!(refuse(true, "dumb").unwrap().contains("TERM is dumb"));
}

#[test]
fn of_a_size_that_no_terminal_has_a_part_is_drawn() {
    for (width, height) in [(1, 1), (0, 0), (640, 400), (u16::MAX, 4), (4, u16::MAX)] {
        let size = Size::new(width, height);
        assert_eq!(drawn(size), size);
    }
    for (width, height, part) in [
        (u16::MAX, u16::MAX, (512, 512)),
        (u16::MAX, 100, (2621, 100)),
        (600, 600, (512, 512)),
        (100, u16::MAX, (100, 2621)),
    ] {
        assert_eq!(drawn(Size::new(width, height)), Size::from(part));
    }
}

#[test]
fn osc52_is_base64() {
    for (text, code) in [
        ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("Südhof", "U8O8ZGhvZg=="),
    ] {
        assert_eq!(osc52(text), format!("\u{1b}]52;c;{code}\u{7}"));
    }
}

#[test]
fn switching_off_undoes_switching_on() {
    // Byte for byte in a terminal emulator; raw mode needs a real one and is covered by the stories.
    let mut bytes = Vec::new();
    for mode in &Mode::ALL[1..] {
        mode.switch_on(&mut bytes).unwrap();
    }
    let mut terminal = vt100::Parser::new(10, 40, 0);
    terminal.process(&bytes);
    let screen = terminal.screen();
    assert!(screen.alternate_screen() && screen.hide_cursor() && screen.bracketed_paste());
    assert_eq!(
        screen.mouse_protocol_mode(),
        vt100::MouseProtocolMode::ButtonMotion
    );
    bytes.clear();
    for mode in Mode::ALL[1..].iter().rev() {
        mode.switch_off(&mut bytes).unwrap();
    }
    terminal.process(&bytes);
    assert_clean(terminal.screen());
}

fn assert_clean(screen: &vt100::Screen) {
    assert!(!screen.alternate_screen(), "alternate screen left");
    assert!(!screen.hide_cursor(), "cursor shown");
    assert!(!screen.bracketed_paste(), "paste mode off");
    assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
}

#[cfg(unix)]
mod stories {
    use std::io::{Read, Write};
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

    use super::*;

    const STORY: &str = "HOPSCOPE_TERMINAL_STORY";

    /// Not a test of its own: what the others run inside the pseudo-terminal.
    #[test]
    fn child() {
        let Ok(story) = std::env::var(STORY) else {
            return;
        };
        let mut screen = Screen::enter(true).unwrap();
        let show = |screen: &mut Screen, text: &str| {
            screen
                .draw(|frame| frame.render_widget(text, frame.area()))
                .unwrap();
        };
        show(&mut screen, "drawn");
        match story.as_str() {
            "normal" => drop(screen),
            "panic" => panic!("the owner fell"),
            "panic while drawing" => {
                let _ = screen.draw(|frame| {
                    frame.render_widget("half a frame", frame.area());
                    panic!("the view fell");
                });
            }
            "thread" => {
                let thread = std::thread::Builder::new().name("finder".to_owned());
                let _ = thread.spawn(|| panic!("the finder fell")).unwrap().join();
                assert!(is_taken());
                let panics = take_panics();
                show(&mut screen, &format!("still here: {}", panics.join("; ")));
                std::thread::sleep(Duration::from_millis(300));
            }
            "picture" => {
                let mut picture = Buffer::empty(Rect::new(0, 0, 20, 2));
                picture.set_string(0, 0, "the last screen", ratatui::style::Style::new());
                screen.leave_picture(&picture).unwrap();
            }
            "events" => {
                let reason = events(&mut screen, &show);
                drop(screen);
                println!("quit {}", reason.exit_code());
            }
            other => panic!("no story {other}"),
        }
    }

    fn events(screen: &mut Screen, show: &impl Fn(&mut Screen, &str)) -> QuitReason {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut events = TerminalEvents::new().unwrap();
            show(screen, "ready");
            loop {
                match events.next().await {
                    TerminalEvent::Suspend => {
                        screen.suspend().unwrap();
                        show(screen, "back again");
                    }
                    TerminalEvent::Continue => {
                        screen.resume().unwrap();
                        show(screen, "continued");
                    }
                    TerminalEvent::Quit(reason) => return reason,
                    TerminalEvent::Key(key) => show(screen, &format!("key {:?}", key.code)),
                    TerminalEvent::Paste(text) => show(screen, &format!("pasted {text:?}")),
                    TerminalEvent::Resize { columns, rows } => {
                        show(screen, &format!("size {columns}x{rows}"));
                    }
                    _ => {}
                }
            }
        })
    }

    struct Story {
        master: Box<dyn MasterPty + Send>,
        child: Box<dyn Child + Send + Sync>,
        output: mpsc::Receiver<Vec<u8>>,
        terminal: vt100::Parser,
        before: String,
    }

    impl Story {
        fn start(name: &str) -> Self {
            let size = PtySize {
                rows: 24,
                cols: 100,
                ..PtySize::default()
            };
            let pair = native_pty_system().openpty(size).unwrap();
            let before = modes(pair.master.as_ref());
            let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
            command.args([
                "explorer::terminal::tests::stories::child",
                "--exact",
                "--nocapture",
                "--test-threads=1",
            ]);
            command.env(STORY, name);
            command.env("TERM", "xterm-256color");
            command.env("RUST_BACKTRACE", "0");
            let child = pair.slave.spawn_command(command).unwrap();
            drop(pair.slave);
            let mut reader = pair.master.try_clone_reader().unwrap();
            let (sender, output) = mpsc::channel();
            std::thread::spawn(move || {
                let mut chunk = [0; 4096];
                while let Ok(length @ 1..) = reader.read(&mut chunk) {
                    if sender.send(chunk[..length].to_vec()).is_err() {
                        break;
                    }
                }
            });
            Self {
                master: pair.master,
                child,
                output,
                terminal: vt100::Parser::new(24, 100, 0),
                before,
            }
        }

        fn text(&self) -> String {
            self.terminal.screen().contents()
        }

        fn wait(&mut self, wanted: impl Fn(&vt100::Screen) -> bool, what: &str) {
            let end = Instant::now() + Duration::from_secs(20);
            while !wanted(self.terminal.screen()) {
                assert!(
                    Instant::now() < end,
                    "no {what}; the screen shows\n{}",
                    self.text()
                );
                if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(50)) {
                    self.terminal.process(&bytes);
                }
            }
        }

        fn see(&mut self, text: &str) {
            self.wait(|screen| screen.contents().contains(text), text);
        }

        fn signal(&self, name: &str) {
            let id = self.child.process_id().unwrap().to_string();
            let status = std::process::Command::new("kill")
                .args(["-s", name, &id])
                .status();
            assert!(status.unwrap().success());
        }

        fn state(&self) -> char {
            let id = self.child.process_id().unwrap();
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            stat.rsplit(") ")
                .next()
                .and_then(|rest| rest.chars().next())
                .unwrap_or('?')
        }

        fn end(mut self) -> String {
            self.child.wait().unwrap();
            while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(500)) {
                self.terminal.process(&bytes);
            }
            assert_clean(self.terminal.screen());
            assert_eq!(
                modes(self.master.as_ref()),
                self.before,
                "terminal modes as before"
            );
            self.text()
        }
    }

    fn modes(master: &dyn MasterPty) -> String {
        format!("{:?}", master.get_termios())
    }

    #[test]
    fn a_normal_end_restores() {
        let text = Story::start("normal").end();
        assert!(!text.contains("drawn"), "{text}");
        assert!(text.contains("1 passed"), "{text}");
    }

    #[test]
    fn a_panic_restores_first_and_is_printed_after() {
        let text = Story::start("panic").end();
        assert!(text.contains("the owner fell"), "{text}");
    }

    #[test]
    fn a_panic_inside_a_frame_leaves_nothing_of_the_frame() {
        let text = Story::start("panic while drawing").end();
        assert!(
            text.contains("the view fell") && !text.contains("half a frame"),
            "{text}"
        );
    }

    #[test]
    fn a_background_panic_keeps_the_screen_and_reaches_the_view() {
        let mut story = Story::start("thread");
        story.see("still here: internal error in finder at src/explorer/terminal/tests.rs");
        assert!(story.terminal.screen().alternate_screen());
        let text = story.end();
        assert!(text.contains("1 passed"), "{text}");
    }

    #[test]
    fn the_last_screen_can_be_left_behind() {
        let text = Story::start("picture").end();
        assert!(text.contains("the last screen"), "{text}");
    }

    #[test]
    fn keys_pastes_and_sizes_arrive_and_sigterm_ends_cleanly() {
        let mut story = Story::start("events");
        story.see("ready");
        let mut writer = story.master.take_writer().unwrap();
        writer.write_all(b"x").unwrap();
        story.see("key Char('x')");
        writer.write_all(b"\x1b[200~q\nq\x1b[201~").unwrap();
        story.see("pasted \"q\\nq\"");
        let size = PtySize {
            rows: 10,
            cols: 50,
            ..PtySize::default()
        };
        story.master.resize(size).unwrap();
        story.terminal.screen_mut().set_size(10, 50);
        story.see("size 50x10");
        story.signal("TERM");
        let text = story.end();
        assert!(text.contains("quit 143"), "{text}");
    }

    #[test]
    fn a_hang_up_ends_cleanly() {
        let mut story = Story::start("events");
        story.see("ready");
        story.signal("HUP");
        let text = story.end();
        assert!(text.contains("quit 129"), "{text}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn suspending_where_no_shell_waits_takes_the_terminal_again() {
        let mut story = Story::start("events");
        story.see("ready");
        story.signal("TSTP");
        story.see("back again");
        assert_ne!(story.state(), 'T');
        assert!(story.terminal.screen().alternate_screen());
        assert_ne!(modes(story.master.as_ref()), story.before, "raw again");
        story.signal("STOP");
        story.signal("CONT");
        story.see("continued");
        story.signal("INT");
        let text = story.end();
        assert!(text.contains("quit 130"), "{text}");
    }
}
