import { describe, expect, test } from "vitest";
import { decodeRequest, encodeRequest, type StoredRequest } from "../../src/jobs/stored-request.ts";

const requestWith = (result: unknown): StoredRequest => ({
  identity: { userId: "ada" },
  agentName: "clerk",
  input: [],
  toolResults: [{ toolCallId: "call", result }] as never,
  base: { position: 0, version: 1, incarnation: "i" },
});

describe("A stored request", () => {
  test("comes back as it was, with what JSON doesn't know", () => {
    const request = requestWith({
      bytes: new Uint8Array([1, 2, 3]),
      date: new Date(5),
      url: new URL("https://example.com/"),
    });
    expect(decodeRequest(encodeRequest(request))).toEqual(request);
  });

  test.each([
    { $url: "not a url" },
    { $url: "https://example.com/" },
    { $date: 5 },
    { $bytes: "AQID" },
    { $object: { $date: 5 } },
    { $object: { $object: { $url: "not a url" } } },
    { $object: 1 },
    { $object: [{ $date: 5 }] },
    [{ $date: { $date: 5 } }],
    { $date: new Date(5) },
  ])("comes back as it was, with a client's own data that look like %j", (result) => {
    const request = requestWith(result);
    expect(decodeRequest(encodeRequest(request))).toStrictEqual(request);
  });

  test("keeps a field that JSON leaves out from making data look tagged", () => {
    const decoded = decodeRequest(encodeRequest(requestWith({ $date: 5, more: undefined })));
    expect(decoded).toStrictEqual(requestWith({ $date: 5 }));
  });

  test("of a process before keeps a value that its tag doesn't fit", () => {
    const text = JSON.stringify(requestWith({ url: { $url: "not a url" }, date: { $date: 1e20 } }));
    expect(decodeRequest(text)).toEqual(JSON.parse(text));
  });
});
