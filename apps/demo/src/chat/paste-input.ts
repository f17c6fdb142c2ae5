import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { ReadStream } from "node:tty";
import type { PasteFilter } from "./paste.ts";

/** A key that begins like a mark, or a paste whose end got lost, waits so long for the rest. */
const KEY_MS = 50;
const PASTE_MS = 2_000;

/** What a terminal sends, with its pastes made lines of their own; a line editor can take it for the terminal. */
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
