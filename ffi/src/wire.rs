//! Raw HTTP answers (W). Each function reads the answer anew: one takes about as long as a system call, and no state is
//! kept between them.

use core::ffi::c_char;
use core::fmt::Write;

use leasebeat::wire::{Decoded, UnknownKeys, decode};

use crate::codes::leasebeat_status_t::{
    self, LEASEBEAT_ERROR_BUFFER_TOO_SMALL, LEASEBEAT_ERROR_OPERATION, LEASEBEAT_ERROR_OVERLAP,
    LEASEBEAT_ERROR_PRESENT, LEASEBEAT_ERROR_RESERVED, LEASEBEAT_ERROR_UNKNOWN_KEYS, LEASEBEAT_NONE,
    LEASEBEAT_OK,
};
use crate::codes::leasebeat_unknown_keys_t::{LEASEBEAT_UNKNOWN_KEYS_IGNORE, LEASEBEAT_UNKNOWN_KEYS_REJECT};
use crate::convert::{event_from, operation_of};
use crate::memory::{Checked, apart, overlap, slice, sound};
use crate::text::Buffer;
use crate::types::{LEASEBEAT_ANSWER_HAS_RETRY_AFTER, leasebeat_answer_t, leasebeat_event_t};

/// Decodes a raw HTTP answer to the event to report (W1). Set the event's `attempt` and, for a success, its `rtt_ns`
/// before you hand it to leasebeat_handle.
///
/// @param answer  read
/// @param event   written: LEASEBEAT_EVENT_CREATED, _DENIED, _EXTENDED or _FAILED
/// @return LEASEBEAT_OK, whatever the answer says; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _SIZE, _RESERVED,
///         _PRESENT, _OPERATION, _UNKNOWN_KEYS
///
/// # Safety
/// All are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_decode(
    answer: *const leasebeat_answer_t,
    event: *mut leasebeat_event_t,
) -> leasebeat_status_t {
    let check = || {
        sound(event)?;
        apart(event, answer)?;
        // SAFETY: by this function's contract.
        let (answer, decoded) = unsafe { decoded(answer) }?;
        if answer
            .parts()
            .iter()
            .any(|(part, length)| overlap(event, size_of::<leasebeat_event_t>(), *part, *length))
        {
            return Err(LEASEBEAT_ERROR_OVERLAP);
        }
        Ok(event_from(&decoded.outcome(None)))
    };
    match check() {
        Err(error) => error,
        Ok(decoded) => {
            // SAFETY: sound, and the caller's.
            unsafe { event.write(decoded) };
            LEASEBEAT_OK
        }
    }
}

/// The `reservation_id` of an answer to a create that was granted: UTF-8, unescaped, never empty.
///
/// @param answer    read
/// @param buffer    the text, with a NUL behind it; it may have a NUL in it too. NULL only with a capacity of 0
/// @param capacity  its bytes. The protocol's ids have up to 128 characters, so 513 bytes hold each
/// @param length    its length without the NUL, in bytes; may be NULL. Also written where the buffer is too small
/// @return LEASEBEAT_OK; LEASEBEAT_NONE: the answer grants none; LEASEBEAT_ERROR_BUFFER_TOO_SMALL; as leasebeat_decode
///
/// # Safety
/// All are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_decode_reservation_id(
    answer: *const leasebeat_answer_t,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    let (buffer, decoded) = match unsafe { decoded_apart(answer, buffer, capacity, length) } {
        Ok(checked) => checked,
        Err(error) => return error,
    };
    let Some(id) = decoded.reservation_id() else { return LEASEBEAT_NONE };
    let needed = id.chars().map(char::len_utf8).fold(0, usize::saturating_add);
    if needed >= buffer.capacity() {
        // SAFETY: the length is the caller's.
        unsafe { buffer.tell(needed) };
        return LEASEBEAT_ERROR_BUFFER_TOO_SMALL;
    }
    // SAFETY: the buffer is the caller's, and apart from the answer.
    unsafe { buffer.write(|writer| id.chars().try_for_each(|character| writer.write_char(character))) };
    LEASEBEAT_OK
}

