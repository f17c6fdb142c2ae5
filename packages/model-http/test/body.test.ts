import { describe, expect, it } from "vitest";
import { type ModelService, post, wholeText } from "../src/index.ts";
import { serviceAt } from "./support/http-service.ts";

const CHUNK = new Uint8Array(2 ** 20).fill(120);

/** A service whose responses never end. Counts the chunks of a mebibyte that were read, and the cancelled bodies. */
function endlessService(status: number, headers: Record<string, string> = {}) {
  const seen = { chunks: 0, cancelled: 0 };
  const fetch = async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        seen.chunks += 1;
        if (seen.chunks > 1_000) controller.error(new Error("too much was read"));
        else controller.enqueue(CHUNK);
      },
      cancel: () => {
        seen.cancelled += 1;
      },
    });
    return new Response(body, { status, headers });
  };
  const service: ModelService = { ...serviceAt(1), fetch };
  return { service, seen };
}

describe("A body without an end", () => {
  it("is read only at its beginning if the status is an error", async () => {
    const { service, seen } = endlessService(500);
    await expect(post(service, {}, undefined)).rejects.toMatchObject({ reason: "status", status: 500 });
    expect(seen.chunks).toBeLessThan(5);
    expect(seen.cancelled).toBe(1);
  });

  it("is malformed once it is longer than 256 MiB", async () => {
    const { service, seen } = endlessService(200);
    const reading = wholeText(await post(service, {}, undefined), service, undefined);
    await expect(reading).rejects.toMatchObject({
      reason: "malformed",
      message: expect.stringContaining("more than 256 MiB"),
    });
    expect(seen.chunks).toBeLessThan(260);
    expect(seen.cancelled).toBe(1);
  });

  it("isn't read at all if its length header says that it is longer", async () => {
    const { service, seen } = endlessService(200, { "content-length": String(2 ** 29) });
    const reading = wholeText(await post(service, {}, undefined), service, undefined);
    await expect(reading).rejects.toMatchObject({ reason: "malformed" });
    expect(seen.chunks).toBeLessThan(3);
    expect(seen.cancelled).toBe(1);
  });
});

it("reads a character that is divided between two chunks", async () => {
  const bytes = new TextEncoder().encode("é🍏");
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const service: ModelService = { ...serviceAt(1), fetch: async () => new Response(body) };
  expect(await wholeText(await post(service, {}, undefined), service, undefined)).toBe("é🍏");
});
