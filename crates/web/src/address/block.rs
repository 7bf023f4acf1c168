//! The blocks of addresses that do not belong to the public internet.
//!
//! IPv4: the IANA special-purpose registry (RFC 6890 and what came after it), entries that are
//! globally reachable in name only included. IPv6: everything outside of 2000::/3, and within it
//! what is set aside or carries an IPv4 address, which an operating system or a gateway would
//! connect to instead.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A block of addresses that are not public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressBlock {
    /// What it is for, such as `loopback`.
    pub name: &'static str,
    /// Its range as written in registries, such as `127.0.0.0/8`.
    pub range: &'static str,
}

struct Ipv4Block {
    first: Ipv4Addr,
    prefix: u32,
    block: AddressBlock,
}

struct Ipv6Block {
    first: Ipv6Addr,
    prefix: u32,
    block: AddressBlock,
}

const fn v4(octets: [u8; 4], prefix: u32, range: &'static str, name: &'static str) -> Ipv4Block {
    let [a, b, c, d] = octets;
    Ipv4Block {
        first: Ipv4Addr::new(a, b, c, d),
        prefix,
        block: AddressBlock { name, range },
    }
}

const fn v6(head: [u16; 3], prefix: u32, range: &'static str, name: &'static str) -> Ipv6Block {
    let [a, b, c] = head;
    Ipv6Block {
        first: Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0),
        prefix,
        block: AddressBlock { name, range },
    }
}

const IPV4: &[Ipv4Block] = &[
    v4([0, 0, 0, 0], 8, "0.0.0.0/8", "this network"),
    v4([10, 0, 0, 0], 8, "10.0.0.0/8", "private network"),
    v4([100, 64, 0, 0], 10, "100.64.0.0/10", "shared address space"),
    v4([127, 0, 0, 0], 8, "127.0.0.0/8", "loopback"),
    // An address of the public range that every Azure machine answers its agents on.
    v4([168, 63, 129, 16], 32, "168.63.129.16/32", "cloud platform"),
    v4([169, 254, 0, 0], 16, "169.254.0.0/16", "link-local"),
    v4([172, 16, 0, 0], 12, "172.16.0.0/12", "private network"),
    v4([192, 0, 0, 0], 24, "192.0.0.0/24", "protocol assignments"),
    v4([192, 0, 2, 0], 24, "192.0.2.0/24", "documentation"),
    v4([192, 88, 99, 0], 24, "192.88.99.0/24", "6to4 relay"),
    v4([192, 168, 0, 0], 16, "192.168.0.0/16", "private network"),
    v4([198, 18, 0, 0], 15, "198.18.0.0/15", "benchmarking"),
    v4([198, 51, 100, 0], 24, "198.51.100.0/24", "documentation"),
    v4([203, 0, 113, 0], 24, "203.0.113.0/24", "documentation"),
    v4([224, 0, 0, 0], 4, "224.0.0.0/4", "multicast"),
    v4([240, 0, 0, 0], 4, "240.0.0.0/4", "reserved"),
];

const IPV6: &[Ipv6Block] = &[
    v6([0x0064, 0xff9b, 0], 96, "64:ff9b::/96", "NAT64"),
    v6([0x0064, 0xff9b, 1], 48, "64:ff9b:1::/48", "NAT64"),
    v6([0x0100, 0, 0], 64, "100::/64", "discard"),
    v6([0x2001, 0, 0], 32, "2001::/32", "Teredo"),
    v6([0x2001, 0, 0], 23, "2001::/23", "protocol assignments"),
    v6([0x2001, 0x0db8, 0], 32, "2001:db8::/32", "documentation"),
    v6([0x2002, 0, 0], 16, "2002::/16", "6to4"),
    v6([0x3fff, 0, 0], 20, "3fff::/20", "documentation"),
    v6([0xfc00, 0, 0], 7, "fc00::/7", "unique local"),
    v6([0xfe80, 0, 0], 10, "fe80::/10", "link-local"),
    v6([0xfec0, 0, 0], 10, "fec0::/10", "site-local"),
    v6([0xff00, 0, 0], 8, "ff00::/8", "multicast"),
];

const LOOPBACK: AddressBlock = AddressBlock {
    name: "loopback",
    range: "::1/128",
};
const UNSPECIFIED: AddressBlock = AddressBlock {
    name: "unspecified",
    range: "::/128",
};
const MAPPED: AddressBlock = AddressBlock {
    name: "IPv4-mapped",
    range: "::ffff:0:0/96",
};
const COMPATIBLE: AddressBlock = AddressBlock {
    name: "IPv4-compatible",
    range: "::/96",
};
const UNASSIGNED: AddressBlock = AddressBlock {
    name: "not global unicast",
    range: "outside of 2000::/3",
};

/// The block that keeps an address from being public; `None` for global unicast.
#[must_use]
pub fn block_of(address: IpAddr) -> Option<AddressBlock> {
    match address {
        IpAddr::V4(address) => block_of_v4(address),
        IpAddr::V6(address) => block_of_v6(address),
    }
}

fn block_of_v4(address: Ipv4Addr) -> Option<AddressBlock> {
    let is_in = |block: &&Ipv4Block| {
        let differing = address.to_bits() ^ block.first.to_bits();
        differing.checked_shr(32 - block.prefix).unwrap_or(0) == 0
    };
    IPV4.iter().find(is_in).map(|block| block.block)
}

fn block_of_v6(address: Ipv6Addr) -> Option<AddressBlock> {
    let bits = address.to_bits();
    if address.is_loopback() {
        return Some(LOOPBACK);
    }
    if address.is_unspecified() {
        return Some(UNSPECIFIED);
    }
    match bits >> 32 {
        0xffff => return Some(MAPPED),
        0 => return Some(COMPATIBLE),
        _ => {}
    }
    let is_in = |block: &&Ipv6Block| {
        let differing = bits ^ block.first.to_bits();
        differing.checked_shr(128 - block.prefix).unwrap_or(0) == 0
    };
    if let Some(block) = IPV6.iter().find(is_in) {
        return Some(block.block);
    }
    (bits >> 125 != 0b001).then_some(UNASSIGNED)
}
