import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WAYS } from "../../test/models/run.ts";
import { expectRecorded } from "../../test/recordings/replay.ts";
import { allRecordings } from "./support/recordings/all.ts";
import { withoutWay } from "./support/recordings/comparison.ts";
import { faultsOfOthers } from "./support/recordings/foreign.ts";
import { expectAnswered, expectShown, expectSound } from "./support/recordings/invariants.ts";
import { openReplays, STORES, type StoreReplays } from "./support/recordings/stores.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

// The stress tests replay each recording on each store, with a new client for each run and each reading.
describe.each(Object.entries(STORES))("on the store %s", (_, open) => {
  const place = Object.values(STORES).indexOf(open);
  const share = allRecordings.filter((_, index) => index % Object.keys(STORES).length === place);
  let replays: StoreReplays;
  beforeAll(async () => {
    replays = await openReplays(open);
  });
  afterAll(() => replays.close());

  it.each(share.map((recorded) => [recorded.title, recorded] as const))("%s", async (_, recorded) => {
    const [whole, streamed] = await Promise.all(WAYS.map((way) => replays.replay(recorded, way)));
    for (const replayed of [whole, streamed]) {
      if (replayed === undefined) throw new Error("not replayed");
      expectRecorded(recorded.api, recorded.recording, replayed);
      expectAnswered(replayed.answered);
      for (const messages of replayed.stored) {
        expectSound(messages);
        expectShown(messages);
      }
    }
    expect(streamed && withoutWay(streamed)).toEqual(whole && withoutWay(whole));
    expect(await faultsOfOthers(recorded, streamed?.stored.at(-1) ?? [])).toEqual([]);
  });
});
