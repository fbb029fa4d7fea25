//! A board under QEMU: its UART is a socket here, what it prints goes to standard output.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::Outcome;

/// A board that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running board.
pub(crate) struct Board {
    qemu: Child,
    input: BufReader<UnixStream>,
    output: UnixStream,
    frame: Vec<u8>,
}

impl Board {
    /// Starts `elf`.
    pub(crate) fn start(elf: &Path) -> Outcome<Self> {
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
        let output = stream.try_clone()?;
        Ok(Self { qemu, input: BufReader::new(stream), output, frame: Vec::new() })
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
            if let Some(status) = self.qemu.try_wait()? {
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
        let _ = self.qemu.kill();
        let _ = self.qemu.wait();
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
