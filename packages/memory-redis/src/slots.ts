import { lazy } from "@jaf/memory/adapter";

const SLOTS = 16_384;

/** CRC-16/XMODEM of each byte. */
const CRC16 = lazy(() =>
  Uint16Array.from({ length: 256 }, (_, byte) => {
    let value = byte << 8;
    for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value & 0x8000 ? 0x1021 : 0);
    return value;
  }),
);

function crc16(bytes: Uint8Array): number {
  const table = CRC16();
  let value = 0;
  for (const byte of bytes) value = ((value << 8) & 0xffff) ^ (table[(value >> 8) ^ byte] ?? 0);
  return value;
}

/** What is hashed of a key: what stands between its first `{` and the next `}`, unless that is nothing. */
function hashed(key: string): string {
  const open = key.indexOf("{");
  const close = open === -1 ? -1 : key.indexOf("}", open);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}

/** The slot of a Cluster that a key is in. */
export const slotOf = (key: string): number => crc16(Buffer.from(hashed(key))) % SLOTS;

const tags: string[] = [];
let tried = 0;

/** A hash tag of that slot, always the same, so that it reveals nothing about the key. */
export function hashTagOf(slot: number): string {
  let tag = tags[slot];
  while (tag === undefined) {
    const candidate = (tried++).toString(36);
    tags[slotOf(candidate)] ??= candidate;
    tag = tags[slot];
  }
  return tag;
}