/// The first thing that is wrong with an answer, in words, with a JSON pointer and a byte offset where it is the body:
/// why an answer proves nothing, or why a refusal has no code or no Retry-After. For a log.
///
/// @param answer    read
/// @param buffer    the text; NULL only with a capacity of 0
/// @param capacity  its bytes; a longer text is cut between two characters, and always ends with a NUL
/// @param length    the length of the whole text without its NUL, in bytes; may be NULL
/// @return LEASEBEAT_OK, also where the text was cut; LEASEBEAT_NONE: nothing is wrong; as leasebeat_decode
///
/// # Safety
/// All are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_decode_problem(
    answer: *const leasebeat_answer_t,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    let (buffer, decoded) = match unsafe { decoded_apart(answer, buffer, capacity, length) } {
        Ok(checked) => checked,
        Err(error) => return error,
    };
    let Some(problem) = decoded.problem() else { return LEASEBEAT_NONE };
    // SAFETY: the buffer is the caller's, and apart from the answer.
    unsafe { buffer.write(|writer| problem.write_to(writer)) };
    LEASEBEAT_OK
}

/// A buffer, and an answer of which nothing lies in it.
///
/// # Safety
/// All are the caller's, and nobody writes the answer until the result is dropped.
unsafe fn decoded_apart<'a>(
    answer: *const leasebeat_answer_t,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> Checked<(Buffer, Decoded<'a>)> {
    let buffer = Buffer::new(buffer, capacity, length)?;
    buffer.apart_from(answer)?;
    // SAFETY: by this function's contract.
    let (answer, decoded) = unsafe { decoded(answer) }?;
    for (part, length) in answer.parts() {
        buffer.apart(part, length)?;
    }
    Ok((buffer, decoded))
}

/// # Safety
/// The answer and its parts are the caller's, and nobody writes them until the result is dropped.
unsafe fn decoded<'a>(answer: *const leasebeat_answer_t) -> Checked<(leasebeat_answer_t, Decoded<'a>)> {
    sound(answer)?;
    // SAFETY: sound, and the caller's; any bytes are an answer.
    let answer = unsafe { *answer };
    if answer.reserved != [0; 3] {
        return Err(LEASEBEAT_ERROR_RESERVED);
    }
    if answer.present & !LEASEBEAT_ANSWER_HAS_RETRY_AFTER != 0 {
        return Err(LEASEBEAT_ERROR_PRESENT);
    }
    let operation = operation_of(answer.operation).ok_or(LEASEBEAT_ERROR_OPERATION)?;
    let unknown_keys = unknown_keys_of(answer.unknown_keys).ok_or(LEASEBEAT_ERROR_UNKNOWN_KEYS)?;
    let retry_after = if answer.present & LEASEBEAT_ANSWER_HAS_RETRY_AFTER == 0 {
        None
    } else {
        // SAFETY: by this function's contract.
        Some(unsafe { slice(answer.retry_after.cast(), answer.retry_after_length) }?)
    };
    // SAFETY: by this function's contract.
    let body = unsafe { slice(answer.body.cast(), answer.body_length) }?;
    Ok((answer, decode(operation, answer.status, retry_after, body, unknown_keys)))
}

impl leasebeat_answer_t {
    /// What it points to.
    fn parts(&self) -> [(*const u8, usize); 2] {
        let header = self.present & LEASEBEAT_ANSWER_HAS_RETRY_AFTER != 0;
        let header = (self.retry_after.cast(), if header { self.retry_after_length } else { 0 });
        [header, (self.body.cast(), self.body_length)]
    }
}

const REJECT: u8 = LEASEBEAT_UNKNOWN_KEYS_REJECT as u8;
const IGNORE: u8 = LEASEBEAT_UNKNOWN_KEYS_IGNORE as u8;

fn unknown_keys_of(number: u8) -> Option<UnknownKeys> {
    match number {
        REJECT => Some(UnknownKeys::Reject),
        IGNORE => Some(UnknownKeys::Ignore),
        _ => None,
    }
}
