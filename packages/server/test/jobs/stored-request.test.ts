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
  test("keeps values that JSON doesn't support", () => {
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
  ])("keeps client data that looks like %j", (result) => {
    const request = requestWith(result);
    expect(decodeRequest(encodeRequest(request))).toStrictEqual(request);
  });

  test("ignores fields that JSON leaves out when it looks for tags", () => {
    const decoded = decodeRequest(encodeRequest(requestWith({ $date: 5, more: undefined })));
    expect(decoded).toStrictEqual(requestWith({ $date: 5 }));
  });

  test("keeps a value that doesn't fit its tag in a request of an older process", () => {
    const text = JSON.stringify(requestWith({ url: { $url: "not a url" }, date: { $date: 1e20 } }));
    expect(decodeRequest(text)).toEqual(JSON.parse(text));
  });
});
