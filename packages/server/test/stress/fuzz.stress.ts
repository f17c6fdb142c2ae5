import fc from "fast-check";
import { expect, it } from "vitest";
import { openApiDocument } from "../../src/openapi/document.ts";
import { type GeneratedRequest, requestsOf } from "../support/requests-of-document.ts";
import { saying, startTestServer } from "../support/test-server.ts";

const REQUESTS = Number(process.env["JAF_FUZZ_REQUESTS"] ?? 2_000);
const LONGEST_MS = 30_000;

/** What a stack trace looks like, and names of files. */
const INSIDES = /\n\s+at |node_modules|\.ts:\d+/;

it(`answers ${REQUESTS} generated requests: no server error, no hang, no stack trace`, async () => {
  const errors: unknown[] = [];
  const infinite = { requestsPerMinute: Number.POSITIVE_INFINITY, turnsPerUser: Number.POSITIVE_INFINITY };
  const server = await startTestServer(saying("Hello."), {
    limits: { ...infinite, streamsPerUser: Number.POSITIVE_INFINITY },
    onError: (error) => void errors.push(error),
  });
  const { conversationId, turnId } = (await server.ask("ada", "POST", "/chat", { message: "Hi" })).body.data;
  const { id } = (await server.ask("ada", "POST", "/facts", { fact: "Lives in Oslo" })).body.data.fact;
  const theirs = (await server.ask("eve", "POST", "/chat", { message: "Hi" })).body.data.conversationId;
  const statuses = new Map<number, number>();

  async function check({ method, path, headers, body }: GeneratedRequest): Promise<void> {
    const response = await server.send("ada", path, {
      method,
      headers,
      signal: AbortSignal.timeout(LONGEST_MS),
      ...(body === undefined ? {} : { body }),
    });
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    expect(response.status, errors.map(String).join("; ")).toBeLessThan(500);
    // It ends with the server alone.
    if (path.startsWith("/approvals/stream")) return response.body?.cancel();
    const text = await response.text();
    if (response.status >= 400) {
      expect(text).not.toMatch(INSIDES);
      expect(JSON.parse(text)).toMatchObject({ success: false, error: { code: expect.any(String) } });
    }
  }

  await fc.assert(
    fc.asyncProperty(requestsOf(openApiDocument(), [conversationId, turnId, id, theirs, "assistant"]), check),
    { numRuns: REQUESTS, seed: 18, endOnFailure: true },
  );
  expect((await server.ask("eve", "GET", `/conversations/${theirs}`)).status).toBe(200);
  // The requests reach what they are to reach.
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 20);
  expect(statuses.get(400)).toBeGreaterThan(REQUESTS / 20);
  expect(statuses.get(404)).toBeGreaterThan(REQUESTS / 20);
}, 600_000);
