//! The socket between the host and the helper of one command.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, send, sendmsg, socketpair,
};
use tenon_helper::{Order, PACKET_MAX_BYTES, Report};
use tokio::io::Interest;
use tokio::net::UnixDatagram;

use crate::ending::root::ShellNumber;

/// Both ends of a new socket: the host's and the helper's.
pub(crate) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?)
}

/// Sends the first order, and with it what the shell is to read from. The helper need not run yet.
pub(crate) fn send_start(
    host_end: &OwnedFd,
    terminal: bool,
    input: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    let packet = Order::Start { terminal }.packet();
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptors: Vec<BorrowedFd<'_>> = input.into_iter().collect();
    if !descriptors.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(&descriptors));
    }
    let pieces = [IoSlice::new(packet.bytes())];
    sendmsg(host_end, &pieces, &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// The host's end, and whom it leads to. When it is dropped, the helper ends everything.
#[derive(Debug)]
pub(crate) struct HelperLink {
    socket: UnixDatagram,
    process_id: u32,
    shell: ShellNumber,
}

impl HelperLink {
    /// Needs a running tokio runtime.
    pub(crate) fn new(host_end: OwnedFd, process_id: u32) -> io::Result<Self> {
        // The type knows packets and does not ask whether they keep their order, which these do.
        let socket = std::os::unix::net::UnixDatagram::from(host_end);
        socket.set_nonblocking(true)?;
        Ok(Self {
            socket: UnixDatagram::from_std(socket)?,
            process_id,
            shell: ShellNumber::default(),
        })
    }

    /// The number of the helper's process.
    pub(crate) const fn process_id(&self) -> u32 {
        self.process_id
    }

    /// The number of the shell, once the helper has reported it.
    pub(crate) const fn shell(&self) -> &ShellNumber {
        &self.shell
    }

    /// Sends an order. A helper that is gone is noticed when it is listened to.
    ///
    /// Past tokio, whose `try_send` sends nothing before its reactor has looked at a new socket once: an order to end a
    /// command that has just been started would be lost.
    pub(crate) fn order(&self, order: Order) {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        let _ = send(&self.socket, order.packet().bytes(), flags);
    }

    /// What the helper says next, handed to `hear` with the descriptor that came along; nothing when
    /// it has gone. May be dropped and called again.
    pub(crate) async fn next<T>(
        &self,
        hear: impl FnOnce(Report<'_>, Option<OwnedFd>) -> T,
    ) -> Option<T> {
        let mut buffer = [0; PACKET_MAX_BYTES];
        let socket = &self.socket;
        let (length, descriptor) = socket
            .async_io(Interest::READABLE, || received(socket, &mut buffer))
            .await
            .ok()?;
        let report = Report::parse(buffer.get(..length)?)?;
        Some(hear(report, descriptor))
    }
}

/// One packet and what came along.
fn received(socket: &UnixDatagram, buffer: &mut [u8]) -> io::Result<(usize, Option<OwnedFd>)> {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    let message = recvmsg(socket, &mut [IoSliceMut::new(buffer)], &mut control, flags)?;
    let descriptor = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    Ok((message.bytes, descriptor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_order_in_the_moment_of_the_start_arrives() {
        let (host_end, helper_end) = pair().unwrap();
        let link = HelperLink::new(host_end, 1).unwrap();
        link.order(Order::Count);
        let mut buffer = [0; PACKET_MAX_BYTES];
        let (length, _) =
            rustix::net::recv(&helper_end, &mut buffer[..], RecvFlags::DONTWAIT).unwrap();
        assert_eq!(Order::parse(&buffer[..length]), Some(Order::Count));
    }
}
