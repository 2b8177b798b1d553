/** One packet of a TCP connection. */
export interface TcpSegment {
  /** Nanoseconds since 1970 at which the system sent it. */
  readonly timeNs: bigint;
  /** Address and port. */
  readonly from: string;
  readonly to: string;
  /** Number of its first byte, modulo 2^32. */
  readonly sequence: number;
  /** Whether it begins a connection. */
  readonly isSyn: boolean;
  readonly bytes: Uint8Array;
}

const FILE_HEAD_BYTES = 24;
const PACKET_HEAD_BYTES = 16;
const ETHERNET_HEAD_BYTES = 14;
const IPV6_HEAD_BYTES = 40;
/** First number of a file, by what its packets' times are in. */
const UNIT_NS = new Map([[0xa1b2c3d4, 1000], [0xa1b23c4d, 1]]);
const ETHERNET = 1;
const IPV4 = 0x0800;
const IPV6 = 0x86dd;
const TCP = 6;
const SYN = 2;

/**
 * Reads the TCP packets of a file of tcpdump's (the older format, little-endian, of an interface that
 * looks like Ethernet, as the loopback interface does); others are passed over.
 * @throws {SyntaxError} if it is no such file, or a packet was not kept whole
 */
export function* tcpSegments(file: Uint8Array): Generator<TcpSegment> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const unitNs = file.length < FILE_HEAD_BYTES ? undefined : UNIT_NS.get(view.getUint32(0, true));
  if (unitNs === undefined || view.getUint32(20, true) !== ETHERNET) {
    throw new SyntaxError("Not a capture of Ethernet packets");
  }
  for (let at = FILE_HEAD_BYTES; at + PACKET_HEAD_BYTES <= file.length;) {
    const [seconds, parts, kept, length] = [0, 4, 8, 12]
      .map((offset) => view.getUint32(at + offset, true)) as [number, number, number, number];
    if (kept < length) throw new SyntaxError(`Of a packet of ${length} bytes ${kept} were kept`);
    const timeNs = BigInt(seconds) * 1_000_000_000n + BigInt(parts * unitNs);
    const start = at + PACKET_HEAD_BYTES;
    at = start + kept;
    // The last packet may have been written in part.
    if (at > file.length) return;
    const segment = segmentOf(file.subarray(start, at));
    if (segment !== undefined) yield { timeNs, ...segment };
  }
}

function segmentOf(packet: Uint8Array): Omit<TcpSegment, "timeNs"> | undefined {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  const ip = ETHERNET_HEAD_BYTES;
  const kind = view.getUint16(ip - 2);
  const isV4 = kind === IPV4;
  if (!isV4 && kind !== IPV6) return undefined;
  if (packet[ip + (isV4 ? 9 : 6)] !== TCP) return undefined;
  const tcp = ip + (isV4 ? (view.getUint8(ip) & 15) * 4 : IPV6_HEAD_BYTES);
  const end = ip + (isV4 ? view.getUint16(ip + 2) : IPV6_HEAD_BYTES + view.getUint16(ip + 4));
  const address = (offset: number): string =>
    packet.subarray(ip + offset, ip + offset + (isV4 ? 4 : 16)).toHex();
  const [from, to] = isV4 ? [12, 16] : [8, 24];
  return {
    from: `${address(from as number)}:${view.getUint16(tcp)}`,
    to: `${address(to as number)}:${view.getUint16(tcp + 2)}`,
    sequence: view.getUint32(tcp + 4),
    isSyn: (view.getUint8(tcp + 13) & SYN) !== 0,
    bytes: packet.subarray(tcp + (view.getUint8(tcp + 12) >> 4) * 4, end),
  };
}
