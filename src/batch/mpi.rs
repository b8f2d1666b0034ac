//! Communication with the ranks that `mpirun` has started, on one machine or several.
//!
//! One dedicated thread makes all MPI calls, because MPI is initialised for calls from one thread only; other
//! threads send their calls to it. MPI counts in 31 bits. So each message is preceded by its size, and a
//! message of more than 1 GiB is sent in pieces.

use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use mpi::Threading;
use mpi::datatype::PartitionMut;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator as _;
use mpi::traits::*;

use crate::frontier::Communicator;
use crate::lock::lock;

/// Maximum size of a message in bytes.
const MAX_MESSAGE_BYTES: usize = 1 << 30;

/// The ranks of `MPI_COMM_WORLD`.
#[derive(Debug)]
pub struct MpiWorld {
    rank: usize,
    size: usize,
    ranks_on_machine: usize,
    calls: Mutex<Option<Sender<Call>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
enum Call {
    Gather(MessageKind, Vec<u8>, Sender<io::Result<Vec<Vec<u8>>>>),
    Abort,
    Exchange(Option<(usize, Vec<u8>)>, Option<usize>, Sender<io::Result<Vec<u8>>>),
}

/// A guard that aborts the process if the MPI thread panics. Otherwise the panic would finalise
/// MPI, and wait for the other ranks.
struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}

/// The purpose of a message. All ranks must send messages of the same kind at the same time.
#[derive(Clone, Copy, Debug)]
enum MessageKind {
    Data,
    Leave,
}

impl MpiWorld {
    /// Connects this process to the other ranks. A process that was not started by `mpirun` is the
    /// only rank.
    ///
    /// # Errors
    /// MPI cannot be initialised, or has been initialised before.
    pub fn join() -> io::Result<Self> {
        let (calls, received_calls) = channel();
        let (startup_sender, startup_receiver) = channel();
        let thread = std::thread::Builder::new().name("mpi".to_owned());
        let thread = thread.spawn(move || {
            let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else { return };
            // Declared after the universe, so that it is dropped first.
            let ends = AbortOnPanic;
            let world = universe.world();
            let ranks_on_node = world.split_shared(world.rank()).size();
            if startup_sender
                .send((world.rank() as usize, world.size() as usize, ranks_on_node as usize))
                .is_ok()
            {
                serve(&world, &received_calls);
            }
            // The universe is dropped here, on all ranks at once.
            std::mem::forget(ends);
        })?;
        let (rank, size, ranks_on_node) = startup_receiver
            .recv()
            .map_err(|_| io::Error::other("MPI cannot be initialised in this process"))?;
        Ok(Self {
            rank,
            size,
            ranks_on_machine: ranks_on_node,
            calls: Some(calls).into(),
            thread: Some(thread).into(),
        })
    }

    /// Returns the number of ranks on the machine of this rank, including this rank.
    #[must_use]
    pub const fn ranks_on_machine(&self) -> usize {
        self.ranks_on_machine
    }

    /// Finalises MPI if all other ranks also call `leave`, and returns true. Returns false if
    /// another rank makes a different call.
    pub fn leave(&self) -> bool {
        if self.call_mpi(|answer| Call::Gather(MessageKind::Leave, Vec::new(), answer)).is_err()
            && self.is_open()
        {
            return false;
        }
        drop(lock(&self.calls).take());
        let thread = lock(&self.thread).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
        true
    }

    fn is_open(&self) -> bool {
        lock(&self.calls).is_some()
    }

    /// Ends the processes of all ranks.
    pub fn abort(&self) {
        if let Some(calls) = &*lock(&self.calls) {
            let _ = calls.send(Call::Abort);
        }
        // The join does not return, because the process ends first.
        let thread = lock(&self.thread).take();
        thread.map(JoinHandle::join);
    }

    fn call_mpi<T>(&self, call: impl FnOnce(Sender<io::Result<T>>) -> Call) -> io::Result<T> {
        let over = || io::Error::new(io::ErrorKind::NotConnected, "MPI has ended");
        let (answer, answered) = channel();
        match &*lock(&self.calls) {
            Some(calls) => calls.send(call(answer)).map_err(|_| over())?,
            None => return Err(over()),
        }
        answered.recv().map_err(|_| over())?
    }
}

