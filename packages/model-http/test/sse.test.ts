import { describe, expect, it } from "vitest";
import { readEvents } from "../src/sse.ts";

const DATA = ['{"text": "Hm… 🤔"}', "Grüße 🌍!", "[DONE]"];
const TEXT = DATA.map((data) => `data: ${data}\n\n`).join("");
const RECORDED = Buffer.from(TEXT);

const bodyOf = (pieces: readonly Uint8Array[], onCancel = () => {}) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
    cancel: onCancel,
  });

async function read(...pieces: readonly Uint8Array[]): Promise<readonly string[]> {
  const data: string[] = [];
  for await (const each of readEvents(bodyOf(pieces))) data.push(each);
  return data;
}

const bytesOf = (bytes: Uint8Array) => [...bytes].map((byte) => Uint8Array.of(byte));

describe("the events of a stream", () => {
  it("are only those with data", async () => {
    expect(await read(Buffer.from("data: \n\n: PROCESSING\n\nevent: ping\ndata:  \n\ndata: 1\n\n"))).toEqual([
      "1",
    ]);
  });

  it("are the same if the stream is split anywhere, even inside a character", async () => {
    for (let at = 0; at <= RECORDED.length; at++)
      expect([at, await read(RECORDED.subarray(0, at), RECORDED.subarray(at))]).toEqual([at, DATA]);
  });

  it("are only the complete ones, wherever the stream ends", async () => {
    const ends = DATA.map((_, index) =>
      Buffer.byteLength(
        DATA.slice(0, index + 1)
          .map((data) => `data: ${data}\n\n`)
          .join(""),
      ),
    );
    for (let at = 0; at <= RECORDED.length; at++) {
      const whole = ends.filter((end) => end <= at).length;
      expect([at, await read(RECORDED.subarray(0, at))]).toEqual([at, DATA.slice(0, whole)]);
    }
  });

  it.each([
    ["with LF", (text: string) => text],
    ["with CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
    ["with CR", (text: string) => text.replaceAll("\n", "\r")],
    ["with comments", (text: string) => text.replaceAll("data: ", ": keep-alive\n\ndata: ")],
    [
      "with fields and no space",
      (text: string) => text.replaceAll("data: ", "event: x\nid: 7\nretry: 9\ndata:"),
    ],
    ["with a byte order mark", (text: string) => `\uFEFF${text}`],
    ["with fields that are unknown", (text: string) => text.replaceAll("data: ", "what: ever\ndata: ")],
  ])("are the same %s, byte by byte", async (_, change) => {
    expect(await read(...bytesOf(Buffer.from(change(TEXT))))).toEqual(DATA);
  });

  it("join several data lines", async () => {
    expect(await read(Buffer.from("data: {\ndata: }\n\n"))).toEqual(["{\n}"]);
  });

  it.each([
    ["in one line", '{"error":{"code":503}}'],
    ["in several lines", '{\n  "error": {\n    "code": 503\n  }\n}\n'],
    ["as a list", '[{"error": {"code": 503}}]\r\n'],
  ])("include an error that is sent without being an event, %s", async (_, text) => {
    const sent = Buffer.from(`${TEXT}${text}`);
    for (const pieces of [[sent], bytesOf(sent)]) {
      const [error, ...others] = (await read(...pieces)).toReversed();
      expect(JSON.stringify(JSON.parse(error ?? ""))).toContain('{"error":{"code":503}}');
      expect(others.reverse()).toEqual(DATA);
    }
  });

  it.each(['{"text": "Hi"}', '{"error": {', "error", '{"error": null}'])(
    "aren't other texts without being events: %s",
    async (text) => {
      expect(await read(Buffer.from(`${TEXT}${text}\n\n`))).toEqual(DATA);
    },
  );

  it("are none for an empty stream", async () => {
    expect(await read()).toEqual([]);
  });

  it("are yielded before the next read, and leaving cancels the stream", async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(RECORDED),
      cancel: () => {
        isCancelled = true;
      },
    });
    for await (const data of readEvents(body)) {
      expect(data).toBe(DATA[0]);
      break;
    }
    expect(isCancelled).toBe(true);
  });
});
