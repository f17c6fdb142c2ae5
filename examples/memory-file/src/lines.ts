import { crc32 } from "node:zlib";

/**
 * A line is `{"sum":"<8 hex digits>","entry":{…}}`. The sum is the CRC-32 of the entry's bytes, continued from the
 * previous line's sum, so it detects a changed, lost, moved or doubled line.
 */
export interface Line {
  readonly bytes: Buffer;
  readonly sum: number;
}

const LINE_BREAK = 0x0a;
const OPENING = '{"sum":"';
const head = (sum: number): string => `${OPENING}${sum.toString(16).padStart(8, "0")}","entry":`;
const HEAD_LENGTH = head(0).length;
const TAIL = "}";

/** `previous` is the previous line's sum; 0 for the first line. */
export function encodeLine(entry: object, previous: number): Line {
  const text = Buffer.from(JSON.stringify(entry));
  const sum = crc32(text, previous);
  return { bytes: Buffer.concat([Buffer.from(head(sum)), text, Buffer.from(`${TAIL}\n`)]), sum };
}

export function encodeLines(entries: readonly object[]): Line {
  const parts: Buffer[] = [];
  let sum = 0;
  for (const entry of entries) {
    const line = encodeLine(entry, sum);
    parts.push(line.bytes);
    sum = line.sum;
  }
  return { bytes: Buffer.concat(parts), sum };
}

export interface DecodedLines {
  /** The JSON text of each entry. */
  readonly entries: readonly string[];
  readonly sum: number;
  /** The length of all complete lines in bytes. Bytes after them are a line that a crash cut off. */
  readonly length: number;
}

/** Returned instead of the lines if one is damaged: its number, counted from 1. */
export interface DamagedLine {
  readonly damagedLine: number;
}

/** Whether the rest is the beginning of a line, or the zeros that a power cut leaves in place of unwritten bytes. */
function isCutOff(rest: Buffer): boolean {
  const opening = OPENING.slice(0, rest.length);
  return rest.toString("latin1", 0, opening.length) === opening || rest.every((byte) => byte === 0);
}

export function decodeLines(bytes: Buffer): DecodedLines | DamagedLine {
  const entries: string[] = [];
  let sum = 0;
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(LINE_BREAK, start);
    if (end < 0) {
      const rest = bytes.subarray(start);
      return isCutOff(rest) ? { entries, sum, length: start } : { damagedLine: entries.length + 1 };
    }
    const line = bytes.subarray(start, end);
    const text = line.subarray(HEAD_LENGTH, -TAIL.length);
    sum = crc32(text, sum);
    const frame =
      line.toString("latin1", 0, HEAD_LENGTH) + line.toString("latin1", HEAD_LENGTH + text.length);
    if (frame !== head(sum) + TAIL) return { damagedLine: entries.length + 1 };
    entries.push(text.toString());
    start = end + 1;
  }
}
