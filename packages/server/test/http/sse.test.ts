import { createFailure, createMemoryStorageError, type TurnLog } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { createServerApp } from "@jaf/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { encodeServerSentEvents } from "../../src/http/sse.ts";
import type { NumberedEvent } from "../../src/turns/turn-service.ts";
import { assistant, saying, startTestServer } from "../support/test-server.ts";
import { createPausingModel } from "../support/turn-fixtures.ts";

/** A log that fails permanently after `breakDown`. */
function failingLog() {
  const log = createInMemoryTurnLog();
  const error = createMemoryStorageError("read", "broken", { retryable: false });
  let isBroken = false;
  const turnLog: TurnLog = {
    ...log,
    find: async (...asked) => (isBroken ? createFailure(error) : log.find(...asked)),
    readAll: async (...asked) => (isBroken ? createFailure(error) : log.readAll(...asked)),
  };
  const breakDown = () => {
    isBroken = true;
  };
  return { turnLog, error, breakDown };
}

/** Collects reported errors and other logs. */
function watch() {
  const told: { readonly error: unknown; readonly requestId: string | undefined }[] = [];
  const logged: unknown[][] = [];
  for (const method of ["error", "info"] as const) {
    const spy = vi.spyOn(console, method).mockImplementation((...args) => void logged.push(args));
    onTestFinished(() => spy.mockRestore());
  }
  const onError = (error: unknown, request?: { readonly requestId: string }) =>
    void told.push({ error, requestId: request?.requestId });
  return { told, logged, onError };
}

const events = { headers: { accept: "text/event-stream" } };
const isCutOff = (response: Response) =>
  response.text().then(
    () => false,
    () => true,
  );

describe("a failing stream", () => {
  it.each(["approvals", "events"])(
    "of %s is reported only to onError, with its request id, and ends",
    async (what) => {
      const { turnLog, error, breakDown } = failingLog();
      const { told, logged, onError } = watch();
      const { ask, send } = await startTestServer(saying("Hi."), { turnLog, onError });
      const { conversationId } = (await ask("ada", "POST", "/chat", { message: "Hi" })).body.data;
      if (what === "events") breakDown();
      const path = what === "events" ? `/conversations/${conversationId}/events` : "/approvals/stream";
      const response = await send("ada", path, events);
      expect(response.status).toBe(200);
      breakDown();
      expect(await isCutOff(response)).toBe(true);
      const requestId = response.headers.get("x-request-id");
      expect(told).toHaveLength(1);
      expect(told[0]?.requestId).toBe(requestId);
      expect(told[0]?.error).toMatchObject(error);
      expect(logged).toEqual([]);
      // The server continues.
      expect((await send("ada", "/agents")).status).toBe(200);
    },
  );

  it("ends with an error without a network, too", async () => {
    const { turnLog, breakDown } = failingLog();
    const { told, logged, onError } = watch();
    const { provider } = await startTestServer();
    const app = await createServerApp(
      [assistant],
      { modelProvider: saying("Hi.") },
      {
        ...{ defaultMemoryProvider: provider, turnLog, onError },
      },
    );
    onTestFinished(async () => void (await app.close()));
    breakDown();
    const response = await app.fetch(new Request("http://localhost/approvals/stream"));
    expect(await isCutOff(response)).toBe(true);
    expect(told).toHaveLength(1);
    expect(logged).toEqual([]);
  });

  it("isn't reported if the conversation was deleted or the server closes", async () => {
    const { told, logged, onError } = watch();
    const { model } = createPausingModel(["One "], ["two"]);
    const server = await startTestServer(model, { onError, shutdownMs: 0 });
    const begin = async (id: string) => {
      const messages = [{ id: "m", role: "user", parts: [{ type: "text", text: "Count." }] }];
      const body = JSON.stringify({ id, messages });
      return server.send("ada", "/ai-sdk/chat", { method: "POST", body });
    };
    const first = await begin("first");
    expect((await server.ask("ada", "DELETE", "/conversations")).body.data).toEqual({ deleted: 1 });
    expect(await isCutOff(first)).toBe(true);
    const second = await begin("second");
    await server.close();
    expect(await isCutOff(second)).toBe(true);
    expect([told, logged]).toEqual([[], []]);
  });
});

it("asks for no more events while the client doesn't read", async () => {
  let asked = 0;
  async function* pieces(): AsyncGenerator<readonly NumberedEvent[]> {
    for (;;) yield [{ number: asked++, event: { type: "text", text: "x" } }];
  }
  const response = await encodeServerSentEvents({
    ...{ conversationId: "c", turnId: "t", events: pieces(), closing: new AbortController().signal },
    ...{ onLeave: () => {}, onError: () => {} },
  });
  const reader = response.body?.getReader();
  for (let n = 0; n < 20; n++) await reader?.read();
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toBeLessThanOrEqual(21);
  await reader?.cancel();
});

it("reports no error if a JSON response is pending when the server closes", async () => {
  const { told, logged, onError } = watch();
  const { model } = createPausingModel(["One "]);
  const server = await startTestServer(model, { onError, shutdownMs: 0 });
  const waiting = server.ask("ada", "POST", "/chat", { message: "Count." });
  await expect
    .poll(async () => (await server.ask("ada", "GET", "/memory/health")).body.data.runningTurns)
    .toBe(1);
  await server.close();
  expect(await waiting).toMatchObject({ status: 503, body: { error: { turnId: expect.any(String) } } });
  expect([told, logged]).toEqual([[], []]);
});
