import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { ReadStream } from "node:tty";

/** The marks before and after a paste, if the terminal's bracketed paste mode is on. */
const START = "\x1b[200~";
const END = "\x1b[201~";
export const ASK_FOR_MARKS = "\x1b[?2004h";
export const ASK_FOR_NO_MARKS = "\x1b[?2004l";

const LINE_END = /\r\n?|\n/g;
const LINE_SIGN = "⏎";
/** Longer pastes are shown as a summary. */
const SHOWN_LINES = 5;
const SHOWN_LENGTH = 400;
const STARTS_COMMAND = /^\/[a-z][a-z-]*(?:\s|$)/;

export interface PasteFilter {
  /** Returns the text for the line editor. */
  readonly feed: (chunk: string) => string;
  /** Returns the text held back: the beginning of a mark, or a paste without its end. */
  readonly flush: () => string;
  readonly isHolding: () => boolean;
  /** Puts the pasted texts back into a line of the editor. */
  readonly expand: (line: string) => string;
  /** Drops all pastes. */
  readonly forget: () => void;
}

/**
 * Turns a paste of several lines into one line of the editor, with `⏎` for each line end, or `[pasted 12 lines: …]` for a long
 * paste. If the terminal doesn't mark pastes, lines that arrive together count as one paste, unless one is a command.
 */
export function createPasteFilter(): PasteFilter {
  let held = "";
  let hasSigns = false;
  const long = new Map<string, string>();

  const pasted = (raw: string): string => {
    const text = raw.replaceAll(LINE_END, "\n").replaceAll(/(?![\n\t])\p{Cc}/gu, "");
    const lines = text.split("\n");
    if (lines.length === 1) return text;
    if (lines.length <= SHOWN_LINES && text.length <= SHOWN_LENGTH && !text.includes(LINE_SIGN)) {
      hasSigns = true;
      return text.replaceAll("\n", LINE_SIGN);
    }
    return keptIn(long, text, lines);
  };

  function typed(text: string): string {
    const body = text.replace(/(?:\r\n?|\n)$/, "");
    const lines = body.split(/\r\n?|\n/);
    if (text.includes("\x1b") || lines.length === 1 || lines.some((line) => STARTS_COMMAND.test(line)))
      return text;
    return pasted(body) + (body === text ? "" : "\r");
  }

  return {
    feed: (chunk) => {
      let rest = held + chunk;
      let out = "";
      held = "";
      for (let start = rest.indexOf(START); start >= 0; start = rest.indexOf(START)) {
        const end = rest.indexOf(END, start);
        out += typed(rest.slice(0, start));
        if (end < 0) {
          held = rest.slice(start);
          return out;
        }
        out += pasted(rest.slice(start + START.length, end));
        rest = rest.slice(end + END.length);
      }
      const partial = partOfMark(rest);
      held = rest.slice(rest.length - partial);
      return out + typed(rest.slice(0, rest.length - partial));
    },
    flush: () => {
      const text = held;
      held = "";
      return text.startsWith(START) ? pasted(text.slice(START.length)) : text;
    },
    isHolding: () => held !== "",
    expand: (line) => {
      const lined = hasSigns ? line.replaceAll(LINE_SIGN, "\n") : line;
      return [...long].reduce((text, [token, paste]) => text.replaceAll(token, () => paste), lined);
    },
    forget: () => {
      hasSigns = false;
      long.clear();
    },
  };
}

/** Stores a long paste, and returns its unique summary. */
function keptIn(pastes: Map<string, string>, text: string, lines: readonly string[]): string {
  const first = (lines.find((line) => line.trim() !== "") ?? "").trim().slice(0, 30);
  let token = `[pasted ${lines.length} lines: ${first}…]`;
  for (let n = 2; pastes.has(token) && pastes.get(token) !== text; n++)
    token = `[pasted ${lines.length} lines, ${n}: ${first}…]`;
  pastes.set(token, text);
  return token;
}

/** The length of a mark's possible beginning at the end of a text. */
function partOfMark(text: string): number {
  for (let length = START.length - 1; length > 0; length--)
    if (text.endsWith(START.slice(0, length))) return length;
  return 0;
}

/** How long to wait for the rest of a mark, and for the end of a paste. */
const KEY_MS = 50;
const PASTE_MS = 2_000;

/** Returns the terminal's input for a line editor, with each paste as one line. */
export function readPastes(terminal: ReadStream, filter: PasteFilter): PassThrough {
  const decoder = new StringDecoder("utf8");
  const setRawMode = (isRaw: boolean) => terminal.setRawMode(isRaw);
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode });
  let timer: NodeJS.Timeout | undefined;
  const pass = (text: string) => {
    if (text !== "") input.write(text);
  };
  terminal.on("data", (chunk: Buffer) => {
    clearTimeout(timer);
    const text = decoder.write(chunk);
    pass(filter.feed(text));
    if (filter.isHolding())
      timer = setTimeout(() => pass(filter.flush()), text.length < 8 ? KEY_MS : PASTE_MS);
  });
  terminal.on("end", () => {
    clearTimeout(timer);
    input.end(filter.flush());
  });
  return input;
}
