//! A program that is spoken to: on a board under QEMU, whose UART is a socket here, or another's standard input and
//! output. What a board prints goes to standard output.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::Outcome;

/// A board that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running program.
pub(crate) struct Board {
    program: Child,
    input: BufReader<Box<dyn Read>>,
    output: Box<dyn Write>,
    frame: Vec<u8>,
}

impl Board {
    /// Starts `program`, which is a board's where it is an ELF file by itself, and else a command with arguments.
    pub(crate) fn start(program: &[String]) -> Outcome<Self> {
        match program {
            [elf] => Self::emulate(Path::new(elf)),
            [command, arguments @ ..] => Self::spawn(command.as_ref(), arguments),
            [] => Err("no program".into()),
        }
    }

    fn spawn(command: &OsStr, arguments: &[String]) -> Outcome<Self> {
        let mut program = Command::new(command)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", command.display()))?;
        let (Some(output), Some(input)) = (program.stdin.take(), program.stdout.take()) else {
            return Err("a pipe is missing".into());
        };
        let input = BufReader::new(Box::new(input) as Box<dyn Read>);
        Ok(Self { program, input, output: Box::new(output), frame: Vec::new() })
    }

    fn emulate(elf: &Path) -> Outcome<Self> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("uart");
        let listener = UnixListener::bind(&path)?;
        let mut qemu = Command::new("qemu-system-arm")
            .args(["-machine", "lm3s6965evb", "-cpu", "cortex-m3", "-display", "none", "-monitor", "none"])
            .args(["-semihosting-config", "enable=on,target=native"])
            .args(["-chardev", &format!("socket,id=uart,path={}", path.display()), "-serial", "chardev:uart"])
            .arg("-kernel")
            .arg(elf)
            .spawn()
            .map_err(|error| format!("qemu-system-arm: {error}"))?;
        let stream = accept(&listener, &mut qemu).inspect_err(|_| {
            // It may have ended by itself.
            let _ = qemu.kill();
        })?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let output = Box::new(stream.try_clone()?);
        let input = BufReader::new(Box::new(stream) as Box<dyn Read>);
        Ok(Self { program: qemu, input, output, frame: Vec::new() })
    }

    /// Sends a message.
    pub(crate) fn send(&mut self, message: &impl Serialize) -> Outcome {
        let frame = postcard::to_stdvec_cobs(message)?;
        Ok(self.output.write_all(&frame)?)
    }

    /// Waits for a message.
    pub(crate) fn receive<'a, T: Deserialize<'a>>(&'a mut self) -> Outcome<T> {
        self.frame.clear();
        self.input.read_until(0, &mut self.frame).map_err(|error| format!("the board is silent: {error}"))?;
        if self.frame.last() != Some(&0) {
            return Err("the board has ended".into());
        }
        Ok(postcard::from_bytes_cobs(&mut self.frame)?)
    }

    /// Waits until the program ends by itself, and says how.
    pub(crate) fn end(mut self) -> Outcome<ExitStatus> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.program.try_wait()? {
                return Ok(status);
            }
            if Instant::now() > deadline {
                return Err("the board does not end".into());
            }
            sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        // Both fail where it has ended.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

fn accept(listener: &UnixListener, qemu: &mut Child) -> Outcome<UnixStream> {
    listener.set_nonblocking(true)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                return Ok(stream);
            }
            Err(_) if Instant::now() < deadline => sleep(Duration::from_millis(5)),
            Err(error) => return Err(error.into()),
        }
        if let Some(status) = qemu.try_wait()? {
            return Err(format!("qemu-system-arm: {status}").into());
        }
    }
}
