import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { isUnstreamed, type ModelService, post, streamed, wholeText } from "../src/index.ts";
import { httpService, serviceAt } from "./support/http-service.ts";

const EVENTS = { "content-type": "text/event-stream" };

/** The two ways to read a response. Each failure is tested with both. */
const READERS = {
  whole: async (service: ModelService, signal?: AbortSignal) =>
    wholeText(await post(service, { a: 1 }, signal), service, signal),
  streamed: async (service: ModelService, signal?: AbortSignal) => {
    const response = await post(service, { a: 1 }, signal);
    const data: string[] = [];
    for await (const each of streamed(response, (events) => events, { service, signal })) data.push(each);
    return data.join();
  },
};

const both = describe.each(Object.entries(READERS));

both("a response that is %s", (way, read) => {
  it("answers a POST with the headers and the body", async () => {
    const { service, received } = await httpService((response) =>
      response.writeHead(200, EVENTS).end("data: Hi\n\n"),
    );
    expect(await read(service)).toBe(way === "whole" ? "data: Hi\n\n" : "Hi");
    expect(received).toMatchObject([
      { method: "POST", url: "/v1", body: '{"a":1}', headers: { "x-own": "1" } },
    ]);
  });

  it.each([301, 302, 303, 307, 308])(
    "isn't looked for after a redirect by %d, which is an error",
    async (status) => {
      const { service, received, open } = await httpService((response) =>
        response.writeHead(status, { location: "/v2" }).end("<a href='/v2'>moved</a>"),
      );
      await expect(read(service)).rejects.toMatchObject({
        name: "TestError",
        reason: "status",
        status,
        isRetryable: false,
        message: `mine answered ${status}; ${new URL(service.url).origin} redirects: set baseURL to the final address`,
      });
      expect(received.map(({ url }) => url)).toEqual(["/v1"]);
      await expect.poll(open).toBe(0);
    },
  );

  it("isn't read if its status is an error", async () => {
    const { service, open } = await httpService((response) =>
      response.writeHead(503, { "retry-after": "7" }).end('{"error": {"code": "busy"}}'),
    );
    await expect(read(service)).rejects.toMatchObject({
      name: "TestError",
      reason: "status",
      status: 503,
      code: "busy",
      retryAfterMs: 7_000,
      isRetryable: true,
    });
    await expect.poll(open).toBe(0);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["an error whose body is cut off", (response) => void response.writeHead(500, { "content-length": "9" })],
    ["an error without a body", (response) => void response.writeHead(500)],
  ])("has its status if its body is %s", async (_, write) => {
    const { service } = await httpService((response) => {
      write(response);
      response.write("{", () => response.destroy());
    });
    await expect(read(service)).rejects.toMatchObject({ status: 500, isRetryable: true });
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ["before the length that it announced", { "content-length": "99" }],
    ["between two chunks", {}],
  ])("throws a `cut` error if the connection breaks %s", async (_, headers) => {
    const { service } = await httpService((response) => {
      response.writeHead(200, { ...EVENTS, ...headers });
      response.write("data: Hal", () => response.destroy());
    });
    await expect(read(service)).rejects.toMatchObject({
      name: "TestError",
      reason: "cut",
      code: "ECONNRESET",
      isRetryable: true,
      message: "the response of mine ended early",
    });
  });

  it("throws the error of fetch if the connection breaks before the headers", async () => {
    const { service } = await httpService((response) => void response.destroy());
    await expect(read(service)).rejects.toThrow(TypeError);
  });

  it("throws the error of fetch if nothing listens", async () => {
    await expect(read(serviceAt(1))).rejects.toThrow(TypeError);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["before the headers", () => {}],
    ["behind the headers", (response) => response.writeHead(200, EVENTS).flushHeaders()],
    ["within the body", (response) => void response.writeHead(200, EVENTS).write("data: Hi\n\n")],
    ["within the body of an error", (response) => void response.writeHead(500).write('{"error"')],
  ])("rejects with the reason of an abort %s", async (phase, write) => {
    const { service, received, open } = await httpService(write);
    const controller = new AbortController();
    const reason = new Error("enough");
    const reading = read(service, controller.signal).catch((thrown: unknown) => thrown);
    await expect.poll(() => received.length).toBe(1);
    controller.abort(reason);
    const thrown = await reading;
    // The status has arrived.
    if (phase === "within the body of an error" && thrown !== reason)
      expect(thrown).toMatchObject({ status: 500 });
    else expect(thrown).toBe(reason);
    await expect.poll(open).toBe(0);
  });

  it("isn't requested if the signal is already aborted", async () => {
    const { service, received } = await httpService((response: ServerResponse, _: IncomingMessage) =>
      response.end(),
    );
    await expect(read(service, AbortSignal.abort(new Error("early")))).rejects.toThrow("early");
    expect(received).toEqual([]);
  });
});

describe("a stream", () => {
  it("throws if the response is HTML, without reading it", async () => {
    const { service, open } = await httpService((response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).write("<html>");
    });
    await expect(READERS.streamed(service)).rejects.toMatchObject({
      reason: "malformed",
      message: "mine answered with no stream",
      isRetryable: true,
    });
    await expect.poll(open).toBe(0);
  });

  it("throws if the response has no body", async () => {
    const { service } = await httpService((response) => response.writeHead(204, EVENTS).end());
    await expect(READERS.streamed(service)).rejects.toMatchObject({ reason: "malformed" });
  });

  it("throws the error of its reader unchanged, and is cancelled", async () => {
    const { service, open } = await httpService((response) => {
      response.writeHead(200, EVENTS).write("data: Hi\n\n");
    });
    const own = service.errors.malformed("mine", "nonsense");
    const response = await post(service, {}, undefined);
    const reading = streamed(
      response,
      // biome-ignore lint/correctness/useYield: it fails at the first event
      async function* (events) {
        for await (const _ of events) throw own;
      },
      { service, signal: undefined },
    );
    await expect(reading.next()).rejects.toBe(own);
    await expect.poll(open).toBe(0);
  });

  it("is cancelled if its reader leaves", async () => {
    const { service, open } = await httpService((response) => {
      response.writeHead(200, EVENTS).write("data: Hi\n\n");
    });
    const response = await post(service, {}, undefined);
    for await (const data of streamed(response, (events) => events, { service, signal: undefined })) {
      expect(data).toBe("Hi");
      break;
    }
    await expect.poll(open).toBe(0);
  });

  it.each([
    ["application/json; charset=utf-8", true],
    ["text/event-stream", false],
  ])("is unstreamed with the type %s: %s", (type, expected) => {
    expect(isUnstreamed(new Response("", { headers: { "content-type": type } }))).toBe(expected);
  });
});
