import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WAYS } from "../../../test/models/run.ts";
import { expectRecorded } from "../../../test/recordings/replay.ts";
import type { LosslessBackend } from "../support/lossless/backends.ts";
import { allRecordings } from "../support/recordings/all.ts";
import { comparable, withoutWay } from "../support/recordings/comparison.ts";
import { expectCutsFail } from "../support/recordings/cuts.ts";
import { replayOn, STORES } from "../support/recordings/stores.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

const titled = allRecordings.map((recorded) => [recorded.title, recorded] as const);

describe("on all stores, whole and streamed", () => {
  const backends: LosslessBackend[] = [];
  beforeAll(async () => {
    for (const open of Object.values(STORES)) backends.push(await open());
  });
  afterAll(async () => {
    for (const { close } of backends) await close();
  });

  it.each(titled)("%s", async (_, recorded) => {
    const ways = await Promise.all(
      WAYS.map((way) => Promise.all(backends.map((backend) => replayOn(backend, recorded, way)))),
    );
    for (const [first, ...others] of ways) {
      if (first === undefined) throw new Error("not replayed");
      expectRecorded(recorded.api, recorded.recording, first);
      for (const other of others) expect(comparable(other)).toEqual(comparable(first));
    }
    const [whole, streamed] = ways.map(([first]) => first && withoutWay(first));
    expect(streamed).toEqual(whole);
  });
});

describe("a stream that ends too early fails, and nothing of it is stored", () => {
  it.each(titled)("%s", (_, recorded) => expectCutsFail(recorded));
});