impl Communicator for MpiWorld {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn allgather(&self, payload: Vec<u8>) -> io::Result<Vec<Vec<u8>>> {
        self.call_mpi(|answer| Call::Gather(MessageKind::Data, payload, answer))
    }

    fn send_receive(&self, send: Option<(usize, Vec<u8>)>, receive: Option<usize>) -> io::Result<Vec<u8>> {
        self.call_mpi(|answer| Call::Exchange(send, receive, answer))
    }
}

/// Makes the MPI calls that other threads request, until all request senders are dropped. An error
/// inside MPI ends all ranks.
fn serve(world: &SimpleCommunicator, calls: &Receiver<Call>) {
    for call in calls {
        // The result is dropped if the caller no longer waits for it.
        match call {
            Call::Gather(kind, mine, answer) => drop(answer.send(gather(world, kind, mine))),
            Call::Abort => world.abort(1),
            Call::Exchange(send, receive, answer) => drop(answer.send(exchange(world, send, receive))),
        }
    }
}

fn gather(world: &SimpleCommunicator, kind: MessageKind, mut payload: Vec<u8>) -> io::Result<Vec<Vec<u8>>> {
    // MPI does not accept an empty buffer, so this byte is always present.
    payload.push(kind as u8);
    let mut sizes = vec![0u64; world.size() as usize];
    world.all_gather_into(&(payload.len() as u64), &mut sizes[..]);
    let too_much = |_| io::Error::other("the messages of all ranks exceed the 2 GiB that MPI can gather");
    i32::try_from(sizes.iter().sum::<u64>()).map_err(too_much)?;
    let counts: Vec<i32> = sizes.iter().map(|&size| size as i32).collect();
    let starts: Vec<i32> = counts
        .iter()
        .scan(0, |next, &count| {
            let start = *next;
            *next += count;
            Some(start)
        })
        .collect();
    let mut all = vec![0u8; counts.iter().sum::<i32>() as usize];
    world.all_gather_varcount_into(
        &payload[..],
        &mut PartitionMut::new(&mut all[..], &counts[..], &starts[..]),
    );
    let kind_of = |(&start, &count): (&i32, &i32)| all[(start + count - 1) as usize];
    if let Some(rank) = starts.iter().zip(&counts).map(kind_of).position(|other| other != kind as u8) {
        return Err(io::Error::new(
            io::ErrorKind::ConnectionReset,
            format!("rank {rank} made a different MPI call"),
        ));
    }
    let part = |(&start, &count): (&i32, &i32)| all[start as usize..(start + count - 1) as usize].to_vec();
    Ok(starts.iter().zip(&counts).map(part).collect())
}

fn exchange(
    world: &SimpleCommunicator,
    send: Option<(usize, Vec<u8>)>,
    receive: Option<usize>,
) -> io::Result<Vec<u8>> {
    let to = send.as_ref().map(|(to, _)| world.process_at_rank(*to as i32));
    let from = receive.map(|from| world.process_at_rank(from as i32));
    let leaving = send.as_ref().map_or(&[][..], |(_, bytes)| bytes);
    let size = leaving.len() as u64;
    let mut arriving = 0u64;
    mpi::request::scope(|scope| {
        let sent = to.as_ref().map(|to| to.immediate_send(scope, &size));
        if let Some(from) = &from {
            from.receive_into(&mut arriving);
        }
        if let Some(sent) = sent {
            sent.wait();
        }
    });
    let mut received = vec![0u8; arriving as usize];
    let mut leaving = leaving.chunks(MAX_MESSAGE_BYTES);
    let mut arriving = received.chunks_mut(MAX_MESSAGE_BYTES);
    loop {
        let (out, into) = (leaving.next(), arriving.next());
        if out.is_none() && into.is_none() {
            return Ok(received);
        }
        mpi::request::scope(|scope| {
            let sent = to.as_ref().zip(out).map(|(to, out)| to.immediate_send(scope, out));
            if let Some((from, into)) = from.as_ref().zip(into) {
                from.receive_into(into);
            }
            if let Some(sent) = sent {
                sent.wait();
            }
        });
    }
}
